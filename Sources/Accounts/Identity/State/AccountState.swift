internal import Hashing
internal import Primitives
internal import Secrets

/// All accounts and sessions: the result of folding the identity log. A value type: later changes do not affect a copy.
struct AccountState: Hashable, Sendable {
    var accounts = ShardedTable<AccountID, Account>()
    var principals = ShardedTable<Name, AccountID>()
    var emails = ShardedTable<EmailAddress, AccountID>()
    var identities = ShardedTable<IdentityReference, AccountID>()
    var activeSessions = ShardedTable<SessionID, ActiveSession>()
    var sessionsOfAccounts = ShardedTable<AccountID, [SessionID]>()
    /// The number of the next account. Numbers are not reused.
    var nextAccount = AccountID(1)
    /// The number of the next session. Numbers are not reused.
    var nextSession = SessionID(1)
    /// The time of the last record.
    var time = Instant.distantPast

    /// The unique key of an identity among all providers.
    struct IdentityReference: Hashable, Sendable {
        let provider: ProviderID
        let key: IdentityKey
    }

    // MARK: Reading. Constant time unless stated otherwise.

    var accountCount: Int { accounts.count }
    var sessionCount: Int { activeSessions.count }

    func account(_ id: AccountID) -> Account? { accounts[id] }
    func account(principal: Name) -> Account? { principals[principal].flatMap { accounts[$0] } }
    func account(email: EmailAddress) -> Account? { emails[email].flatMap { accounts[$0] } }
    func accountID(provider: ProviderID, key: IdentityKey) -> AccountID? {
        identities[IdentityReference(provider: provider, key: key)]
    }

    /// Returns accounts in the order they were created. Linear in the account numbers visited, including deleted accounts.
    func accounts(after last: AccountID?, limit: Int) -> [Account] {
        var found: [Account] = []
        var number = (last?.number ?? 0) + 1
        while found.count < limit, number < nextAccount.number {
            if let account = accounts[AccountID(number)] { found.append(account) }
            number += 1
        }
        return found
    }

    func session(_ id: SessionID) -> ActiveSession? { activeSessions[id] }

    /// Returns the sessions of an account in the order they began. Linear in their number.
    func sessions(of account: AccountID) -> [ActiveSession] {
        (sessionsOfAccounts[account] ?? []).compactMap { activeSessions[$0] }
    }

    /// Returns at most `limit` expired sessions. Linear in all sessions.
    func expiredSessions(at now: Instant, limit: Int) -> [SessionID] {
        Array(activeSessions.values.lazy.filter { $0.isExpired(at: now) }.map(\.session.id).prefix(limit))
    }
}

/// A dictionary in 1,024 parts. A copy shares each part until the copy or the original changes it.
///
/// The writer changes a copy while other threads read the original. With one large dictionary the first change would copy all
/// values. Here a change copies one part. A look-up takes as long as in a dictionary.
struct ShardedTable<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable, Sendable {
    private var shards: [[Key: Value]] = Array(repeating: [:], count: 1 << shardBits)
    private(set) var count = 0

    private static var shardBits: Int { 10 }

    subscript(key: Key) -> Value? {
        get { shards[shard(key)][key] }
        set {
            let index = shard(key)
            if let newValue {
                if shards[index].updateValue(newValue, forKey: key) == nil { count += 1 }
            } else if shards[index].removeValue(forKey: key) != nil {
                count -= 1
            }
        }
    }

    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { self[key] = newValue }
    }

    /// All values, in undefined order.
    var values: some Sequence<Value> { shards.lazy.flatMap(\.values) }

    private func shard(_ key: Key) -> Int { key.hashValue & (1 << ShardedTable.shardBits - 1) }
}

/// A session without an end in the log, with the hashes of its client's tokens. The session may have expired.
struct ActiveSession: Hashable, Sendable {
    var session: Session
    /// The hashes of the current tokens.
    var hashes: SessionHashes
    /// The hash of the nonce that the current tokens were requested with; nil for the tokens of a sign-in.
    var nonce: Digest?
    /// The hash of the refresh token that was exchanged for the current tokens. A repeated request with it and the same nonce gets the
    /// same tokens again. Nil for the tokens of a sign-in.
    var previousRefresh: Digest?
    /// The previous access token, which requests in flight may still use; valid until it expires.
    var previousAccess: PreviousAccess?

    struct PreviousAccess: Hashable, Sendable {
        let hash: Digest
        let ends: Instant
    }

    /// Whether the session has expired.
    func isExpired(at now: Instant) -> Bool { now >= min(session.idleEnds, session.ends) }

    /// Whether an access token with this hash is valid now.
    func accepts(access hash: Digest, at now: Instant) -> Bool {
        if isExpired(at: now) { return false }
        if Secrets.areEqual(hash.bytes, hashes.access.bytes) { return now < session.accessEnds }
        guard let previousAccess, Secrets.areEqual(hash.bytes, previousAccess.hash.bytes) else { return false }
        return now < previousAccess.ends
    }
}
