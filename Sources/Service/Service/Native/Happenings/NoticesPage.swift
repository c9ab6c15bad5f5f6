internal import Credentials
internal import Events
internal import HTTPServer
internal import Muniment
internal import Notices
internal import Permissions
internal import Wire

/// Returns the access that a subject gained and lost, page by page.
enum NoticesPage {
    /// The number of commits to read at once, so that no reader waits for a client.
    fileprivate static let pieceRevisions: UInt64 = 1_024
    static let limit = 1_000

    static let parameters: [ParameterDescription] = [
        .query("for", "the subscriber (default: the principal of the token)", Schema.name),
        .query("subject", "the same as `for`", Schema.name),
        .query("after", "notices after this revision (default: 0)", Schema.revision),
        .query("at", "the end of the history (default: now)", Schema.moment), .atLeast, .limit(limit, default: 100), .cursor,
    ]

    static let schema = Schema.object([
        "subject": Schema.name, "notices": Schema.list(Schema.named("Notice")), "revision": Schema.revision,
        "next": Schema.orNull(Schema.text),
    ])

    /// Responds with a page of whole revisions: the requested number of notices, and the rest of the revision of the last one.
    static func answer(_ call: Call) throws -> HTTPResponse {
        var arguments = try call.arguments()
        let (told, subject) = (try arguments.optionalName("for"), try arguments.optionalName("subject"))
        guard told == nil || subject == nil else {
            throw arguments.wrong("subject", "cannot be used with `for`", "give one of them")
        }
        let (named, point) = (told ?? subject, try arguments.point())
        let after = try arguments.optionalRevision("after")
        let limit = try arguments.count("limit", upTo: Self.limit, default: 100)
        let (cursor, isNow) = (try arguments.optionalPageCursor(), !arguments.has("at"))
        try arguments.finish()
        guard cursor == nil || isNow && after == nil else {
            throw arguments.wrong("cursor", "cannot be used with `at` or `after`", "omit `at` and `after`, or the cursor")
        }
        let subscriber = try call.subscriber(named: named)
        let through = try call.read(at: cursor.map { ReadPoint(moment: .revision($0.through), atLeast: point.atLeast) } ?? point) {
            $0.revision
        }
        let start = cursor?.after ?? after ?? .genesis
        guard start <= through else { throw StoreError.noSuchRevision(start, head: through) }
        let store = try call.store
        guard let lineType = call.lineType else {
            let (notices, end) = try store.notices(for: subscriber, after: start, through: through, atLeast: limit)
            let next = end < through ? PageCursor(through: through, after: end) : nil
            return call.answer(
                [
                    "subject": .name(subscriber), "notices": .array(try notices.map { .object(try store.members(of: $0)) }),
                    "revision": .revision(through), "next": .optional(next?.description),
                ], at: through)
        }
        // The first notices are read before the response begins, so that a timeout gets the usual response.
        let first = try store.notices(for: subscriber, after: start, through: through, atLeast: Self.limit)
        let deadline = call.service.settings.deadlines.limit(of: call.route.name)
        return try call.lines(lineType, at: through, within: deadline) { writer in
            var (notices, end) = first
            while true {
                for notice in notices { try writer.write(try store.members(of: notice)) }
                guard end < through else { return }
                try writer.flush()
                (notices, end) = try store.notices(for: subscriber, after: end, through: through, atLeast: Self.limit)
            }
        }
    }
}

extension Call {
    /// Returns the subscriber of a request for notices, as pages or as a stream.
    func subscriber(named: Name?) throws -> Name {
        if case .act(let principal)? = caller?.right, named == nil { return principal }
        guard let named else {
            throw Problem(.malformed, "the subscriber is missing: with this token, name a user, a thing or a role in `for`")
        }
        try requireAsking(about: named)
        return named
    }
}

extension Store {
    /// Returns the notices after a revision, until the count or the last revision is reached, and the last revision that the list
    /// covers.
    fileprivate func notices(
        for subscriber: Name, after start: Revision, through last: Revision, atLeast wanted: Int
    ) throws -> ([Notice], Revision) {
        var found: [Notice] = []
        var end = start
        while end < last, found.count < wanted {
            let stop = min(Revision(end.rawValue + NoticesPage.pieceRevisions), last)
            let (more, reached) = try notices(
                for: subscriber, after: end, through: stop, stoppingAt: wanted - found.count + 1)
            found += more
            end = reached
        }
        guard found.count > wanted else { return (found, end) }
        // The revision of the last requested notice is included as a whole.
        let final = found[wanted - 1].revision
        return (Array(found.prefix { $0.revision <= final }), final)
    }

    fileprivate func members(of notice: Notice) throws -> JSONObject { notice.json(at: try time(of: notice.revision)) }
}
