internal import Primitives

/// The stored attempts of one subject.
struct TriedSubject: Hashable, Sendable {
    private(set) var tries = 0
    /// When the oldest attempt started to age.
    private var since: Instant
    /// Attempts before this time are rejected.
    private var next: Instant

    init(at now: Instant) {
        since = now
        next = now
    }

    /// Returns the seconds, rounded up, until the next attempt is accepted; 0 for now. Changes nothing.
    func waitSeconds(_ rule: LimitRule, at now: Instant) -> Int64 {
        let left = next.microseconds.subtractingReportingOverflow(now.microseconds)
        // If the clock was set back by more than the longest delay, the rest of the delay is dropped.
        guard !left.overflow, left.partialValue > 0, left.partialValue <= rule.longestDelaySeconds * 1_000_000 else { return 0 }
        return (left.partialValue + 999_999) / 1_000_000
    }

    /// Counts an accepted attempt.
    mutating func count(_ rule: LimitRule, at now: Instant) {
        forget(rule, at: now)
        tries += 1
        next = now.advanced(byMicroseconds: rule.delaySeconds(behind: tries) * 1_000_000)
    }

    /// Takes back a counted attempt.
    mutating func takeBack(_ rule: LimitRule, at now: Instant) {
        tries = max(0, tries - 1)
        next = min(next, now.advanced(byMicroseconds: rule.delaySeconds(behind: tries) * 1_000_000))
    }

    /// Whether no attempt remains.
    func isForgotten(_ rule: LimitRule, at now: Instant) -> Bool {
        var subject = self
        subject.forget(rule, at: now)
        return subject.tries == 0 && waitSeconds(rule, at: now) == 0
    }

    private mutating func forget(_ rule: LimitRule, at now: Instant) {
        let passed = now.microseconds.subtractingReportingOverflow(since.microseconds)
        guard tries > 0, !passed.overflow, passed.partialValue >= 0 else {
            since = now
            return
        }
        let forgotten = passed.partialValue / (rule.forgottenSeconds * 1_000_000)
        guard forgotten > 0 else { return }
        if forgotten >= Int64(tries) {
            tries = 0
            since = now
        } else {
            tries -= Int(forgotten)
            since = since.advanced(byMicroseconds: forgotten * rule.forgottenSeconds * 1_000_000)
        }
    }
}
