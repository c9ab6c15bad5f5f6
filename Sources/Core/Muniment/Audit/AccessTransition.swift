internal import EventLog
public import Events
internal import Hashing
internal import Permissions
internal import Projections

/// One beginning or end of a subject's access to an object, with its cause.
public struct AccessTransition: Hashable, Sendable {
    /// Whether access began.
    public let isGained: Bool
    /// The revision that changed the access. Nil if access expired at a time that the log does not record yet.
    public let revision: Revision?
    public let time: Instant
    /// The name of the caller that changed the access; `store` for the store itself. Empty if the audience may read none of the
    /// events.
    public let actor: String
    /// The origin that the caller gave with the request.
    public let origin: Origin
    /// The events of the commit that the access rests on, after its beginning or before its end, as audit records.
    public let events: [AuditRecord]
}

extension Store {
    /// Returns every beginning and end of a subject's access to an object, with the events that caused it, their actor and their
    /// time.
    ///
    /// - Parameters:
    ///   - subject: a user, a thing, a role, `everyone` or `anonymous`.
    ///   - privileges: the required privileges: all of these at once.
    ///   - object: any object, including a deleted one.
    ///   - from: the first moment.
    ///   - to: the last moment.
    ///   - audience: who reads the result: for events that the audience may not read, the result contains only their time.
    /// - Throws: as ``accessSpans(with:on:from:to:for:)``.
    public func accessTransitions(
        of subject: Name, with privileges: [String], on object: Name, from: Moment = .revision(.genesis), to: Moment = .now,
        for audience: Audience = .unrestricted
    ) throws -> [AccessTransition] {
        if let problem = subject.problem { throw problem }
        return try withWalk(privileges, object, from, to, of: subject, for: audience) { asked in
            let walk = try asked.fromBefore(from)
            guard let caller = try walk.caller(subject) else { return [] }
            let isRole = subject.kind == .role
            var transitions: [AccessTransition] = []
            for span in try walk.spans(of: caller, isRole: isRole) {
                if span.begin > walk.span.lowerBound || asked.span.lowerBound == walk.first && span.begin == walk.first {
                    transitions.append(try walk.transition(at: span.begin, for: caller, isGained: true))
                }
                if let end = span.end {
                    transitions.append(try walk.transition(at: end, for: caller, isGained: false))
                } else if let until = span.until {
                    transitions.append(
                        AccessTransition(
                            isGained: false, revision: nil, time: until, actor: Name.store.text, origin: Origin(), events: []))
                }
            }
            return transitions.joined
        } ?? []
    }
}

extension [AccessTransition] {
    /// These moments without the pairs where access ended and began in the same revision: only the source of the access changed.
    fileprivate var joined: [AccessTransition] {
        var transitions: [AccessTransition] = []
        for transition in self {
            if let last = transitions.last, last.revision != nil, last.revision == transition.revision, !last.isGained,
                transition.isGained
            {
                transitions.removeLast()
            } else {
                transitions.append(transition)
            }
        }
        return transitions
    }
}

extension AccessSpanWalk {
    /// Returns the same walk. If the first moment is that of its revision, the walk begins one revision earlier: a change in that
    /// revision belongs to the span, and needs the state before it for comparison.
    fileprivate func fromBefore(_ from: Moment) throws -> AccessSpanWalk {
        let first = span.lowerBound
        var isAtCommit = true
        if case .time(let instant) = from { isAtCommit = try reader.time(of: first, in: log) == instant }
        guard isAtCommit, first > self.first else { return self }
        return AccessSpanWalk(
            reader: reader, log: log, object: object, wanted: wanted, span: Revision(first.rawValue - 1)...span.upperBound,
            times: times, first: self.first, disclosure: disclosure)
    }

    /// Returns the change at a revision, with those of its events that the access rests on: after the change if access began, before
    /// the change if it ended.
    func transition(at revision: Revision, for caller: PrincipalID, isGained: Bool) throws -> AccessTransition {
        reader.move(to: isGained ? revision : Revision(max(revision.rawValue, 1) - 1))
        let basis = try AccessBasis(of: disclosure.redacted(reader.subjects(of: caller)), with: wanted, on: object, reader)
        var transition: AccessTransition?
        try log.forEachCommit(from: revision, to: revision) { commit, hash in
            reader.move(to: revision)
            let described = DescribedCommit(commit: commit, hash: hash, reader: reader)
            let touching = commit.events.indices.filter { basis.rests(on: commit.events[$0]) }
            let wanted = Set(touching.isEmpty ? Array(commit.events.indices) : touching)
            let (told, origin) = try disclosure.events(of: commit) { index, _ in wanted.contains(index) }
            transition = AccessTransition(
                isGained: isGained, revision: revision, time: reader.state.time(of: revision, recorded: commit.time),
                actor: told.isEmpty ? "" : try described.name(commit.actor), origin: origin,
                events: try told.map {
                    try AuditRecord(
                        commit.events[$0.index], at: $0.index, of: described,
                        hash: disclosure.isUnrestricted ? described.hash : nil, withholding: $0.withheld, origin: origin)
                })
        }
        guard let transition else { throw LogError.missing(revision) }
        return transition
    }
}
