public import Events
public import Muniment
internal import Permissions
internal import Projections

/// The privileges of the caller.
extension Roles {
    /// Returns the effective privileges of the caller at a level, in one call. Use it, for example, to enable an edit button.
    ///
    /// - At the store and class levels: the caller's privileges for everything below, assuming that the object part gives
    ///   everything. For setPermissions, setOwner and modifySchema: the caller's privileges on the store's or the class's own
    ///   object; the class of stores or of classes must give them too.
    /// - On an object: the caller's privileges on it.
    ///
    /// The result is empty if the caller may not read the classes of the permission system: `store`, `class`, `role`, `permission`,
    /// and `user` (for a thing, `thing`). This does not change the caller's privileges (CONFORMANCE R13, R14).
    ///
    /// - Parameters:
    ///   - level: the store, a class or an object; if it does not exist, the result is empty.
    ///   - moment: the moment of the query; now by default.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name. Constant time, except for the depth of parents.
    public func privileges(at level: PermissionLevel, _ moment: Moment = .now) throws -> Privileges {
        try store.read(at: moment) { try $0.ownPrivileges(of: caller, at: level) }
    }
}

extension Snapshot {
    /// Privileges on the object of a level, as opposed to the objects below it.
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
