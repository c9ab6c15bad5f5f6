internal import EventLog
internal import Events
internal import Hashing
internal import Permissions
internal import Projections

/// The position of a replica's feed. It reads later changes from the log and the index; the store keeps no other state for it.
///
/// A step is made in phases. A fill sends the objects of one revision. A difference finds the objects that may have changed between
/// two revisions, and compares them. An object is sent only if the user may read it now, too. If a commit has changed this in the
/// meantime, the object is withheld, and another difference follows in the same step.
struct ReplicaSubscriber: Sendable {
    let user: Name
    /// The classes, sorted by name.
    let classes: [NamedClass]
    private let classIDs: [ClassID]
    private let classSet: Set<ClassID>
    /// A digest of the user and the classes, for positions.
    let digest: String
    /// The revision up to which the replica is complete: that of the last fill or difference that has ended.
    private(set) var revision: Revision
    /// The revision of the last step that was sent, or the one that the feed began after. The replica is the same at both.
    private var sent: Revision
    private var phase: Phase
    /// Whether a step was begun and has not ended.
    private var isOpen = false
    /// The privileges on the classes at a revision, and their names.
    private var classState: ClassState?
    /// A commit that the feed handed over. No commit before it affects the user.
    private var handed: Commit?
    /// The user's subjects at the revision that was read last.
    private var subscriber: NamedSubscriber
    /// The subjects to wait for, and the last change of memberships before that. Known only if the store knows the user.
    private var waitingKeys: (membershipRevision: Revision, keys: Set<UInt64>)?

    struct NamedClass: Sendable {
        let name: String
        let id: ClassID
    }

    private struct ClassState: Sendable {
        let revision: Revision
        let privileges: [TimedPrivileges]
        let named: [ReplicaClass]
    }

    /// Indirect, because subscribers are copied for each look, and mostly wait.
    private indirect enum Phase: Sendable {
        case waiting
        case filling(ReplicaFill)
        /// With `isNet`, the replica is complete at the first revision of the candidates, and only differences from it are sent.
        /// Otherwise every candidate is sent, since the replica may lack withheld objects.
        case finding(ReplicaCandidates, isNet: Bool)
        case comparing(ReplicaComparison)
    }

    enum AdvanceResult {
        /// Parts to send; possibly none. If subjects are given, nothing follows up to the head, as for `nothing`.
        case parts([ReplicaPart], affecting: Set<UInt64>? = nil)
        /// An end of access is not recorded yet. The next commit records it.
        case unsettled(head: Revision)
        /// Nothing to send up to the head. Only a commit that affects one of these subjects can change that.
        case nothing(affecting: Set<UInt64>)
    }

    var limits = ReplicaLimits()

    /// Begins after a revision at which the replica is complete, or with a fill.
    init(_ user: Name, _ classes: [NamedClass], digest: String, after revision: Revision, fill: ReplicaFill?) {
        (self.user, self.classes, self.digest, self.revision) = (user, classes, digest, fill?.revision ?? revision)
        classIDs = classes.map(\.id)
        classSet = Set(classIDs)
        subscriber = NamedSubscriber(user)
        sent = self.revision
        phase = fill.map { .filling($0) } ?? .waiting
    }

    var isFilling: Bool { if case .filling = phase { true } else { false } }

    /// Takes what is known of the next commit that may affect the user.
    mutating func take(_ wakening: Wakening) {
        guard case .waiting = phase else { return }
        revision = max(revision, wakening.passed)
        if let commit = wakening.commit, commit.revision > revision { handed = commit }
    }

