internal import Events
internal import Synchronization

/// What a try counts against.
struct Charge: Hashable, Sendable {
    /// Which rule holds for it.
    enum Kind: Hashable, Sendable, CaseIterable { case identity, source, session, mails, mailSource, beginnings, changes }

    let kind: Kind
    /// Whom it counts against: an identity of a provider, the address that a request came from, a session, an account.
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

/// Counts tries, and lets through those that are not too many. A bounded number of subjects is kept in mind.
final class AttemptLimiter: Sendable {
    private let subjects = Mutex<[Charge: TriedSubject]>([:])
    private let limits: AccountLimits
    private let subjectLimit: Int

    /// - Parameters:
    ///   - limits: the rules.
    ///   - subjectLimit: how many subjects are kept in mind at most.
    init(_ limits: AccountLimits, subjectLimit: Int = 65_536) {
        self.limits = limits
        self.subjectLimit = max(2, subjectLimit)
    }

    /// Counts a try against all of these, or refuses it and counts it against none.
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

    /// Takes a try back that was right, or that came to nothing through no fault of who tried.
    func takeBack(_ charges: [Charge], at now: Instant) {
        subjects.withLock { subjects in
            for charge in charges {
                subjects[charge]?.takeBack(rule(charge), at: now)
                if subjects[charge]?.isForgotten(rule(charge), at: now) == true { subjects[charge] = nil }
            }
        }
    }

    /// Forgets all tries that counted against a subject.
    func forgive(_ charge: Charge) { subjects.withLock { $0[charge] = nil } }

    /// How many subjects are kept in mind.
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

    /// Forgets what time has forgiven; where that is nothing, those with the fewest tries, half of all. So whoever floods the table
    /// with made-up subjects pushes out its own, and not one that is under attack.
    private func makeRoom(in subjects: inout [Charge: TriedSubject], at now: Instant) {
        subjects = subjects.filter { !$0.value.isForgotten(rule($0.key), at: now) }
        guard subjects.count >= subjectLimit else { return }
        let kept = subjects.sorted { $0.value.tries > $1.value.tries }.prefix(subjectLimit / 2)
        subjects = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
