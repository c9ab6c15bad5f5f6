internal import Primitives
public import Work

/// The limits and their rules.
public struct AccountLimits: Hashable, Sendable {
    /// Failed sign-ins as one identity, whether or not it exists, from all addresses. A successful sign-in resets the count.
    public var identity = LimitRule(free: 5, firstDelaySeconds: 1, longestDelaySeconds: 900, forgottenSeconds: 3_600)
    /// Failed sign-ins, wrong codes and sign-ups from one address. A success does not count, and does not reset failures.
    public var source = LimitRule(free: 50, firstDelaySeconds: 1, longestDelaySeconds: 60, forgottenSeconds: 10)
    /// Failed reauthentications within one session. Other users cannot exhaust this limit.
    public var session = LimitRule(free: 5, firstDelaySeconds: 1, longestDelaySeconds: 900, forgottenSeconds: 3_600)
    /// Requested mails to one address.
    public var mails = LimitRule(free: 3, firstDelaySeconds: 30, longestDelaySeconds: 3_600, forgottenSeconds: 3_600)
    /// Mails requested from one source address.
    public var mailSource = LimitRule(free: 30, firstDelaySeconds: 1, longestDelaySeconds: 60, forgottenSeconds: 30)
    /// Started provider flows (``IdentityProvider/begin(_:at:)``) from one address.
    public var beginnings = LimitRule(free: 60, firstDelaySeconds: 1, longestDelaySeconds: 60, forgottenSeconds: 2)
    /// Changes of one account's password, email and identities. Each one costs a hash or a mail, which delays other users.
    public var changes = LimitRule(free: 10, firstDelaySeconds: 30, longestDelaySeconds: 3_600, forgottenSeconds: 600)

    public init() {}
}

/// A subject and the limit that an attempt counts against.
struct LimitCharge: Hashable, Sendable {
    let rule: any KeyPath<AccountLimits, LimitRule> & Sendable
    /// The subject: an identity of a provider, a source address, a session, or an account.
    let subject: [UInt8]

    static func identity(_ provider: ProviderID, _ key: IdentityKey) -> LimitCharge {
        LimitCharge(rule: \.identity, subject: Array(provider.text.utf8) + [0] + key.bytes)
    }
    static func source(_ source: String) -> LimitCharge { LimitCharge(rule: \.source, subject: Array(source.utf8)) }
    static func session(_ session: SessionID) -> LimitCharge {
        LimitCharge(rule: \.session, subject: Array("\(session.number)".utf8))
    }
    static func changes(_ account: AccountID) -> LimitCharge {
        LimitCharge(rule: \.changes, subject: Array("\(account.number)".utf8))
    }
    static func mails(_ to: EmailAddress) -> LimitCharge { LimitCharge(rule: \.mails, subject: Array(to.text.utf8)) }
    static func mailSource(_ source: String) -> LimitCharge { LimitCharge(rule: \.mailSource, subject: Array(source.utf8)) }
    static func beginnings(_ source: String) -> LimitCharge { LimitCharge(rule: \.beginnings, subject: Array(source.utf8)) }
}

extension AttemptLimiter<LimitCharge> {
    convenience init(_ limits: AccountLimits, subjectLimit: Int = 65_536) {
        self.init(subjectLimit: subjectLimit) { limits[keyPath: $0.rule] }
    }

    /// Counts an attempt against all charges, or rejects it and counts it against none.
    func charge(_ charges: [LimitCharge], at now: Instant) throws(AccountError) {
        let waitSeconds = take(charges, at: now)
        if waitSeconds > 0 { throw .tooManyAttempts(retryAfterSeconds: waitSeconds) }
    }
}
