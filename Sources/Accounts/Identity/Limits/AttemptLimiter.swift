internal import Primitives
internal import Synchronization

/// A subject and the limit that an attempt counts against.
struct Charge: Hashable, Sendable {
    /// The rule that applies.
    enum Kind: Hashable, Sendable, CaseIterable { case identity, source, session, mails, mailSource, beginnings, changes }

    let kind: Kind
    /// The subject: an identity of a provider, a source address, a session, or an account.
    let subject: [UInt8]

    static func identity(_ provider: ProviderID, _ key: IdentityKey) -> Charge {
        Charge(kind: .identity, subject: Array(provider.text.utf8) + [0] + key.bytes)
    }
    static func source(_ source: String) -> Charge { Charge(kind: .source, subject: Array(source.utf8)) }
    static func session(_ session: SessionID) -> Charge { Charge(kind: .session, subject: Array("\(session.number)".utf8)) }
    static func changes(_ account: AccountID) -> Charge { Charge(kind: .changes, subject: Array("\(account.number)".utf8)) }
    static func mails(_ to: EmailAddress) -> Charge { Charge(kind: .mails, subject: Array(to.text.utf8)) }
    static func mailSource(_ source: String) -> Charge { Charge(kind: .mailSource, subject: Array(source.utf8)) }
    static func beginnings(_ source: String) -> Charge { Charge(kind: .beginnings, subject: Array(source.utf8)) }
}

/// Counts attempts and rejects excess ones. It stores a bounded number of subjects.
final class AttemptLimiter: Sendable {
    private let subjects = Mutex<[Charge: TriedSubject]>([:])
    private let limits: AccountLimits
    private let subjectLimit: Int

    /// - Parameters:
    ///   - limits: the rules.
    ///   - subjectLimit: the maximum number of stored subjects.
    init(_ limits: AccountLimits, subjectLimit: Int = 65_536) {
        self.limits = limits
        self.subjectLimit = max(2, subjectLimit)
    }

    /// Counts an attempt against all charges, or rejects it and counts it against none.
    ///
    /// - Throws: ``AccountProblem/tooManyAttempts(retryAfterSeconds:)``.
    func take(_ charges: [Charge], at now: Instant) throws(AccountProblem) {
        let waitSeconds = subjects.withLock { subjects in
            let waitSeconds = charges.map { subjects[$0]?.waitSeconds(rule($0), at: now) ?? 0 }.max() ?? 0
            guard waitSeconds == 0 else { return waitSeconds }
            for charge in charges {
                if subjects[charge] == nil, subjects.count >= subjectLimit { makeRoom(in: &subjects, at: now) }
                subjects[charge, default: TriedSubject(at: now)].count(rule(charge), at: now)
            }
            return 0
        }
        if waitSeconds > 0 { throw .tooManyAttempts(retryAfterSeconds: Int(waitSeconds)) }
    }

    /// Takes back an attempt that was right, or that failed through no fault of the caller.
    func takeBack(_ charges: [Charge], at now: Instant) {
        subjects.withLock { subjects in
            for charge in charges {
                subjects[charge]?.takeBack(rule(charge), at: now)
                if subjects[charge]?.isForgotten(rule(charge), at: now) == true { subjects[charge] = nil }
            }
        }
    }

    /// Removes all attempts of a subject.
    func forgive(_ charge: Charge) { subjects.withLock { $0[charge] = nil } }

    /// The number of stored subjects.
    var subjectCount: Int { subjects.withLock { $0.count } }

    private func rule(_ charge: Charge) -> LimitRule {
        switch charge.kind {
        case .identity: limits.identity
        case .source: limits.source
        case .session: limits.session
        case .mails: limits.mails
        case .mailSource: limits.mailSource
        case .beginnings: limits.beginnings
        case .changes: limits.changes
        }
    }

    /// Removes subjects without current attempts. If all have some, removes the half with the fewest attempts. An attacker who
    /// floods the table with invented subjects thus evicts those, and not a subject under attack.
    private func makeRoom(in subjects: inout [Charge: TriedSubject], at now: Instant) {
        subjects = subjects.filter { !$0.value.isForgotten(rule($0.key), at: now) }
        guard subjects.count >= subjectLimit else { return }
        let kept = subjects.sorted { $0.value.tries > $1.value.tries }.prefix(subjectLimit / 2)
        subjects = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
