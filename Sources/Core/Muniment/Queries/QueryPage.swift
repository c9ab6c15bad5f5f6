public import Events
public import Permissions
internal import Projections

/// A page of the objects that a query finds, in its order.
public struct QueryPage: Hashable, Sendable {
    /// The names of the objects.
    public let objects: [String]
    /// The number of objects examined to find this page, which is its cost. Zero if the previous page had already found them.
    public let examined: Int
    /// The revision of this page and of every following page.
    public let revision: Revision
    /// The cursor of the next page; nil for the last page.
    public let next: QueryCursor?
}

extension Snapshot {
    /// Returns a page of the objects of a class that a caller may read and query, selected by their properties.
    ///
    /// Uses an index of the properties that the class declares. The number of examined objects is at most a small multiple of the
    /// smallest of:
    /// - the objects in the query's order up to the end of the page,
    /// - the objects that match the most selective part of the condition,
    /// - the objects with entries for the caller's subjects, and the objects below them.
    ///
    /// - Parameters:
    ///   - query: the class, the condition, the order and the size of the page.
    ///   - caller: the caller, who must be allowed to query the class. If the caller may query the class but read no object in it,
    ///     the page is empty (CONFORMANCE R16).
    ///   - cursor: the cursor of the previous page, at this revision and instant; nil for the first page.
    /// - Throws: `Refusal`: `unknownClass`; `noPrivilege` or `notAuthenticated` without query on the class; `malformed` for a
    ///   property that the class does not declare, or a cursor of another query or caller; `tooLarge`.
    public func query(_ query: Query, as caller: Name, after cursor: QueryCursor? = nil) throws -> QueryPage {
        guard let (classID, subjects) = try mayRun(query, as: caller) else {
            return QueryPage(objects: [], examined: 0, revision: revision, next: nil)
        }
        let digest = QueryCursor.digest(query, as: caller)
        if let cursor, !cursor.fits(query) || cursor.digest != digest || cursor.revision != revision || cursor.instant != instant {
            throw Refusal(.malformed, "the cursor is from another query, caller or revision: request the first page again")
        }
        let key = QueryMemory.Key(caller: caller, digest: digest, revision: revision, instant: instant)
        let kept = cursor.flatMap { memory.page(after: $0.position, limit: query.limit, for: key) }
        let found = try kept ?? reader.find(query, in: classID, for: subjects, at: instant, after: cursor?.position)
        if let everything = found.everything { memory.keep(everything, for: key) }
        let next = found.next.map { QueryCursor(revision: revision, instant: instant, digest: digest, position: $0) }
        return QueryPage(
            objects: try found.objects.map { try reader.name(of: $0) }, examined: found.examined, revision: revision, next: next)
    }

    /// Returns the class of a well-formed query and the subjects that its caller counts as, like ``mayQuery(_:as:)``.
    func mayRun(_ query: Query, as caller: Name) throws -> (ClassID, SubjectSet)? {
        if let problem = query.problem { throw problem }
        guard let (classID, subjects) = try mayQuery(query.className, as: caller) else { return nil }
        let named = Set((try reader.options(of: classID)?.properties ?? []).map(ExactText.init))
        if let property = query.exactProperties.subtracting(named).min()?.text {
            throw Refusal(
                .malformed,
                "class `\(query.className)` does not name the property `\(Name(property).excerpt)` for queries: add it to its "
                    + "`properties` with changeClass")
        }
        return (classID, subjects)
    }

    /// Returns the class of a query and the subjects that its caller counts as, if the caller may query the class. A role that does
    /// not exist may do what everyone may, and finds nothing: then nil.
    package func mayQuery(_ className: String, as caller: Name) throws -> (ClassID, SubjectSet)? {
        if let problem = caller.problem { throw problem }
        let classID = try requireClass(className)
        let principal = try reader.caller(caller)
        let subjects = try reader.subjects(of: principal ?? .everyone)
        let verdict = try rules.classVerdict(for: subjects, on: classID)
        guard verdict.allows(.query) else {
            throw lacking("query", caller, .class(className), at: verdict.decidingLevel(for: .query))
        }
        return principal == nil ? nil : (classID, subjects)
    }
}

