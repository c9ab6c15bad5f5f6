public import Events
internal import Permissions

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
