internal import Events
public import Permissions
internal import Projections

/// Everything that a store gives to one principal by name, for good or until a time: what it would lose if it were forgotten, apart
/// from what everyone has.
public struct DirectAccess: Hashable, Sendable {
    /// An entry on something: the store, a class, a role or any other object.
    public struct Entry: Hashable, Sendable {
        public let object: Name
        /// Whether some of it cannot be taken away unless the object gets another owner.
        public let isPermanent: Bool
    }

    /// A permission made for the principal, on something that it is attached to.
    public struct Attachment: Hashable, Sendable {
        public let permission: Name
        public let object: Name
    }

    public internal(set) var isAdministrator = false
    /// The roles that it is a direct member of.
    public internal(set) var roles: [Name] = []
    public internal(set) var entries: [Entry] = []
    public internal(set) var attachments: [Attachment] = []

    public var isEmpty: Bool { !isAdministrator && roles.isEmpty && entries.isEmpty && attachments.isEmpty }

    /// What takes all of it away: the widest first, so that whatever is done in pieces leaves the least behind.
    ///
    /// - Parameters:
    ///   - principal: whose it is.
    ///   - heir: who owns what the principal's entry is permanent on from then on.
    public func withdrawal(from principal: Name, heir: Name) -> [Change] {
        var changes: [Change] = isAdministrator ? [.dismissAdministrator(principal)] : []
        changes += roles.map { .removeMember(principal, from: $0) }
        for entry in entries {
            if entry.isPermanent { changes.append(.setOwner(entry.object, owner: heir)) }
            changes.append(.revoke(principal, on: entry.object))
        }
        return changes + attachments.map { .detachPermission($0.permission, from: $0.object) }
    }
}

extension Snapshot {
    /// What is given to a principal by name; nothing for one that the store never heard of.
    ///
    /// Linear in the number of things that it is named on and, for those that it owns, in the lengths of their access lists.
    ///
    /// - Throws: `Refusal` (`malformed`) for an ill-formed name.
    public func directAccess(of principal: Name) throws -> DirectAccess {
        try checkForm(principal)
        guard principal.kind == .caller, let found = try reader.object(principal).map({ PrincipalID($0) }) else {
            return DirectAccess()
        }
        var access = DirectAccess()
        access.isAdministrator = try reader.administratorsNow().contains(found)
        access.roles = try reader.names(of: reader.directRoles(of: found)).map { Name($0) }
        for object in try reader.objectsNamingDirectly(found) {
            var isPermanent = false
            if try reader.owner(of: object) == found {
                isPermanent = try reader.entries(on: object, at: .distantPast).contains { $0.subject == found && $0.isPermanent }
            }
            access.entries.append(DirectAccess.Entry(object: Name(try reader.name(of: object)), isPermanent: isPermanent))
        }
        for permission in try reader.permissions(for: found) {
            let name = Name(try reader.name(of: permission))
            access.attachments += try reader.names(of: reader.objects(attachedTo: permission)).map {
                DirectAccess.Attachment(permission: name, object: Name($0))
            }
        }
        return access
    }
}
