internal import Events
internal import Muniment
internal import Permissions
internal import Projections

/// Lists public and shared objects.
extension Snapshot {
    /// Returns the objects of a class that a signed-in caller without any entries may read and query.
    func publicObjects(class className: String, as caller: Name) throws -> [ObjectID] {
        guard let (classID, _) = try mayQuery(className, as: caller) else { return [] }
        return try reader.objects(for: try reader.subjects(of: .everyone), with: [.read, .query], class: classID, at: instant)
    }

    /// Returns the objects of a class that a caller may read and query, and could read without the entries for everyone.
    func sharedObjects(class className: String, with caller: Name) throws -> [ObjectID] {
        guard let (classID, subjects) = try mayQuery(className, as: caller) else { return [] }
        let own = try subjects.subtracting(reader.subjects(of: .everyone))
        return try reader.objects(for: subjects, deciding: own, with: .read, class: classID, at: instant).filter {
            try rules.verdict(for: subjects, on: $0, wanted: [.read, .query]).allows([.read, .query])
        }
    }

    /// Returns whether a caller may create objects of a class.
    func mayCreate(_ caller: Name, _ className: String) throws -> Bool {
        guard let classID = try reader.classID(className), let principal = try reader.caller(caller) else { return false }
        return try rules.classVerdict(for: try reader.subjects(of: principal), on: classID).allows(.create)
    }
}