extension Store {
    /// Returns the first page of a query: see ``Snapshot/query(_:as:after:)``.
    ///
    /// - Throws: `Refusal`, and ``StoreError/noSuchRevision(_:head:)``.
    public func query(_ query: Query, as caller: Name, at moment: Moment = .now) throws -> QueryPage {
        try read(at: moment) { try $0.query(query, as: caller) }
    }

    /// Returns the page after a cursor, at the cursor's revision. Later changes have no effect.
    ///
    /// - Throws: `Refusal`, and ``StoreError/noSuchRevision(_:head:)``.
    public func query(_ query: Query, as caller: Name, after cursor: QueryCursor) throws -> QueryPage {
        try read(at: .revision(cursor.revision)) { snapshot in
            try Snapshot(reader: snapshot.reader, instant: cursor.instant, memory: queryMemory, log: log).query(
                query, as: caller, after: cursor)
        }
    }

    /// As ``query(_:as:at:)``, without objects if the audience may not read their value at that moment.
    package func page(of query: Query, as caller: Name, at moment: Moment, for audience: Audience) throws -> QueryPage {
        // An object that is readable now is readable at this moment.
        guard moment != .now else { return try self.query(query, as: caller) }
        return try redacted(query, as: caller, to: audience) { try self.query($0, as: caller, at: moment) }
    }

    /// As ``query(_:as:after:)``, without objects if the audience may not read their value at the cursor's revision.
    package func page(
        of query: Query, as caller: Name, after cursor: QueryCursor, for audience: Audience
    ) throws -> QueryPage {
        try redacted(query, as: caller, to: audience) { try self.query($0, as: caller, after: cursor) }
    }

    /// The number of objects examined together after a page without any disclosed object.
    private static let skippedTogether = 1_000

    /// Returns a page of objects that an audience may know. A cursor contains properties of an object, so it always belongs to a
    /// disclosed object.
    ///
    /// - Parameter page: returns the page, with another limit or with the query's own.
    private func redacted(
        _ query: Query, as caller: Name, to audience: Audience, _ page: (Query) throws -> QueryPage
    ) throws -> QueryPage {
        guard audience != .unrestricted else { return try page(query) }
        var found = try page(query)
        var cursor: QueryCursor?
        func asking(_ limit: Int?) throws -> QueryPage {
            var part = query
            part.limit = limit
            return try cursor.map { try self.query(part, as: caller, after: $0) } ?? page(part)
        }
        while true {
            let readable = try read(at: .revision(found.revision)) { try $0.readable(found.objects, to: audience) }
            let told = query.limit.map { Array(readable.prefix($0)) } ?? readable
            var next = found.next
            if let last = told.last, last != found.objects.last, found.next != nil || told.count < readable.count {
                next = try asking(found.objects.firstIndex(of: last).map { $0 + 1 }).next
            } else if told.isEmpty, let following = found.next {
                cursor = following
                found = try asking(max(query.limit ?? 0, Store.skippedTogether))
                continue
            }
            return QueryPage(objects: told, examined: found.examined, revision: found.revision, next: next)
        }
    }

    /// Returns every page of a query in order, all at the revision of the first.
    public func pages(of query: Query, as caller: Name, at moment: Moment = .now) -> QueryPageSequence {
        QueryPageSequence(store: self, query: query, caller: caller, moment: moment)
    }
}

/// The pages of a query, each read on demand.
public struct QueryPageSequence: AsyncSequence, Sendable {
    let store: Store
    let query: Query
    let caller: Name
    let moment: Moment

    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let pages: QueryPageSequence
        private var last: QueryPage?

        init(pages: QueryPageSequence) { self.pages = pages }

        public mutating func next() async throws -> QueryPage? {
            guard let last else {
                self.last = try pages.store.query(pages.query, as: pages.caller, at: pages.moment)
                return self.last
            }
            guard let cursor = last.next else { return nil }
            self.last = try pages.store.query(pages.query, as: pages.caller, after: cursor)
            return self.last
        }
    }
}
