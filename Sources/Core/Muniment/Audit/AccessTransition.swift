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
    /// The events of the commit that concern the data the result depends on, as audit records.
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
                    transitions.append(try walk.transition(at: span.begin, for: caller, isRole: isRole, isGained: true))
                }
                if let end = span.end {
                    transitions.append(try walk.transition(at: end, for: caller, isRole: isRole, isGained: false))
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

    /// Returns the change at a revision, with those of its events that the results before and after depend on.
    func transition(at revision: Revision, for caller: PrincipalID, isRole: Bool, isGained: Bool) throws -> AccessTransition {
        var entities: Set<UInt64> = [object.rawValue]
        var subjects: Set<PrincipalID> = []
        for looked in [Revision(max(revision.rawValue, 1) - 1), revision] {
            reader.move(to: looked)
            entities.formUnion(try reader.access(of: caller, isRole: isRole, wanted, to: object).entities)
            subjects.formUnion(try reader.subjects(of: caller).members)
        }
        var transition: AccessTransition?
        try log.forEachCommit(from: revision, to: revision) { commit, hash in
            let described = DescribedCommit(commit: commit, hash: hash, reader: reader)
            let touching = commit.events.indices.filter { commit.events[$0].effect.touches(entities, subjects) }
            let wanted = Set(touching.isEmpty ? Array(commit.events.indices) : touching)
            let (told, origin) = try disclosure.events(of: commit) { index, _ in wanted.contains(index) }
            transition = AccessTransition(
                isGained: isGained, revision: revision, time: reader.state.time(of: revision, recorded: commit.time),
                actor: told.isEmpty ? "" : try described.name(commit.actor), origin: origin,
                events: try told.map {
                    try AuditRecord(
                        commit.events[$0.index], at: $0.index, of: described, withholding: $0.withheld, origin: origin)
                })
        }
        guard let transition else { throw LogError.missing(revision) }
        return transition
    }
}

extension EventEffect {
    /// Returns whether the event changes data that a result depends on.
    ///
    /// - Parameters:
    ///   - entities: the numbers of the entities that the result depends on.
    ///   - subjects: the subjects that the caller counts as.
    fileprivate func touches(_ entities: Set<UInt64>, _ subjects: Set<PrincipalID>) -> Bool {
        switch self {
        case .entry(let subject, _), .membership(let subject, _), .permission(_, let subject),
            .created(_, .permission, _, let subject?):
            subjects.contains(subject) && (entities.contains(object.rawValue) || subjects.contains(PrincipalID(object)))
        case .administrator(let principal): subjects.contains(principal)
        case .attachment(let permission, let object): entities.contains(permission.rawValue) && entities.contains(object.rawValue)
        case .registered, .written, .owner, .clock: false
        case .created, .options, .roleDeleted, .moved, .deleted: entities.contains(object.rawValue)
        }
    }
}