    /// Advances by a bounded amount of work.
    ///
    /// - Parameters:
    ///   - reader: a view of the index.
    ///   - log: the log.
    ///   - spans: the spans that replicas share.
    ///   - now: the time.
    mutating func look(_ reader: IndexReader, _ log: EventLog, _ spans: ReplicaSpans, now: Instant) throws -> AdvanceResult {
        let head = reader.state.revision
        guard revision <= head else {
            throw StoreError.behindTheLog(why: "it ends at \(head), but revision \(revision) was read before")
        }
        var look = try ReplicaLook(reader, log, subscriber, classIDs, classSet, now: now, limits)
        defer { subscriber = look.subscriber }
        if limits.sharesSteps, let parts = try sharedStep(spans, &look) { return .parts(parts, affecting: try keys(&look)) }
        while look.objectsLeft > 0, look.commitsLeft > 0, !look.isFull {
            switch phase {
            case .waiting:
                guard revision < head else {
                    let keys = try keys(&look)
                    return look.parts.isEmpty ? .nothing(affecting: keys) : .parts(look.parts, affecting: keys)
                }
                var candidates = ReplicaCandidates(for: user, from: revision)
                if let handed = handed.take(), handed.revision <= head {
                    candidates.skip(through: Revision(handed.revision.rawValue - 1))
                    try candidates.begin(handed, classes: look.classIDs, reader)
                }
                phase = .finding(candidates, isNet: true)
            case .filling(let fill):
                guard try advance(fill, &look) else { return look.parts.isEmpty ? .unsettled(head: head) : .parts(look.parts) }
            case .finding(let candidates, let isNet): try advance(candidates, isNet: isNet, &look)
            case .comparing(let comparison):
                guard try advance(comparison, &look) else {
                    return look.parts.isEmpty ? .unsettled(head: head) : .parts(look.parts)
                }
            }
        }
        return .parts(look.parts)
    }

    private mutating func keys(_ look: inout ReplicaLook) throws -> Set<UInt64> {
        let membershipRevision = look.reader.state.membershipRevision
        if let waitingKeys, waitingKeys.membershipRevision == membershipRevision { return waitingKeys.keys }
        let keys = try look.keys()
        if !keys.contains(AffectedSubscribers.unknownSubscribers) { waitingKeys = (membershipRevision, keys) }
        return keys
    }

    /// Makes the step to the head from a shared span. Returns nil if this replica must look for itself.
    private mutating func sharedStep(_ spans: ReplicaSpans, _ look: inout ReplicaLook) throws -> [ReplicaPart]? {
        // The span begins after the commits that are known not to affect the user.
        let from = handed.map { max(revision, Revision($0.revision.rawValue - 1)) } ?? revision
        guard case .waiting = phase, !isOpen, let classState, classState.revision <= from,
            let span = try spans.span(after: from, look.reader, look.log), let found = try look.objects(of: span)
        else { return nil }
        handed = nil
        revision = span.to
        guard !found.isEmpty else { return [] }
        let position = ReplicaPosition(revision: span.to, hash: span.hash, digest: digest)
        defer { sent = span.to }
        return [
            .begin(.changes(after: sent), position: nil), .objects(found),
            .end(ReplicaEnd(revision: span.to, time: look.reader.state.time, position: position, classes: classState.named)),
        ]
    }

    // MARK: Phases

    /// Sends the next objects of a fill. Returns false if nothing can be done before the next commit.
    private mutating func advance(_ fill: ReplicaFill, _ look: inout ReplicaLook) throws -> Bool {
        var fill = fill
        if !isOpen {
            isOpen = true
            look.add(.begin(.fill(fill.reason), position: fill.position(digest: digest)))
        }
        guard fill.classIndex < classes.count else {
            phase = .finding(ReplicaCandidates(for: user, from: fill.revision), isNet: false)
            return true
        }
        let objects = try fill.objects(look.objectsLeft, of: look.classes, for: user, look.reader)
        if objects.isEmpty {
            fill.finishClass()
        } else {
            let page = try look.page(of: objects, at: fill.revision)
            guard let last = page.last else { return false }
            var part = page.part
            fill.advance(after: last)
            part.position = fill.position(digest: digest)
            if !part.isEmpty { look.add(.objects(part)) }
        }
        phase = .filling(fill)
        return true
    }

