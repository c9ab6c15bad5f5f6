internal import Events

/// What is kept in mind of one whose tries are limited.
struct TriedSubject: Hashable, Sendable {
    private(set) var tries = 0
    /// Since when the oldest of the tries has been waiting to be forgotten.
    private var since: Instant
    /// Before this the next try is refused.
    private var next: Instant

    init(at now: Instant) {
        since = now
        next = now
    }

    /// Seconds, rounded up, until the next try is let through; 0 for now. Asking changes nothing.
    func waitSeconds(_ rule: LimitRule, at now: Instant) -> Int64 {
        let left = next.microseconds.subtractingReportingOverflow(now.microseconds)
        // A clock that was set back by more than any delay forgives the rest of it.
        guard !left.overflow, left.partialValue > 0, left.partialValue <= rule.longestDelaySeconds * 1_000_000 else { return 0 }
        return (left.partialValue + 999_999) / 1_000_000
    }

    /// Counts a try that is let through.
    mutating func count(_ rule: LimitRule, at now: Instant) {
        forget(rule, at: now)
        tries += 1
        next = now.advanced(byMicroseconds: rule.delaySeconds(behind: tries) * 1_000_000)
    }

    /// Takes a counted try back.
    mutating func takeBack(_ rule: LimitRule, at now: Instant) {
        tries = max(0, tries - 1)
        next = min(next, now.advanced(byMicroseconds: rule.delaySeconds(behind: tries) * 1_000_000))
    }

    /// Whether there is nothing left to keep in mind.
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
