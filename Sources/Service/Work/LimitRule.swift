package import Primitives

/// A limit on attempts: a number without delay, and then delays that double, or a rate.
///
/// An accepted attempt counts immediately, before its outcome is known, so that concurrent attempts cannot bypass the limit.
public struct LimitRule: Hashable, Sendable {
    /// The number of attempts without a delay.
    public var free: Int
    /// The first delay in seconds; each further attempt doubles it. 0 for a rate: further attempts wait until one is forgotten.
    let firstDelaySeconds: Int64
    /// The longest delay in microseconds.
    let longestDelayMicroseconds: Int64
    /// The time in microseconds after which one attempt is forgotten; the next one is forgotten after the same time again.
    let forgottenMicroseconds: Int64

    /// Creates a limit with delays.
    ///
    /// - Parameters:
    ///   - free: the number of attempts without a delay.
    ///   - firstDelaySeconds: the first delay; each further attempt doubles it.
    ///   - longestDelaySeconds: the longest delay.
    ///   - forgottenSeconds: the time after which one attempt is forgotten.
    public init(free: Int, firstDelaySeconds: Int64, longestDelaySeconds: Int64, forgottenSeconds: Int64) {
        self.free = max(1, free)
        self.firstDelaySeconds = max(1, firstDelaySeconds)
        longestDelayMicroseconds = max(self.firstDelaySeconds, longestDelaySeconds) * 1_000_000
        forgottenMicroseconds = max(1, forgottenSeconds) * 1_000_000
    }

    /// Creates a limit on a rate.
    ///
    /// - Parameters:
    ///   - perSecond: the sustained number of attempts per second.
    ///   - burst: the number of attempts that may come at once.
    package init(perSecond: Int, burst: Int) {
        free = max(1, burst)
        firstDelaySeconds = 0
        forgottenMicroseconds = max(1, 1_000_000 / Int64(max(1, perSecond)))
        longestDelayMicroseconds = forgottenMicroseconds
    }

    /// Returns the delay in microseconds after this number of attempts.
    fileprivate func delay(after tries: Int) -> Int64 {
        guard tries >= free else { return 0 }
        // After 32 doublings even one second exceeds any permitted delay.
        let doublings = min(tries - free, 32)
        let (delay, overflow) = firstDelaySeconds.multipliedReportingOverflow(by: 1_000_000 << Int64(doublings))
        return overflow ? longestDelayMicroseconds : min(delay, longestDelayMicroseconds)
    }
}

/// The stored attempts of one subject.
package struct Attempts: Hashable, Sendable {
    private(set) var tries = 0
    /// When the oldest attempt started to age.
    private var since: Instant
    /// Attempts before this time are rejected.
    private var next: Instant

    package init(at now: Instant) { (since, next) = (now, now) }

    /// Returns the microseconds until the next attempt is accepted; 0 for now. Changes nothing.
    package func wait(_ rule: LimitRule, at now: Instant) -> Int64 {
        let left = next.microseconds.subtractingReportingOverflow(now.microseconds)
        // If the clock was set back by more than the longest delay, the rest of the delay is dropped.
        guard !left.overflow, left.partialValue > 0, left.partialValue <= rule.longestDelayMicroseconds else { return 0 }
        return left.partialValue
    }

    /// Counts an accepted attempt.
    package mutating func count(_ rule: LimitRule, at now: Instant) {
        forget(rule, at: now)
        tries += 1
        let isRateUsed = rule.firstDelaySeconds == 0 && tries >= rule.free
        next =
            isRateUsed
            ? since.advanced(byMicroseconds: rule.forgottenMicroseconds) : now.advanced(byMicroseconds: rule.delay(after: tries))
    }

    /// Takes back a counted attempt.
    mutating func takeBack(_ rule: LimitRule, at now: Instant) {
        tries = max(0, tries - 1)
        next = min(next, now.advanced(byMicroseconds: rule.delay(after: tries)))
    }

    /// Whether no attempt remains.
    func isForgotten(_ rule: LimitRule, at now: Instant) -> Bool { untilForgotten(rule, at: now) == 0 && wait(rule, at: now) == 0 }

    /// Returns the microseconds until all attempts are forgotten.
    func untilForgotten(_ rule: LimitRule, at now: Instant) -> Int64 {
        var rest = self
        rest.forget(rule, at: now)
        return rest.tries == 0 ? 0 : Int64(rest.tries) * rule.forgottenMicroseconds - (now.microseconds - rest.since.microseconds)
    }

    private mutating func forget(_ rule: LimitRule, at now: Instant) {
        let passed = now.microseconds.subtractingReportingOverflow(since.microseconds)
        guard tries > 0, !passed.overflow, passed.partialValue >= 0 else {
            since = now
            return
        }
        let forgotten = passed.partialValue / rule.forgottenMicroseconds
        if forgotten >= Int64(tries) {
            (tries, since) = (0, now)
        } else {
            tries -= Int(forgotten)
            since = since.advanced(byMicroseconds: forgotten * rule.forgottenMicroseconds)
        }
    }
}
