package import Events
internal import Hashing
internal import Secrets
internal import Synchronization

/// Things that wait for somebody, each found by a secret that only its client has. They are in memory alone, so that a restart
/// forgets them; a bounded number of them, each with an end.
package final class PendingTable<Value: Sendable>: Sendable {
    private struct Row {
        var value: Value
        var ends: Instant
    }

    private let rows = Mutex<[Digest: Row]>([:])
    private let prefix: String
    private let limit: Int

    /// - Parameters:
    ///   - prefix: what the secrets begin with, so that one can be told from another: `munp_`.
    ///   - limit: how many there may be at once.
    package init(prefix: String, limit: Int = 16_384) {
        self.prefix = prefix
        self.limit = limit
    }

    /// Keeps a value until its end.
    ///
    /// - Returns: the secret that it is found by.
    /// - Throws: ``AccountProblem/unavailable(_:)`` where too many wait already. None is pushed out: otherwise whoever begins
    ///   often enough would end what others have begun.
    package func add(_ value: Value, until ends: Instant, at now: Instant) throws(AccountProblem) -> String {
        let secret = prefix + Base64URL.encode(Secrets.randomBytes(32))
        let isTaken = rows.withLock { rows in
            if rows.count >= limit { rows = rows.filter { $0.value.ends > now } }
            guard rows.count < limit else { return false }
            rows[PendingTable.digest(secret)] = Row(value: value, ends: ends)
            return true
        }
        guard isTaken else { throw .unavailable("too many people are signing up or changing something: try again in some minutes") }
        return secret
    }

    /// Changes or takes out the value that a secret finds, in one step.
    ///
    /// - Parameter body: is given the value; nil where there is none, or it is over. Setting it to nil takes it out.
    package func with<R>(_ secret: String, at now: Instant, _ body: (inout Value?) -> R) -> R {
        let key = PendingTable.digest(secret)
        return rows.withLock { rows in
            guard let row = rows[key], row.ends > now else {
                rows[key] = nil
                var none: Value?
                return body(&none)
            }
            var value: Value? = row.value
            defer { rows[key] = value.map { Row(value: $0, ends: row.ends) } }
            return body(&value)
        }
    }

    /// Forgets all values of a kind. Linear in how many wait.
    func drop(where isDropped: (Value) -> Bool) {
        rows.withLock { rows in rows = rows.filter { !isDropped($0.value.value) } }
    }

    /// How many wait, those that are over included.
    var count: Int { rows.withLock { $0.count } }

    private static func digest(_ secret: String) -> Digest { Digest(of: Array(secret.utf8).span) }
}
