public import Events
public import Permissions

extension Store {
    /// Takes everything from a principal that the store gives it by name, as an administrator: entries on whatever, memberships,
    /// permissions made for it, its place among the administrators. What it owns stays, and its name stays in the history.
    ///
    /// It is one commit, unless there is more to take than ``Events/Limits/changesPerTransaction``, or somebody gives it something
    /// meanwhile. Where there is nothing to take, nothing is written.
    ///
    /// - Parameters:
    ///   - principal: a user or a thing; one that the store never heard of has nothing.
    ///   - origin: what the log is to say about it.
    /// - Throws: `Refusal` (`lastAdministrator`) where nobody else administers the store; nothing is changed then. Otherwise as
    ///   `commit(_:)`.
    public func withdraw(everythingFrom principal: Name, origin: Origin = Origin()) throws {
        // Who gives it something again and again would otherwise hold this up for ever.
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
            .conflict, "`\(principal.excerpt)` is given something again as often as it is taken away: stop whoever does that first")
    }

    private static let withdrawalRounds = 100
}
