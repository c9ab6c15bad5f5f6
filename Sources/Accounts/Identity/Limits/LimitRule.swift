/// A limit on attempts: a number without delay, and then delays that double.
///
/// An accepted attempt counts immediately, before its outcome is known, so that concurrent attempts cannot bypass the limit.
public struct LimitRule: Hashable, Sendable {
    /// The number of attempts without a delay.
    public var free: Int
    /// The first delay in seconds; each further attempt doubles it.
    public var firstDelaySeconds: Int64
    /// The maximum delay in seconds.
    public var longestDelaySeconds: Int64
    /// The time in seconds after which one attempt is forgotten; the next one is forgotten after the same time again.
    public var forgottenSeconds: Int64

    public init(free: Int, firstDelaySeconds: Int64, longestDelaySeconds: Int64, forgottenSeconds: Int64) {
        self.free = max(1, free)
        self.firstDelaySeconds = max(1, firstDelaySeconds)
        self.longestDelaySeconds = max(self.firstDelaySeconds, longestDelaySeconds)
        self.forgottenSeconds = max(1, forgottenSeconds)
    }

    /// Returns the delay in seconds after this number of attempts.
    func delaySeconds(behind tries: Int) -> Int64 {
        guard tries >= free else { return 0 }
        // After 32 doublings even one second exceeds any permitted delay.
        let doublings = min(tries - free, 32)
        let (delay, overflow) = firstDelaySeconds.multipliedReportingOverflow(by: 1 << Int64(doublings))
        return overflow ? longestDelaySeconds : min(delay, longestDelaySeconds)
    }
}

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
