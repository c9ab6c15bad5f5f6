public import Events
internal import Permissions
internal import Projections

/// All access of a subject at one moment.
public struct AccessReport: Hashable, Sendable {
    /// A role that the subject is a member of, directly or through other roles.
    public struct Role: Hashable, Sendable {
        public let role: String
        /// The intermediate roles, starting with the one that the subject or `everyone` is a direct member of. Empty for a direct
        /// member.
        public let through: [String]
        /// Whether `everyone` is a member of the role, and the subject only as part of `everyone`.
        public let isThroughEveryone: Bool
    }

    /// The privileges of a subject on one object or class.
    public struct Holding: Hashable, Sendable {
        public let name: String
        /// Sorted, never empty.
        public let privileges: [String]
    }

    public let subject: String
    public let revision: Revision
    public let instant: Instant
    /// Whether the store had an entry for the subject.
    public let isKnown: Bool
    public let isAdministrator: Bool
    /// The roles that the subject was a member of, sorted by name.
    public let roles: [Role]
    /// The privileges from the store level.
    public let store: [String]
    /// The privileges from class levels, sorted by class.
    public let classes: [Holding]
    /// The privileges on objects of classes that are not built in, sorted by object.
    public let objects: [Holding]
}

extension Snapshot {
    /// Returns all access of a subject at this moment: roles, levels and objects.
    ///
    /// Linear in the objects that the subject may have access to.
    ///
    /// - Parameter subject: a user, a thing, a role, `everyone` or `anonymous`.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name.
    public func accessReport(of subject: Name) throws -> AccessReport {
        if let problem = subject.problem { throw problem }
        guard let caller = try reader.caller(subject) else {
            return AccessReport(
                subject: subject.text, revision: revision, instant: instant, isKnown: false, isAdministrator: false, roles: [],
                store: [],
                classes: [], objects: [])
        }
        let subjects = try reader.subjects(of: caller)
        let classes = try reader.objects(of: .class).map { ClassID($0) }
        return AccessReport(
            subject: subject.text, revision: revision, instant: instant, isKnown: try exists(subject) || subject.kind != .caller,
            isAdministrator: subjects.isAdministrator, roles: try roles(of: caller),
            store: names(try rules.storeVerdict(for: subjects).effective),
            classes: try holdings(classes) { try rules.classVerdict(for: subjects, on: $0).effective },
            objects: try holdings(definedObjects(for: subjects)) { try rules.verdict(for: subjects, on: $0).effective })
    }

    private func definedObjects(for subjects: SubjectSet) throws -> [ObjectID] {
        try reader.possiblyAccessible(for: subjects).filter { try reader.place(of: $0).map { !$0.classID.isBuiltIn } ?? false }
    }

    private func holdings<ID: EntityID>(
        _ ids: some Sequence<ID>, _ privileges: (ID) throws -> Privileges
    ) throws -> [AccessReport.Holding] {
        try ids.compactMap { id in
            let held = names(try privileges(id))
            return held.isEmpty ? nil : AccessReport.Holding(name: try reader.name(of: id), privileges: held)
        }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns every role that the caller is a member of, each by a shortest path.
    private func roles(of caller: PrincipalID) throws -> [AccessReport.Role] {
        var found: [AccessReport.Role] = []
        var seen: Set<PrincipalID> = [caller]
        var pending: [(PrincipalID, through: [String], isThroughEveryone: Bool)] = [(caller, [], false)]
        if caller != .anonymous, caller != .everyone { pending.append((.everyone, [], true)) }
        while !pending.isEmpty {
            let (member, through, isThroughEveryone) = pending.removeFirst()
            for role in try reader.directRoles(of: member) where seen.insert(role).inserted {
                let name = try reader.name(of: role)
                found.append(AccessReport.Role(role: name, through: through, isThroughEveryone: isThroughEveryone))
                pending.append((role, through + [name], isThroughEveryone))
            }
        }
        return found.sorted { $0.role.utf8.lexicographicallyPrecedes($1.role.utf8) }
    }
}
