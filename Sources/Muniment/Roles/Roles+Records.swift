internal import Events
public import Permissions
internal import Projections

/// The raw records of the permission system, as far as the caller may read them (CONFORMANCE R19).
extension Roles {
    /// The roles that the caller may read, sorted by name.
    ///
    /// - Parameter moment: when; without it, now.
    /// - Throws: `Refusal` with `malformed` for an ill-formed caller. Linear in the number of roles and members.
    public func all(_ moment: Moment = .now) throws -> [RoleRecord] {
        try readable(.role, moment) { snapshot, object in try snapshot.role(object) }
    }

    /// A role by its name; nil where there is none that the caller may read.
    ///
    /// - Parameters:
    ///   - role: its name.
    ///   - moment: when; without it, now.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name. Linear in the number of its members.
    public func find(_ role: Name, _ moment: Moment = .now) throws -> RoleRecord? {
        try store.read(at: moment) { snapshot in
            guard role.kind == .role, try snapshot.check(caller, ["read"], on: role).isAllowed,
                let object = try snapshot.reader.object(role)
            else { return nil }
            return try snapshot.role(object)
        }
    }

    /// The users and things that the caller may read, sorted by name.
    ///
    /// - Parameter moment: when; without it, now.
    /// - Throws: `Refusal` with `malformed` for an ill-formed caller. Linear in the number of users, roles and members.
    public func users(_ moment: Moment = .now) throws -> [UserRecord] {
        var roles: [Name: [Name]] = [:]
        for role in try all(moment) {
            for member in role.members { roles[member, default: []].append(role.name) }
        }
        let names = try [ClassID.thing, .user].flatMap { try readable($0, moment) { try $0.reader.name(of: $1) } }
        return names.map { UserRecord(name: Name($0), roles: roles[Name($0)] ?? []) }
    }

    /// The permissions that the caller may read, sorted by name.
    ///
    /// - Parameter moment: when; without it, now.
    /// - Throws: `Refusal` with `malformed` for an ill-formed caller. Linear in the number of permissions and what they stand on.
    public func permissions(_ moment: Moment = .now) throws -> [PermissionRecord] {
        try readable(.permission, moment) { snapshot, object in
            guard let grant = try snapshot.reader.permission(PermissionID(object)) else { return nil }
            let objects = try snapshot.reader.names(of: snapshot.reader.objects(attachedTo: PermissionID(object))).map { Name($0) }
            return PermissionRecord(
                name: Name(try snapshot.reader.name(of: object)), subject: Name(try snapshot.reader.name(of: grant.subject)),
                privileges: snapshot.names(grant.privileges),
                objects: try objects.filter { try snapshot.check(caller, ["read"], on: $0).isAllowed })
        }
    }

    /// Hands out the objects of a built-in class that the caller may read, sorted by name.
    private func readable<Record>(
        _ classID: ClassID, _ moment: Moment, _ body: (Snapshot, ObjectID) throws -> Record?
    ) throws -> [Record] {
        try store.read(at: moment) { snapshot in
            let reader = snapshot.reader
            let objects = try reader.objects(of: classID).map { ($0, Name(try reader.name(of: $0))) }
            return try objects.sorted { $0.1 < $1.1 }.compactMap { object, name in
                try snapshot.check(caller, ["read"], on: name).isAllowed ? try body(snapshot, object) : nil
            }
        }
    }
}

extension Snapshot {
    fileprivate func role(_ object: ObjectID) throws -> RoleRecord {
        let members = try reader.names(of: reader.members(of: PrincipalID(object)))
        return RoleRecord(name: Name(try reader.name(of: object)), members: members.map { Name($0) })
    }
}
