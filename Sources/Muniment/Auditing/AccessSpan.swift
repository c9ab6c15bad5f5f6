internal import EventLog
public import Events
public import Permissions
internal import Projections

/// Revisions, one behind another, for all of which somebody had access.
public struct AccessSpan: Hashable, Sendable {
    /// The revision that gave it, or the first one asked about where it was there before.
    public let begin: Revision
    /// When that was.
    public let from: Instant
    /// The revision that took it away; nil where it was there to the last moment asked about, or where it had ended at a time of
    /// which the log says nothing yet.
    public let end: Revision?
    /// When that was; nil where it was there to the last moment asked about.
    public let until: Instant?
    /// Whether it came from administering the store.
    public let asAdministrator: Bool
}

/// When somebody had access to an object.
public struct SubjectAccess: Hashable, Sendable {
    /// A user or a thing; `everyone` for all signed-in callers that are not listed, `anonymous` for those that are not signed in.
    public let subject: String
    /// In order; never two that touch but for whether they come from administering.
    public let spans: [AccessSpan]
}

extension Store {
    /// Who could do something to an object at any time of a span: everybody who could, with the spans of revisions during which
    /// that was so, through whatever roles, parents, levels, links and permissions; administrators included.
    ///
    /// A user or thing that is not listed could do it when `everyone` could, and at no other time. Costs a check for every change of
    /// what the answer rests on, for each of those who are named there, however long the log is.
    ///
    /// - Parameters:
    ///   - privileges: what they could do: all of these at once.
    ///   - object: any object, one that was deleted since included. One that never was has an empty answer.
    ///   - from: the first moment.
    ///   - to: the last moment.
    ///   - audience: who is told: a caller learns nothing of an earlier object of the name.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name or a span that runs backwards;
    ///   ``StoreError/noSuchRevision(_:head:)``.
    public func accessSpans(
        with privileges: [String], on object: Name, from: Moment = .revision(.genesis), to: Moment = .now,
        for audience: Audience = .unrestricted
    ) throws -> [SubjectAccess] {
        try withWalk(privileges, object, from, to, for: audience) { walk in
            let (anonymous, everyone) = (try walk.spans(of: .anonymous), try walk.spans(of: walk.reader.stranger))
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

    /// When somebody could do something to an object: the spans of revisions during which that was so.
    ///
    /// - Parameters:
    ///   - subject: a user, a thing, a role, `everyone` or `anonymous`.
    ///   - privileges: what they could do: all of these at once.
    ///   - object: any object, one that was deleted since included.
    ///   - from: the first moment.
    ///   - to: the last moment.
    /// - Throws: as ``accessSpans(with:on:from:to:for:)``.
    public func accessSpans(
        of subject: Name, with privileges: [String], on object: Name, from: Moment = .revision(.genesis), to: Moment = .now
    ) throws -> [AccessSpan] {
        if let problem = subject.problem { throw problem }
        return try withWalk(privileges, object, from, to) { walk in
            guard let caller = try walk.caller(subject) else { return [] }
            return try walk.spans(of: caller, isRole: subject.kind == .role)
        } ?? []
    }

    /// Walks the answer to a question over a span; nil where the object or a privilege was never heard of, or the audience may not
    /// know of the object in that span.
    ///
    /// - Parameter subject: whom the question is about; nil for everyone. Of itself a caller is told at any time.
    func withWalk<R>(
        _ privileges: [String], _ object: Name, _ from: Moment, _ to: Moment, of subject: Name? = nil,
        for audience: Audience = .unrestricted, _ body: (AccessSpanWalk) throws -> R
    ) throws -> R? {
        if let problem = object.problem { throw problem }
        return try withReader { reader in
            let first = try turn(reader, to: from)
            let firstRevision = reader.revision
            reader.look(at: reader.state.revision)
            let last = try turn(reader, to: to)
            let lastRevision = reader.revision
            guard firstRevision <= lastRevision, first <= last || firstRevision == .genesis else {
                throw Refusal(.malformed, "the span is to end before it begins: swap the two moments")
            }
            var wanted: Privileges = []
            for name in privileges {
                guard let privilege = reader.privilege(name) else { return nil }
                wanted.formUnion(privilege)
            }
            guard let number = try reader.number(of: object), !wanted.isEmpty else { return nil }
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
