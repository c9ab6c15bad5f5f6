internal import Events
internal import Permissions
internal import Projections

/// What is public and what is shared, as listings.
extension Snapshot {
    /// The objects of a class that a signed-in caller may read and query who is named nowhere.
    func publicObjects(class className: String, as caller: Name) throws -> [ObjectID] {
        let (classID, _) = try queryable(className, as: caller)
        return try reader.objects(for: try reader.subjects(of: .everyone), with: [.read, .query], class: classID, at: instant)
    }

    /// The objects of a class that a caller may read and query, and could read by entries for others than everyone alone.
    func sharedObjects(class className: String, with caller: Name) throws -> [ObjectID] {
        let (classID, subjects) = try queryable(className, as: caller)
        let own = try subjects.subtracting(reader.subjects(of: .everyone))
        let rules = AccessRules(reader, at: instant)
        return try reader.objects(for: subjects, deciding: own, with: .read, class: classID, at: instant).filter {
            try rules.verdict(for: subjects, on: $0, wanted: [.read, .query]).allows([.read, .query])
        }
    }

    /// Whether a caller may create objects of a class.
    func mayCreate(_ caller: Name, _ className: String) throws -> Bool {
        guard let classID = try reader.classID(className), let principal = try reader.caller(caller) else { return false }
        return try AccessRules(reader, at: instant).classVerdict(for: try reader.subjects(of: principal), on: classID)
            .allows(.create)
    }

    private func queryable(_ className: String, as caller: Name) throws -> (ClassID, SubjectSet) {
        guard let classID = try reader.classID(className) else {
            throw Refusal(.unknownClass, "there is no class `\(className)`: define it first, or check the name")
        }
        guard let principal = try reader.caller(caller) else {
            throw Refusal.lacking("query", on: .class(className), isAnonymous: false)
        }
        let subjects = try reader.subjects(of: principal)
        guard try AccessRules(reader, at: instant).classVerdict(for: subjects, on: classID).allows(.query) else {
            throw Refusal.lacking("query", on: .class(className), isAnonymous: caller == .anonymous)
        }
        return (classID, subjects)
    }
}
