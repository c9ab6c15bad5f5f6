internal import Events
public import Permissions
internal import Projections

/// The access of one subject to one object at two moments.
public struct AccessDifference: Hashable, Sendable {
    /// The object, or the subject.
    public let name: String
    /// The effective privileges at the earlier moment, sorted.
    public let before: [String]
    /// The effective privileges at the later moment, sorted.
    public let after: [String]

    /// Returns the difference in some privileges; nil if these are the same at both moments.
    ///
    /// - Parameters:
    ///   - privileges: the privileges.
    ///   - needsAll: whether only the gain or loss of all of them together is a difference.
    package func restricted(to privileges: [String], needsAll: Bool) -> AccessDifference? {
        let found = AccessDifference(
            name: name, before: before.filter(privileges.contains), after: after.filter(privileges.contains))
        let hadAll = found.before.count == Set(privileges).count
        let hasAll = found.after.count == Set(privileges).count
        return (needsAll ? hadAll == hasAll : found.before == found.after) ? nil : found
    }
}

extension Store {
    /// Returns the objects with other effective privileges for a subject at two moments, sorted by name: the store, its classes,
    /// roles and permissions, and all objects of classes that are not built in.
    public func difference(for subject: Name, from: Moment, to: Moment) throws -> [AccessDifference] {
        if let problem = subject.problem { throw problem }
        return try compare(from, to) { reader in
            guard let caller = try reader.caller(subject) else { return [] }
            var objects = try reader.possiblyAccessible(for: reader.subjects(of: caller))
            objects.insert(.store)
            for classID in [ClassID.class, .role, .permission] { objects.formUnion(try reader.objects(of: classID)) }
            return objects.map(\.rawValue)
        } access: { reader, rules, object in
            guard let caller = try reader.caller(subject) else { return [] }
            return try rules.verdict(for: reader.subjects(of: caller), on: ObjectID(rawValue: object)).effective
        }
    }

    /// Returns the users and things with other effective privileges on an object at two moments, sorted by name, and `everyone` and
    /// `anonymous` if the access of all callers differs.
    ///
    /// - Parameters:
    ///   - object: the name of the object.
    ///   - from: the earlier moment.
    ///   - to: the later moment.
    ///   - audience: who reads the result: for a caller, the result contains no access to the object before its last creation, and
    ///     other subjects are judged without privileges from administering the store.
    public func difference(
        on object: Name, from: Moment, to: Moment, for audience: Audience = .unrestricted
    ) throws -> [AccessDifference] {
        if let problem = object.problem { throw problem }
        let first = try withReader { reader in
            try reader.number(of: object).flatMap { try Disclosure(to: audience, reader).firstRevision(of: ObjectID(rawValue: $0)) }
        }
        guard let begin = first else { return [] }
        return try compare(from, to) { reader in
            let callers = try reader.objects(of: .user) + reader.objects(of: .thing)
            return callers.map(\.rawValue) + [PrincipalID.everyone.rawValue, PrincipalID.anonymous.rawValue]
        } access: { reader, rules, caller in
            guard begin <= reader.revision, let number = try reader.number(of: object) else { return [] }
            let disclosure = try Disclosure(to: audience, reader)
            let subjects = disclosure.redacted(try reader.subjects(of: PrincipalID(rawValue: caller)))
            return try rules.verdict(for: subjects, on: ObjectID(rawValue: number)).effective
        }
    }

    /// Compares the result of `access` at two moments, for all `candidates` at either moment.
    private func compare(
        _ from: Moment, _ to: Moment, candidates: (IndexReader) throws -> [UInt64],
        access: (IndexReader, AccessRules<IndexReader>, UInt64) throws -> Privileges
    ) throws -> [AccessDifference] {
        try withReader { reader in
            func turn(to moment: Moment) throws -> AccessRules<IndexReader> {
                reader.move(to: reader.state.revision)
                return AccessRules(reader, at: try self.turn(reader, to: moment))
            }
            var numbers: Set<UInt64> = []
            for moment in [from, to] {
                _ = try turn(to: moment)
                numbers.formUnion(try candidates(reader))
            }
            let earlier = try turn(to: from)
            let before = try numbers.map { ($0, try access(reader, earlier, $0)) }
            let later = try turn(to: to)
            let names = reader.state.privilegeNames
            return try before.compactMap { number, before -> AccessDifference? in
                let after = try access(reader, later, number)
                guard before != after else { return nil }
                return AccessDifference(
                    name: try reader.name(of: ObjectID(rawValue: number)), before: names.names(of: before),
                    after: names.names(of: after))
            }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }
}
