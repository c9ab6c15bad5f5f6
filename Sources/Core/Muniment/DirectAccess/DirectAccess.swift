public import Events
public import Permissions
internal import Projections

/// All access that a store gives to one principal by name, permanently or until an expiry. Without it, the principal has only the
/// access of everyone.
public struct DirectAccess: Hashable, Sendable {
    /// An entry on the store, a class, a role or any other object.
    public struct Entry: Hashable, Sendable {
        public let object: Name
        /// Whether a part of it can be removed only by giving the object another owner.
        public let isPermanent: Bool
    }

    /// A permission made for the principal, on one object that it is attached to.
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

    /// Returns the changes that remove all of this access. The widest access is removed first, so that an interrupted withdrawal
    /// leaves as little access as possible.
    ///
    /// - Parameters:
    ///   - principal: the principal with this access.
    ///   - heir: the new owner of objects with a permanent entry for the principal.
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
    /// Returns the access that a principal has by name; empty if the store does not know the principal.
    ///
    /// Linear in the number of entities that name the principal and, for objects that it owns, in the lengths of their access
    /// lists.
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

extension Store {
    /// Removes all access that a principal has by name, as an administrator: its entries, its memberships, permissions made for it,
    /// and its administration of the store. Objects that it owns remain, and its name remains in the history.
    ///
    /// Writes one commit, unless the removal exceeds ``Primitives/Limits/changesPerTransaction`` or another caller gives the principal
    /// access meanwhile. Writes nothing if the principal has no access.
    ///
    /// - Parameters:
    ///   - principal: a user or a thing; one that the store does not know has no access.
    ///   - origin: the origin to record in the log.
    /// - Throws: `Refusal` (`lastAdministrator`) if the principal is the only administrator; nothing is changed then. Otherwise as
    ///   `commit(_:)`.
    public func revokeAllAccess(of principal: Name, origin: Origin = Origin()) throws {
        // Limits the rounds, because another caller could give the principal access repeatedly.
        for _ in 0..<Store.withdrawalRounds {
            let (access, administrators) = try read { (try $0.directAccess(of: principal), try $0.administrators()) }
            if access.isEmpty { return }
            guard let actor = administrators.first(where: { Name($0) != principal }) else {
                throw Refusal(
                    .lastAdministrator, "`\(principal.excerpt)` is the last administrator: appoint another one first")
            }
            let changes = access.withdrawal(from: principal, heir: Name(actor))
            for start in stride(from: 0, to: changes.count, by: Limits.changesPerTransaction) {
                let piece = changes[start..<min(start + Limits.changesPerTransaction, changes.count)]
                try commit(Transaction(Name(actor), Array(piece), origin: origin))
            }
        }
        throw Refusal(
            .conflict, "another caller keeps granting access to `\(principal.excerpt)`: stop that caller first")
    }

    private static let withdrawalRounds = 100
}
