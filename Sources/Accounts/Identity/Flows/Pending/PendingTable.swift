internal import Hashing
package import Primitives
internal import Secrets
internal import Synchronization

/// A bounded table of values. The client has the secret of a value, and the table finds the value by a hash of the secret. Values
/// expire. They are in memory only, so a restart removes them.
package final class PendingTable<Value: Sendable>: Sendable {
    private struct Row {
        var value: Value
        var ends: Instant
    }

    private let rows = Mutex<[Digest: Row]>([:])
    private let prefix: String
    private let limit: Int

    /// - Parameters:
    ///   - prefix: the prefix of the secrets, such as `munp_`, which distinguishes their kinds.
    ///   - limit: the maximum number of values.
    package init(prefix: String, limit: Int = 16_384) {
        self.prefix = prefix
        self.limit = limit
    }

    /// Stores a value until it expires.
    ///
    /// - Returns: the secret of the value.
    /// - Throws: ``AccountError/unavailable(_:)`` if the table is full. Only expired values are removed to make room: otherwise an
    ///   attacker could end the attempts of other users.
    package func add(_ value: Value, until ends: Instant, at now: Instant) throws(AccountError) -> String {
        let secret = prefix + Base64URL.encode(Secrets.randomBytes(32))
        let isTaken = rows.withLock { rows in
            if rows.count >= limit { rows = rows.filter { $0.value.ends > now } }
            guard rows.count < limit else { return false }
            rows[PendingTable.digest(secret)] = Row(value: value, ends: ends)
            return true
        }
        guard isTaken else { throw .unavailable("too many users are signing up or changing accounts: try again in a few minutes") }
        return secret
    }

    /// Calls `body` with the value of a secret, atomically. `body` can read, change or remove the value.
    ///
    /// - Parameter body: receives the value; nil if it does not exist or has expired. To remove the value, `body` sets it to nil.
    /// - Returns: the result of `body`.
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

    /// Removes all values that match. Linear in the number of values.
    func drop(where isDropped: (Value) -> Bool) {
        rows.withLock { rows in rows = rows.filter { !isDropped($0.value.value) } }
    }

    /// The number of values, including expired ones.
    var count: Int { rows.withLock { $0.count } }

    private static func digest(_ secret: String) -> Digest { Digest(of: Array(secret.utf8).span) }
}
