public import Primitives

/// Names, access lists and roles.
extension StoreClient {
    /// Returns the entries of an object: its access list.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - point: the moment of the question.
    /// - Returns: all entries, with the revision of the list. A caller who may not read the list gets an empty one.
    public func entries(of object: Name, at point: ReadPoint = .now) async throws(ServiceError) -> EntryList {
        let listing: Listing<AccessEntry> = list(read(path("objects", object.text, "entries"), [], point, nil), "entries")
        var (entries, revision): ([AccessEntry], Revision) = ([], .genesis)
        for try await page in listing.pages {
            entries += page.items
            revision = page.revision ?? revision
        }
        return EntryList(entries: entries, revision: revision)
    }

    /// Lists the direct members of a role.
    ///
    /// - Parameters:
    ///   - role: the role, such as `role:editors`.
    ///   - point: the moment of the question.
    ///   - pageSize: the maximum number of results on a page, up to 10,000.
    /// - Returns: the names, sorted.
    public func members(of role: Name, at point: ReadPoint = .now, pageSize: Int? = nil) -> Listing<Name> {
        list(read(path("roles", role.text, "members"), [], point, pageSize), "members")
    }

    /// Returns the administrators of the store.
    ///
    /// - Parameter point: the moment of the question.
    /// - Returns: the names, sorted.
    public func administrators(at point: ReadPoint = .now) async throws(ServiceError) -> [Name] {
        try await connection.perform(read(path("administrators"), [], point, nil), member: "administrators")
    }

    /// Lists the names that exist: objects, users, things, roles, permissions and classes. It needs the right to ask about everyone.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of the names.
    ///   - text: a text in the names; ASCII letters in either case.
    ///   - className: only objects of this class, such as `doc`, `user` or `role`.
    ///   - parent: only objects directly in this object.
    ///   - point: the moment of the question.
    ///   - pageSize: the maximum number of results on a page, up to 10,000.
    /// - Returns: the names, sorted.
    public func names(
        prefix: String? = nil, containing text: String? = nil, class className: String? = nil, in parent: Name? = nil,
        at point: ReadPoint = .now, pageSize: Int? = nil
    ) -> Listing<Name> {
        let arguments: [(String, JSONValue?)] = [
            ("prefix", prefix.map { .string($0) }), ("contains", text.map { .string($0) }),
            ("class", className.map { .string($0) }), ("parent", parent.map { .name($0) }),
        ]
        return list(read(path("names"), arguments, point, pageSize), "names")
    }

    /// Describes a name: its class, parent, owner, roles and members. It needs the right to ask about everyone.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - point: the moment of the question.
    /// - Throws: ``ServiceError``, with ``ProblemKind/notFound`` if the name does not exist.
    public func report(of name: Name, at point: ReadPoint = .now) async throws(ServiceError) -> NameReport {
        try await connection.perform(read(path("names", name.text), [], point, nil))
    }

    /// Returns the entries with an end (`expiresAt`), the next one to end first. It needs the right to ask about everyone.
    ///
    /// - Parameter limit: the maximum number of results, up to 1,000.
    public func upcomingEnds(limit: Int? = nil) async throws(ServiceError) -> [UpcomingEnd] {
        try await connection.perform(read(path("ends"), [], .now, limit), member: "ends")
    }

    /// Returns what the caller's token allows in this store.
    public func callerRights() async throws(ServiceError) -> CallerRights {
        try await connection.perform(Call(.get, path("caller")))
    }

    /// Returns the contents and the size of the store. It needs the right to ask about everyone.
    public func statistics() async throws(ServiceError) -> StoreStatistics { try await connection.perform(Call(.get, path())) }

    /// Checks the log of the store: its hash chain, every event, every refusal. It needs the right to ask about everyone.
    public func verify() async throws(ServiceError) -> LogVerification { try await connection.perform(Call(.get, path("verify"))) }

    /// Returns a GET request of a list.
    func read(_ path: String, _ arguments: [(String, JSONValue?)], _ point: ReadPoint, _ limit: Int?) -> Call {
        Call(.get, path, arguments + point.arguments + [("limit", limit.map { .integer(Int64($0)) })])
    }
}

extension ServiceConnection {
    /// Returns the names of the stores that the caller's token can access.
    ///
    /// - Returns: the names, sorted.
    public func stores() async throws(ServiceError) -> [String] {
        try await perform(Call(.get, "/v1/stores"), member: "stores")
    }

    /// Creates a store. It needs a token that may administer all stores. The request is not repeated if its response is lost.
    ///
    /// - Parameters:
    ///   - name: up to 63 lowercase letters, digits, `-` and `_`, with a letter or digit first.
    ///   - preset: `open` or `locked`, the default of the service.
    ///   - administrator: the administrator; `user:root` by default.
    /// - Throws: ``ServiceError``, with ``ProblemKind/conflict`` if the store exists.
    public func createStore(
        _ name: String, preset: String? = nil, administrator: Name? = nil
    ) async throws(ServiceError) {
        let arguments: [(String, JSONValue?)] = [
            ("store", .string(name)), ("preset", preset.map { .string($0) }), ("administrator", administrator.map { .name($0) }),
        ]
        var call = Call(.post, "/v1/stores", arguments)
        call.effect = .change
        let _: JSONObject = try await perform(call)
    }
}