    private mutating func advance(_ candidates: ReplicaCandidates, isNet: Bool, _ look: inout ReplicaLook) throws {
        var candidates = candidates
        let head = look.head
        if isNet, head.rawValue - candidates.through.rawValue > limits.commitsOfDifference { return refill(look) }
        var commits: [Commit] = []
        if !candidates.isInCommit, candidates.through < head {
            let last = Revision(min(candidates.through.rawValue + look.commitsLeft, head.rawValue))
            try look.log.read {
                try $0.forEachCommit(from: candidates.through.next, to: last) { commit, _ in commits.append(commit) }
            }
        }
        var rest = commits[...]
        while candidates.isInCommit || !rest.isEmpty, look.objectsLeft > 0, candidates.count <= limits.objectsOfDifference {
            if !candidates.isInCommit, let commit = rest.popFirst() {
                try candidates.begin(commit, classes: look.classIDs, look.reader)
                look.commitsLeft -= 1
            }
            if candidates.isInCommit {
                let count = candidates.count
                try candidates.resume(look.objectsLeft, look.reader)
                look.objectsLeft -= max(1, candidates.count - count)
            }
        }
        if candidates.count > limits.objectsOfDifference, isNet || candidates.isInCommit { return refill(look) }
        if candidates.isInCommit || candidates.through < head && candidates.count <= limits.objectsOfDifference {
            phase = .finding(candidates, isNet: isNet)
        } else {
            phase = .comparing(ReplicaComparison(candidates, isNet: isNet, isCut: candidates.through < head))
        }
    }

    /// Compares the next candidates. Returns false if nothing can be done before the next commit.
    private mutating func advance(_ comparison: ReplicaComparison, _ look: inout ReplicaLook) throws -> Bool {
        var comparison = comparison
        if comparison.isAtEnd {
            try finish(comparison, &look)
            return true
        }
        let (part, isUnsettled) = try look.page(of: &comparison)
        if !part.isEmpty {
            begin(&look)
            look.add(.objects(part))
        }
        if comparison.count > limits.objectsOfDifference * 2 {
            refill(look)
        } else {
            phase = .comparing(comparison)
        }
        return !isUnsettled
    }

    private mutating func begin(_ look: inout ReplicaLook) {
        if !isOpen { look.add(.begin(.changes(after: sent), position: nil)) }
        isOpen = true
    }

    /// Ends a difference, and the step if nothing was withheld.
    private mutating func finish(_ comparison: ReplicaComparison, _ look: inout ReplicaLook) throws {
        let end = comparison.to
        guard !comparison.hasWithheld, !comparison.isCut else {
            phase = .finding(ReplicaCandidates(for: user, from: end), isNet: false)
            return
        }
        let before = try isOpen ? nil : classPrivileges(at: revision, &look)
        let after = try classPrivileges(at: end, &look)
        if before.map({ $0.privileges != after.privileges }) ?? true {
            begin(&look)
            look.add(.end(try look.end(at: end, after.named, digest: digest)))
            isOpen = false
            sent = end
        }
        classState = after
        revision = end
        phase = .waiting
    }

    private func classPrivileges(at revision: Revision, _ look: inout ReplicaLook) throws -> ClassState {
        let state = look.reader.state
        if let known = classState, known.revision <= revision, max(state.schemaRevision, state.membershipRevision) <= known.revision
        {
            return known
        }
        let privileges = try look.classPrivileges(at: revision)
        let named = zip(classes, privileges).map { ReplicaClass(name: $0.name, privileges: look.named($1)) }
        return ClassState(revision: revision, privileges: privileges, named: named)
    }

    /// Replaces the step by a fill at the head.
    private mutating func refill(_ look: ReplicaLook) {
        isOpen = false
        phase = .filling(ReplicaFill(at: look.head, look.reader.state.hash, .first))
    }
}
