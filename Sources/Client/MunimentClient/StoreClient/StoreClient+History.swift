public import Primitives

/// The history of a store, and its audit.
extension StoreClient {
    /// Lists the commits about an object, a principal or a role, oldest first.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - point: the end of the history.
    ///   - pageSize: the maximum number of commits on a page, up to 1,000.
    /// - Returns: the commits, each with its events about the name.
    public func history(of name: Name, at point: ReadPoint = .now, pageSize: Int? = nil) -> Listing<RecordedCommit> {
        list(read(path("history"), [("name", .name(name))], point, pageSize), "commits")
    }

    /// Lists the differences in the access of a subject, or to an object, between two moments.
    ///
    /// - Parameters:
    ///   - name: the subject or the object.
    ///   - start: the first moment: a revision or a time.
    ///   - end: the second moment.
    ///   - pageSize: the maximum number of differences on a page, up to 10,000.
    public func differences(
        of name: Name, from start: ReadPoint, to end: ReadPoint = .now, pageSize: Int? = nil
    ) -> Listing<AccessDifference> {
        list(
            read(path("diff"), [("name", .name(name)), ("from", start.moment), ("to", end.moment)], .now, pageSize), "differences",
            firstOnly: ["to"])
    }

    /// Lists the notices of a subscriber, oldest first.
    ///
    /// - Parameters:
    ///   - subscriber: the subscriber; nil for the principal of the token.
    ///   - revision: only notices after this revision.
    ///   - point: the end of the history.
    ///   - pageSize: the number of notices on a page, up to 1,000. A page has whole revisions.
    public func notices(
        for subscriber: Name? = nil, after revision: Revision? = nil, at point: ReadPoint = .now, pageSize: Int? = nil
    ) -> Listing<AccessNotice> {
        let arguments: [(String, JSONValue?)] = [
            ("for", subscriber.map { .name($0) }), ("after", revision.map { .revision($0) }),
        ]
        return list(read(path("notices"), arguments, point, pageSize), "notices", firstOnly: ["at", "after"])
    }

    /// Lists what was done and refused, with caller and time. It needs the right to ask about everyone.
    ///
    /// - Parameters:
    ///   - filter: the records to list; all by default.
    ///   - pageSize: the maximum number of records on a page, up to 1,000.
    public func audit(_ filter: AuditRequest = AuditRequest(), pageSize: Int? = nil) -> Listing<AuditEntry> {
        list(read(path("audit"), filter.arguments, .now, pageSize), "records", firstOnly: [])
    }

    /// Lists the subjects with a privilege on an object during a span, and when each had it.
    ///
    /// - Parameters:
    ///   - privilege: the privilege.
    ///   - object: the object.
    ///   - start: the begin of the span; by default the creation of the store.
    ///   - end: the end of the span.
    ///   - pageSize: the maximum number of subjects on a page, up to 10,000.
    public func accessSpans(
        with privilege: String, on object: Name, from start: ReadPoint? = nil, to end: ReadPoint = .now, pageSize: Int? = nil
    ) -> Listing<SubjectAccessSpans> {
        let arguments: [(String, JSONValue?)] = [
            ("privileges", .string(privilege)), ("object", .name(object)), ("from", start?.moment), ("to", end.moment),
        ]
        return list(read(path("audit", "access"), arguments, .now, pageSize), "access", firstOnly: ["to"])
    }

    /// Returns when and how the access of a subject to an object began and ended.
    ///
    /// - Parameters:
    ///   - subject: the subject.
    ///   - privilege: the privilege.
    ///   - object: the object.
    ///   - start: the begin of the span; by default the creation of the store.
    ///   - end: the end of the span.
    ///   - pageSize: the maximum number of changes on a page, up to 10,000.
    /// - Returns: the changes, oldest first.
    public func accessChanges(
        of subject: Name, with privilege: String, on object: Name, from start: ReadPoint? = nil, to end: ReadPoint = .now,
        pageSize: Int? = nil
    ) -> Listing<AccessChange> {
        let arguments: [(String, JSONValue?)] = [
            ("subject", .name(subject)), ("privileges", .string(privilege)), ("object", .name(object)), ("from", start?.moment),
            ("to", end.moment),
        ]
        return list(read(path("audit", "changes"), arguments, .now, pageSize), "transitions", firstOnly: ["to"])
    }

    /// Returns all access of a subject: its roles, and its privileges on levels, classes and objects.
    ///
    /// - Parameters:
    ///   - subject: the subject.
    ///   - point: the moment of the question.
    public func accessReport(of subject: Name, at point: ReadPoint = .now) async throws(ServiceError) -> SubjectReport {
        let pages = ListingPages<JSONValue>(
            connection: connection, call: read(path("audit", "subject"), [("subject", .name(subject))], point, 10_000), member: "",
            firstOnly: ["at"]
        ) { [$0] }
        var report = JSONObject()
        for try await page in pages {
            guard case .object(let part)? = page.items.first else { continue }
            let earlier = report
            report = part
            for name in ["roles", "classes", "objects"] {
                if case .array(let first)? = earlier[name], case .array(let more)? = part[name] {
                    report[name] = .array(first + more)
                }
            }
        }
        do { return try SubjectReport(wire: .object(report)) } catch {
            throw .unexpectedResponse("the report of `\(subject)` cannot be read (\(error))")
        }
    }

    /// Returns the number of commits in each part of a span. It needs the right to ask about everyone.
    ///
    /// - Parameters:
    ///   - parts: the number of parts, up to 1,000.
    ///   - start: the begin of the span; by default the first commit.
    ///   - end: the end of the span.
    public func activity(
        parts: Int, from start: ReadPoint? = nil, to end: ReadPoint = .now
    ) async throws(ServiceError) -> StoreActivity {
        try await connection.perform(
            Call(.get, path("activity"), [("parts", .integer(Int64(parts))), ("from", start?.moment), ("to", end.moment)]))
    }

