internal import Events
public import Muniment
public import Permissions
internal import Projections

/// The roles, users and permissions that the caller may read (CONFORMANCE R19).
extension Roles {
    /// Returns the roles that the caller may read, sorted by name.
    ///
    /// - Parameter moment: the moment of the query; now by default.
    /// - Throws: `Refusal` with `malformed` for an ill-formed caller. Linear in the number of roles and members.
    public func all(_ moment: Moment = .now) throws -> [RoleRecord] {
        try store.read(at: moment, roles)
    }

    /// Returns a role by its name; nil if it does not exist or the caller may not read it.
    ///
    /// - Parameters:
    ///   - role: its name.
    ///   - moment: the moment of the query; now by default.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name. Linear in the number of its members.
    public func find(_ role: Name, _ moment: Moment = .now) throws -> RoleRecord? {
        try store.read(at: moment) { snapshot in
            guard role.kind == .role, try mayRead(role, snapshot), let object = try snapshot.reader.object(role) else { return nil }
            return try snapshot.role(object)
        }
    }

    /// Returns the users and things that the caller may read, sorted by name.
    ///
    /// - Parameter moment: the moment of the query; now by default.
    /// - Throws: `Refusal` with `malformed` for an ill-formed caller. Linear in the number of users, roles and members.
    public func users(_ moment: Moment = .now) throws -> [UserRecord] {
        try store.read(at: moment) { snapshot in
            var memberships: [Name: [Name]] = [:]
            for role in try roles(snapshot) {
                for member in role.members { memberships[member, default: []].append(role.name) }
            }
            let callers = try readable(.thing, snapshot) + readable(.user, snapshot)
            return callers.map { UserRecord(name: $0.name, roles: memberships[$0.name] ?? []) }
        }
    }

    /// Returns the permissions that the caller may read, sorted by name.
    ///
    /// - Parameter moment: the moment of the query; now by default.
    /// - Throws: `Refusal` with `malformed` for an ill-formed caller. Linear in the number of permissions and the objects they are
    ///   attached to.
    public func permissions(_ moment: Moment = .now) throws -> [PermissionRecord] {
        try store.read(at: moment) { snapshot in
            try readable(.permission, snapshot).compactMap { object, name in
                let reader = snapshot.reader
                guard let grant = try reader.permission(PermissionID(object)) else { return nil }
                let objects = try reader.names(of: reader.objects(attachedTo: PermissionID(object))).map { Name($0) }
                return PermissionRecord(
                    name: name, subject: Name(try reader.name(of: grant.subject)), privileges: snapshot.names(grant.privileges),
                    objects: try objects.filter { try mayRead($0, snapshot) })
            }
        }
    }

    private func roles(_ snapshot: Snapshot) throws -> [RoleRecord] {
        try readable(.role, snapshot).map { try snapshot.role($0.object) }
    }

    /// Returns the objects of a built-in class that the caller may read, sorted by name.
    private func readable(_ classID: ClassID, _ snapshot: Snapshot) throws -> [(object: ObjectID, name: Name)] {
        let objects = try snapshot.reader.objects(of: classID).map { (object: $0, name: Name(try snapshot.reader.name(of: $0))) }
        return try objects.filter { try mayRead($0.name, snapshot) }.sorted { $0.name < $1.name }
    }

    private func mayRead(_ object: Name, _ snapshot: Snapshot) throws -> Bool {
        try snapshot.check(caller, ["read"], on: object).isAllowed
    }
}

extension Snapshot {
    fileprivate func role(_ object: ObjectID) throws -> RoleRecord {
        let members = try reader.names(of: reader.members(of: PrincipalID(object)))
        return RoleRecord(name: Name(try reader.name(of: object)), members: members.map { Name($0) })
    }
}
