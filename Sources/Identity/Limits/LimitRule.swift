/// How often something may be tried: a number of times at once, and then after delays that double.
///
/// A try that may go on counts at once, before its outcome is known, so that many sent together are not let through together.
public struct LimitRule: Hashable, Sendable {
    /// How many tries there are without a delay.
    public var free: Int
    /// Seconds until the first try behind those; each one doubles it.
    public var firstDelaySeconds: Int64
    /// Seconds that a delay grows to at most.
    public var longestDelaySeconds: Int64
    /// Seconds after which one try is forgotten, and after as many again the next one.
    public var forgottenSeconds: Int64

    public init(free: Int, firstDelaySeconds: Int64, longestDelaySeconds: Int64, forgottenSeconds: Int64) {
        self.free = max(1, free)
        self.firstDelaySeconds = max(1, firstDelaySeconds)
        self.longestDelaySeconds = max(self.firstDelaySeconds, longestDelaySeconds)
        self.forgottenSeconds = max(1, forgottenSeconds)
    }

    /// Seconds to wait behind so many tries.
    func delaySeconds(behind tries: Int) -> Int64 {
        guard tries >= free else { return 0 }
        // Beyond 32 doublings even one second is longer than any delay that is allowed.
        let doublings = min(tries - free, 32)
        let (delay, overflow) = firstDelaySeconds.multipliedReportingOverflow(by: 1 << Int64(doublings))
        return overflow ? longestDelaySeconds : min(delay, longestDelaySeconds)
    }
}

/// What is limited, and by which rules.
public struct AccountLimits: Hashable, Sendable {
    /// Wrong sign-ins as one identity, whether there is such an account or not, from wherever they come. A right one ends the count.
    public var identity = LimitRule(free: 5, firstDelaySeconds: 1, longestDelaySeconds: 900, forgottenSeconds: 3_600)
    /// Wrong sign-ins, wrong codes and sign-ups from one address. A right one does not count, and forgives no wrong one.
    public var source = LimitRule(free: 50, firstDelaySeconds: 1, longestDelaySeconds: 60, forgottenSeconds: 10)
    /// Wrong reauthentications within one session. Strangers cannot use them up.
    public var session = LimitRule(free: 5, firstDelaySeconds: 1, longestDelaySeconds: 900, forgottenSeconds: 3_600)
    /// Mails to one address that somebody asked for.
    public var mails = LimitRule(free: 3, firstDelaySeconds: 30, longestDelaySeconds: 3_600, forgottenSeconds: 3_600)
    /// Mails that were asked for from one address.
    public var mailSource = LimitRule(free: 30, firstDelaySeconds: 1, longestDelaySeconds: 60, forgottenSeconds: 30)
    /// Beginnings with a provider (``IdentityProvider/begin(_:at:)``) from one address.
    public var beginnings = LimitRule(free: 60, firstDelaySeconds: 1, longestDelaySeconds: 60, forgottenSeconds: 2)
    /// Changes of one account's password, email and ways in: each costs a hash or a mail, which others wait behind.
    public var changes = LimitRule(free: 10, firstDelaySeconds: 30, longestDelaySeconds: 3_600, forgottenSeconds: 600)

    public init() {}
}