    /// Lists the decisions that the service has logged for this store. It needs a token that may administer the store.
    ///
    /// - Parameters:
    ///   - subject: only decisions about this subject.
    ///   - resource: only decisions about this object.
    ///   - isAllowed: only allowed, or only denied decisions.
    ///   - pageSize: the maximum number of decisions on a page, up to 1,000.
    /// - Returns: the decisions, oldest first.
    public func decisions(
        about subject: Name? = nil, on resource: Name? = nil, isAllowed: Bool? = nil, pageSize: Int? = nil
    ) -> Listing<LoggedDecision> {
        let arguments: [(String, JSONValue?)] = [
            ("subject", subject.map { .name($0) }), ("resource", resource.map { .name($0) }),
            ("allowed", isAllowed.map { .bool($0) }),
        ]
        return list(read(path("decisions"), arguments, .now, pageSize), "decisions", firstOnly: [])
    }

    /// Returns the log as a history, in the JSON Lines that `muniment import` reads. It needs the right to ask about everyone.
    ///
    /// - Parameters:
    ///   - first: the first revision; by default the first of the store.
    ///   - last: the last revision; by default the head. An export has at most 16 MiB: export parts of a larger store.
    /// - Returns: the bytes of the history.
    public func export(from first: Revision? = nil, to last: Revision? = nil) async throws(ServiceError) -> [UInt8] {
        var call = Call(
            .get, path("export"), [("from", first.map { .revision($0) }), ("to", last.map { .revision($0) })])
        call.headers["Accept"] = "application/octet-stream"
        return try await connection.send(try call.request, effect: call.effect).body
    }
}

/// Live feeds.
extension StoreClient {
    /// The notices of a subscriber, as they happen: what was shared with it, and taken away from it.
    ///
    /// - Parameters:
    ///   - subscriber: the subscriber; nil for the principal of the token.
    ///   - position: the ``FeedEvent/id`` of the last event, or a revision; `0` for the beginning; nil for new events only.
    public func noticeFeed(for subscriber: Name? = nil, after position: String? = nil) -> Feed<AccessNotice> {
        feed(path("notices"), [("for", subscriber.map { .name($0) })], position)
    }

    /// The commits of the store, as they happen. It needs a token that may administer the store.
    ///
    /// - Parameter position: the ``FeedEvent/id`` of the last event, or a revision; `0` for the beginning; nil for new events only.
    public func commitFeed(after position: String? = nil) -> Feed<RecordedCommit> { feed(path("commits"), [], position) }

    /// The changes of an object's value, as they happen. It ends after an event that says why: see ``ObjectChange/kind``.
    ///
    /// - Parameters:
    ///   - object: the object, which the user must be allowed to read, now and at the position.
    ///   - pointer: a part of the value, as a JSON Pointer such as `/address/city`; empty for the whole value.
    ///   - position: the ``FeedEvent/id`` of the last event, or a revision; nil for new events only.
    public func changeFeed(of object: Name, at pointer: String = "", after position: String? = nil) -> Feed<ObjectChange> {
        var changes: Feed<ObjectChange> = feed(
            path("objects", object.text, "changes"), [("path", .string(pointer)), ("as", asActor)], position)
        changes.isEnd = \.isEnd
        return changes
    }

    /// The changes of the objects that a query finds, as they happen, without their values. It ends after an event that says why: see
    /// ``QueryChange/kind``.
    ///
    /// - Parameters:
    ///   - className: the class, which the user must be allowed to query, now and at the position.
    ///   - condition: the condition; all objects by default.
    ///   - position: the ``FeedEvent/id`` of the last event, or a revision; nil for new events only.
    public func queryChangeFeed(
        _ className: String, where condition: JSONObject? = nil, after position: String? = nil
    ) -> Feed<QueryChange> {
        var changes: Feed<QueryChange> = feed(
            path("query", "changes"),
            [("class", .string(className)), ("where", condition.map { .object($0) }), ("as", asActor)], position)
        changes.isEnd = \.isEnd
        return changes
    }

    private func feed<Value: WireValue>(
        _ path: String, _ arguments: [(String, JSONValue?)], _ position: String?
    ) -> Feed<Value> {
        let call = Call(.get, path, arguments)
        return Feed(connection: connection, request: call.address, after: position) { try Value(wire: $0) }
    }
}

/// The records of an audit to list.
public struct AuditRequest: Hashable, Sendable {
    /// Only actions and attempts of this caller; `store` for the store itself.
    public var actor: Name?
    /// Only records about this object, class, role or principal.
    public var object: Name?
    /// Only records that changed the access of this subject.
    public var subject: Name?
    /// Only these kinds: of events such as `AccessGranted`, of refused commands such as `grant`.
    public var kinds: [String] = []
    /// Only records with this request id.
    public var requestID: String?
    /// The begin of the records; nil for the first.
    public var from: ReadPoint?
    /// The end of the records; nil for the last.
    public var to: ReadPoint?
    /// `done`, `refused` or `any`; nil for the default of the service.
    public var outcome: String?
    public var isNewestFirst = false

    /// Creates a request for all records.
    public init() {}

    var arguments: [(String, JSONValue?)] {
        [
            ("actor", actor.map { .name($0) }), ("object", object.map { .name($0) }), ("subject", subject.map { .name($0) }),
            ("kind", kinds.isEmpty ? nil : .texts(kinds)), ("request", requestID.map { .string($0) }), ("from", from?.moment),
            ("to", to?.moment), ("outcome", outcome.map { .string($0) }), ("order", isNewestFirst ? .string("newest") : nil),
        ]
    }
}
