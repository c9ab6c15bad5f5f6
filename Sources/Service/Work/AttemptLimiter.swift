package import Primitives
internal import Synchronization

/// Counts attempts and rejects excess ones. It stores a bounded number of subjects.
package final class AttemptLimiter<Subject: Hashable & Sendable>: Sendable {
    private let subjects = Mutex<[Subject: Attempts]>([:])
    private let rule: @Sendable (Subject) -> LimitRule
    private let subjectLimit: Int

    /// The result of an attempt.
    package struct Outcome: Hashable, Sendable {
        package let isAllowed: Bool
        /// The number of attempts that are still possible without a delay.
        package let remaining: Int
        /// Whole seconds, rounded up, at least 1: until all attempts are forgotten, or after a rejection until the next attempt.
        package let seconds: Int

        package init(isAllowed: Bool, remaining: Int, seconds: Int) {
            (self.isAllowed, self.remaining, self.seconds) = (isAllowed, remaining, seconds)
        }
    }

    /// - Parameters:
    ///   - subjectLimit: the maximum number of stored subjects.
    ///   - rule: returns the rule of a subject, always the same.
    package init(subjectLimit: Int = 65_536, rule: @escaping @Sendable (Subject) -> LimitRule) {
        self.rule = rule
        self.subjectLimit = max(2, subjectLimit)
    }

    /// Counts an attempt of a subject, or rejects it.
    package func take(_ subject: Subject, at now: Instant) -> Outcome {
        subjects.withLock { subjects in
            let rule = rule(subject)
            let wait = subjects[subject]?.wait(rule, at: now) ?? 0
            guard wait == 0 else { return Outcome(isAllowed: false, remaining: 0, seconds: Self.seconds(wait)) }
            let attempts = count(subject, in: &subjects, at: now)
            return Outcome(
                isAllowed: true, remaining: max(0, rule.free - attempts.tries),
                seconds: max(1, Self.seconds(attempts.untilForgotten(rule, at: now))))
        }
    }

    /// Counts an attempt against all subjects, or rejects it and counts it against none.
    ///
    /// - Returns: the seconds to wait, rounded up; 0 if the attempt is counted.
    package func take(_ all: [Subject], at now: Instant) -> Int {
        subjects.withLock { subjects in
            let wait = all.map { subjects[$0]?.wait(rule($0), at: now) ?? 0 }.max() ?? 0
            if wait == 0 { for subject in all { _ = count(subject, in: &subjects, at: now) } }
            return Self.seconds(wait)
        }
    }

    /// Returns whether an attempt of a subject would be accepted. Counts nothing.
    package func accepts(_ subject: Subject, at now: Instant) -> Bool {
        subjects.withLock { $0[subject]?.wait(rule(subject), at: now) ?? 0 } == 0
    }

    /// Takes back an attempt that was right, or that failed through no fault of the caller.
    package func takeBack(_ all: [Subject], at now: Instant) {
        subjects.withLock { subjects in
            for subject in all {
                subjects[subject]?.takeBack(rule(subject), at: now)
                if subjects[subject]?.isForgotten(rule(subject), at: now) == true { subjects[subject] = nil }
            }
        }
    }

    /// Removes all attempts of a subject.
    package func reset(_ subject: Subject) { subjects.withLock { $0[subject] = nil } }

    /// The number of stored subjects.
    package var subjectCount: Int { subjects.withLock { $0.count } }

    private func count(_ subject: Subject, in subjects: inout [Subject: Attempts], at now: Instant) -> Attempts {
        if subjects[subject] == nil, subjects.count >= subjectLimit { makeRoom(in: &subjects, at: now) }
        var attempts = subjects[subject] ?? Attempts(at: now)
        attempts.count(rule(subject), at: now)
        subjects[subject] = attempts
        return attempts
    }

    /// Removes subjects without current attempts. If all have some, removes the half with the fewest attempts. An attacker who
    /// floods the table with invented subjects thus evicts those, and not a subject under attack.
    private func makeRoom(in subjects: inout [Subject: Attempts], at now: Instant) {
        subjects = subjects.filter { !$0.value.isForgotten(rule($0.key), at: now) }
        guard subjects.count >= subjectLimit else { return }
        let kept = subjects.sorted { $0.value.tries > $1.value.tries }.prefix(subjectLimit / 2)
        subjects = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    private static func seconds(_ microseconds: Int64) -> Int { Int((microseconds + 999_999) / 1_000_000) }
}
