internal import EventLog
public import Events
internal import Hashing
public import Permissions
internal import Projections

/// A moment at which somebody's access to an object began or ended, and what made it so.
public struct AccessTurn: Hashable, Sendable {
    /// Whether access began.
    public let isGained: Bool
    /// The revision that made the difference; nil for an end at a time of which the log says nothing yet.
    public let revision: Revision?
    public let time: Instant
    /// Who made the difference, by name; `store` for the store itself. Empty if the audience may know of none of the events.
    public let actor: String
    /// What the caller said of the request.
    public let origin: Origin
    /// The events of the commit that are about what the answer rests on, as records of the audit.
    public let events: [AuditRecord]
}

extension Store {
    /// When and how somebody got in, and out: every moment at which their access to an object began or ended, with the events that made
    /// the difference, who did them, and when.
    ///
    /// - Parameters:
    ///   - subject: a user, a thing, a role, `everyone` or `anonymous`.
    ///   - privileges: what they could do: all of these at once.
    ///   - object: any object, one that was deleted since included.
    ///   - from: the first moment.
    ///   - to: the last moment.
    ///   - audience: who is told: of events that it may not know of there is only when they were.
    /// - Throws: as ``accessSpans(with:on:from:to:for:)``.
    public func accessTurns(
        of subject: Name, with privileges: [String], on object: Name, from: Moment = .revision(.genesis), to: Moment = .now,
        for audience: Audience = .unrestricted
    ) throws -> [AccessTurn] {
        if let problem = subject.problem { throw problem }
        return try withWalk(privileges, object, from, to, of: subject, for: audience) { asked in
            let walk = try asked.fromBefore(from)
            guard let caller = try walk.caller(subject) else { return [] }
            let isRole = subject.kind == .role
            var turns: [AccessTurn] = []
            for span in try walk.spans(of: caller, isRole: isRole) {
                if span.begin > walk.span.lowerBound || asked.span.lowerBound == walk.first && span.begin == walk.first {
                    turns.append(try walk.turn(at: span.begin, for: caller, isRole: isRole, isGained: true))
                }
                if let end = span.end {
                    turns.append(try walk.turn(at: end, for: caller, isRole: isRole, isGained: false))
                } else if let until = span.until {
                    turns.append(
                        AccessTurn(
                            isGained: false, revision: nil, time: until, actor: Name.store.text, origin: Origin(), events: []))
                }
            }
            return turns.joined
        } ?? []
    }
}

extension [AccessTurn] {
    /// These without the pairs where access ended and began in the same revision: it only came from elsewhere.
    fileprivate var joined: [AccessTurn] {
        var turns: [AccessTurn] = []
        for turn in self {
            if let last = turns.last, last.revision != nil, last.revision == turn.revision, !last.isGained, turn.isGained {
                turns.removeLast()
            } else {
                turns.append(turn)
            }
        }
        return turns
    }
}

extension AccessSpanWalk {
    /// The same walk, begun one revision earlier where the first moment is that of its revision: what that revision brought is a
    /// turn of the span, and shows only beside what was before.
    fileprivate func fromBefore(_ from: Moment) throws -> AccessSpanWalk {
        let first = span.lowerBound
        var isAtCommit = true
        if case .time(let instant) = from { isAtCommit = try reader.time(of: first, in: log) == instant }
        guard isAtCommit, first > self.first else { return self }
        return AccessSpanWalk(
            reader: reader, log: log, object: object, wanted: wanted, span: Revision(first.rawValue - 1)...span.upperBound,
            times: times, first: self.first, disclosure: disclosure)
    }

    /// The turn that a revision brought, with the events of it that the answers before and after rest on.
    func turn(at revision: Revision, for caller: PrincipalID, isRole: Bool, isGained: Bool) throws -> AccessTurn {
        var things: Set<UInt64> = [object.rawValue]
        var subjects: Set<PrincipalID> = []
        for looked in [Revision(max(revision.rawValue, 1) - 1), revision] {
            reader.look(at: looked)
            things.formUnion(try reader.access(of: caller, isRole: isRole, wanted, to: object).things)
            subjects.formUnion(try reader.subjects(of: caller).members)
        }
        var turn: AccessTurn?
        try log.forEachCommit(from: revision, to: revision) { commit, hash in
            let described = DescribedCommit(commit: commit, hash: hash.description, reader: reader)
            let touching = commit.events.indices.filter { commit.events[$0].touches(things, subjects) }
            let wanted = Set(touching.isEmpty ? Array(commit.events.indices) : touching)
            let (told, origin) = try disclosure.events(of: commit) { index, _ in wanted.contains(index) }
            turn = AccessTurn(
                isGained: isGained, revision: revision, time: reader.state.time(of: revision, recorded: commit.time),
                actor: told.isEmpty ? "" : try described.name(commit.actor), origin: origin,
                events: try told.map { try AuditRecord(described, $0.index, withholding: $0.withheld, origin: origin) })
        }
        guard let turn else { throw LogError.missing(revision) }
        return turn
    }
}

extension Event {
    /// Whether the event changes something that an answer rests on.
    ///
    /// - Parameters:
    ///   - things: the numbers of what the answer rests on.
    ///   - subjects: whom the caller counts as.
    fileprivate func touches(_ things: Set<UInt64>, _ subjects: Set<PrincipalID>) -> Bool {
        switch self {
        case .accessGranted, .accessRevoked, .accessExpired, .memberAdded, .memberRemoved, .administratorAppointed,
            .administratorDismissed, .permissionDefined, .permissionChanged:
            guard let subject = auditSubject, subjects.contains(subject) else { return false }
            return auditObjects.contains { things.contains($0.rawValue) || subjects.contains(PrincipalID($0)) }
                || [.administratorAppointed, .administratorDismissed].contains(kind)
        case .permissionAttached, .permissionDetached: return auditObjects.allSatisfy { things.contains($0.rawValue) }
        case .principalRegistered, .objectWritten, .ownerChanged, .clockCorrected: return false
        case .storeCreated, .classDefined, .classChanged, .roleCreated, .roleDeleted, .objectCreated, .objectMoved, .objectDeleted:
            return auditObjects.contains { things.contains($0.rawValue) }
        }
    }
}
