internal import EventLog
public import Events
internal import Permissions
internal import Projections

/// A range of consecutive revisions during which a subject had access.
public struct AccessSpan: Hashable, Sendable {
    /// The revision that granted the access, or the first revision of the query if the access existed before.
    public let begin: Revision
    /// The time of the first revision, or the first moment of the query if the access existed before.
    public let from: Instant
    /// Whether the access existed before the first moment of the query. The log tells when it began.
    public let existedBefore: Bool
    /// The revision that removed the access. Nil if the access lasted to the end of the query, or if it expired at a time that the
    /// log does not record yet.
    public let end: Revision?
    /// The time when access ended. Nil if the access lasted to the end of the query.
    public let until: Instant?
    /// Whether the access came from administering the store.
    public let asAdministrator: Bool
}

/// The spans during which one subject had access to an object.
public struct SubjectAccess: Hashable, Sendable {
    /// A user or a thing, `everyone` for all signed-in callers that are not listed, or `anonymous` for callers that are not signed
    /// in.
    public let subject: String
    /// The spans in order. Two adjacent spans touch only if one is from administering the store and the other is not.
    public let spans: [AccessSpan]
}

extension Store {
    /// Returns every subject that had access to an object at any time of a span, with the spans of revisions. Access through roles,
    /// parents, levels, links and permissions counts, and administrators are included.
    ///
    /// A user or thing that is not listed had access when `everyone` had it, and at no other time. For each listed subject, the
    /// cost is one check per change of the data that the result depends on. It does not grow with the length of the log.
    ///
    /// - Parameters:
    ///   - privileges: the required privileges: all of these at once.
    ///   - object: any object, including a deleted one. The result is empty for an object that never existed.
    ///   - from: the first moment.
    ///   - to: the last moment.
    ///   - audience: who reads the result: a caller learns nothing about an earlier object of the same name.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name or if `to` is before `from`;
    ///   ``StoreError/noSuchRevision(_:head:)``.
    public func accessSpans(
        with privileges: [String], on object: Name, from: Moment = .revision(.genesis), to: Moment = .now,
        for audience: Audience = .unrestricted
    ) throws -> [SubjectAccess] {
        try withWalk(privileges, object, from, to, for: audience) { walk in
            let (anonymous, everyone) = (try walk.spans(of: .anonymous), try walk.spans(of: walk.reader.unlistedUser))
            var found = [SubjectAccess(subject: Name.anonymous.text, spans: anonymous)]
            found.append(SubjectAccess(subject: Name.everyone.text, spans: everyone))
            for caller in try walk.reader.possibleCallers(on: walk.object, during: walk.span) {
                let spans = try walk.spans(of: caller)
                if spans != everyone { found.append(SubjectAccess(subject: try walk.reader.name(of: caller), spans: spans)) }
            }
            return found.filter { !$0.spans.isEmpty || $0.subject.contains(":") }
                .sorted { Name($0.subject) < Name($1.subject) }
        } ?? []
    }

    /// Calls `body` with a walk over the results of a query during a span. Returns nil if the object or a privilege never existed,
    /// or if the audience may not know the object in that span.
    ///
    /// - Parameter subject: the subject of the query; nil for all subjects. A caller may query its own access at any time.
    func withWalk<R>(
        _ privileges: [String], _ object: Name, _ from: Moment, _ to: Moment, of subject: Name? = nil,
        for audience: Audience = .unrestricted, _ body: (AccessSpanWalk) throws -> R
    ) throws -> R? {
        if let problem = object.problem { throw problem }
        return try withReader { reader in
            let first = try turn(reader, to: from)
            let firstRevision = reader.revision
            reader.move(to: reader.state.revision)
            let last = try turn(reader, to: to)
            let lastRevision = reader.revision
            guard firstRevision <= lastRevision, first <= last || firstRevision == .genesis else {
                throw Refusal(
                    .malformed,
                    "the span begins at \(first), after its end at \(last): swap the two, or choose another end (default: now)")
            }
            guard let wanted = reader.privileges(named: privileges), !wanted.isEmpty, let number = try reader.number(of: object)
            else { return nil }
            let disclosure = try Disclosure(to: audience, reader)
            let isOwn = subject.map(disclosure.isOwn) ?? false
            guard let begin = isOwn ? .genesis : try disclosure.firstRevision(of: ObjectID(rawValue: number)), begin <= lastRevision
            else { return nil }
            return try log.read { log in
                try body(
                    AccessSpanWalk(
                        reader: reader, log: log, object: ObjectID(rawValue: number), wanted: wanted,
                        span: max(firstRevision, begin)...lastRevision, times: first...max(first, last), first: begin,
                        disclosure: disclosure))
            }
        }
    }
}
