public import Events
internal import Permissions
internal import Projections

/// What the caller may do.
extension Roles {
    /// The effective privileges of the caller at a level, in one call: for switching an edit button on or off.
    ///
    /// - At the store and class levels: what the caller has there towards what stands below, in an object part that gives
    ///   everything; but setPermissions, setOwner and modifySchema as the caller has them on the store's or the class's own
    ///   object, for which the class of stores or of classes must give them too.
    /// - On an object: what the caller may do to it.
    ///
    /// A caller who may not read the classes of the permission system is told nothing, whatever it may do: `store`, `class`,
    /// `role`, `permission`, and `user` (for a thing, `thing`). What it may do stays as it is (CONFORMANCE R13, R14).
    ///
    /// - Parameters:
    ///   - level: the store, a class or an object; where there is none, the answer is empty.
    ///   - moment: when; without it, now.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name. Constant but for the depth of parents.
    public func privileges(at level: PermissionLevel, _ moment: Moment = .now) throws -> Privileges {
        try store.read(at: moment) { try $0.ownPrivileges(of: caller, at: level) }
    }
}

extension Snapshot {
    /// About the object that a level is, as opposed to what stands below it.
    private static let privilegesOnLevels: Privileges = [.setPermissions, .setOwner, .modifySchema]

    fileprivate func ownPrivileges(of name: Name, at level: PermissionLevel) throws -> Privileges {
        for name in [name, level.name] {
            if let problem = name.problem { throw problem }
        }
        guard let caller = try reader.caller(name), let object = try reader.object(level.name) else { return [] }
        let rules = AccessRules(reader, at: instant)
        let subjects = try reader.subjects(of: caller)
        let metadata: [ClassID] = [.store, .class, .role, .permission, name.className == "thing" ? .thing : .user]
        for classID in metadata {
            guard try rules.classVerdict(for: subjects, on: classID).allows(.read) else { return [] }
        }
        let onObject = try rules.verdict(for: subjects, on: object).effective
        let below: Privileges
        switch level {
        case .object: return onObject
        case .class: below = try rules.classVerdict(for: subjects, on: ClassID(object)).effective
        case .store: below = try rules.storeVerdict(for: subjects).effective
        }
        return below.subtracting(Snapshot.privilegesOnLevels).union(onObject.intersection(Snapshot.privilegesOnLevels))
    }
}
