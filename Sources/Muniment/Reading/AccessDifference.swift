internal import Events
public import Permissions
internal import Projections

/// What somebody's access was and what it became.
public struct AccessDifference: Hashable, Sendable {
    /// The object, or the subject.
    public let name: String
    /// The effective privileges at the earlier moment, sorted.
    public let before: [String]
    /// The effective privileges at the later moment, sorted.
    public let after: [String]
}

extension Store {
    /// The objects on which a subject's effective privileges differ between two moments, sorted by name.
    public func difference(for subject: Name, from: Moment, to: Moment) throws -> [AccessDifference] {
        if let problem = subject.problem { throw problem }
        return try compare(from, to) { reader, instant in
            guard let caller = try reader.caller(subject) else { return [:] }
            let subjects = try reader.subjects(of: caller)
            let rules = AccessRules(reader, at: instant)
            var access: [UInt64: Privileges] = [:]
            for object in try reader.possiblyAccessible(for: subjects) {
                access[object.rawValue] = try rules.verdict(for: subjects, on: object).effective
            }
            return access
        }
    }

    /// The users and things whose effective privileges on an object differ between two moments, sorted by name.
    public func difference(on object: Name, from: Moment, to: Moment) throws -> [AccessDifference] {
        if let problem = object.problem { throw problem }
        return try compare(from, to) { reader, instant in
            guard let number = try reader.number(of: object) else { return [:] }
            let rules = AccessRules(reader, at: instant)
            var access: [UInt64: Privileges] = [:]
            for classID in [ClassID.user, .thing] {
                for caller in try reader.objects(of: classID) {
                    let subjects = try reader.subjects(of: PrincipalID(caller))
                    access[caller.rawValue] = try rules.verdict(for: subjects, on: ObjectID(rawValue: number)).effective
                }
            }
            return access
        }
    }

    private func compare(
        _ from: Moment, _ to: Moment, _ access: (IndexReader, Instant) throws -> [UInt64: Privileges]
    ) throws -> [AccessDifference] {
        try withReader { reader in
            let before = try access(reader, try turn(reader, to: from))
            reader.look(at: reader.state.revision)
            let after = try access(reader, try turn(reader, to: to))
            let names = reader.state.privilegeNames
            return try Set(before.keys).union(after.keys)
                .filter { before[$0] ?? [] != after[$0] ?? [] }
                .map { number in
                    AccessDifference(
                        name: try reader.name(of: ObjectID(rawValue: number)), before: names.names(of: before[number] ?? []),
                        after: names.names(of: after[number] ?? []))
                }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }
}
