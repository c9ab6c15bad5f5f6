public import Primitives

/// Changes of a store.
extension StoreClient {
    /// Makes changes, all or none, and returns when they are on disk.
    ///
    /// - Parameters:
    ///   - changes: at least one change.
    ///   - comment: a comment for the history.
    ///   - key: identifies this transaction: a repetition with the same key is made once, also from another process. By default, each
    ///     call has a new key.
    /// - Throws: ``ServiceError``. The problem of a refused transaction has the `code` and the index of the refused `change`.
    @discardableResult public func commit(
        _ changes: [StoreChange], comment: String? = nil, idempotencyKey key: String? = nil
    ) async throws(ServiceError) -> CommitReceipt {
        var call = transaction(changes, comment)
        call.headers["Idempotency-Key"] = key ?? randomText()
        call.effect = .changeWithKey
        return try await connection.perform(call)
    }

    /// Makes each change in a transaction of its own. A refused change does not stop the following ones.
    ///
    /// These transactions have no key, so that the request is not repeated if its response is lost.
    ///
    /// - Parameters:
    ///   - changes: 1 to 1,000 changes.
    ///   - comment: a comment for the history.
    /// - Returns: a result for each change, in the same order.
    @discardableResult public func commitEach(
        _ changes: [StoreChange], comment: String? = nil
    ) async throws(ServiceError) -> [SeparateResult] {
        var call = transaction(changes, comment)
        call.arguments["mode"] = .string("each")
        call.effect = .change
        return try await connection.perform(call, member: "results")
    }

    /// Returns the access that changes would add and remove, without making them.
    ///
    /// - Parameters:
    ///   - changes: the changes.
    ///   - actor: who would make them; by default the actor of this client.
    /// - Returns: the differences, and the changes that would be refused.
    public func whatIf(_ changes: [StoreChange], as actor: Name? = nil) async throws(ServiceError) -> WhatIfAnswer {
        let draft = JSONObject(present: [("as", actor.map { .name($0) } ?? asActor), ("do", .changes(changes))])
        return try await connection.perform(Call(.post, path("what-if"), [("transactions", .array([.object(draft)]))]))
    }

    /// Shares an object: grants privileges to a subject.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - subject: a user, a thing, a role, `everyone` or `anonymous`.
    ///   - privileges: the privileges to add.
    ///   - until: when the access ends; nil for access without an end.
    ///   - revision: the revision of the entries that the user has seen. If the list has changed since, the request fails with
    ///     ``ProblemKind/conflict``: read the entries again.
    @discardableResult public func share(
        _ object: Name, with subject: Name, _ privileges: [String], until: Instant? = nil, expecting revision: Revision? = nil
    ) async throws(ServiceError) -> CommitReceipt {
        try await commit([.grant(subject, privileges, on: object, until: until, expecting: revision)])
    }

    /// Revokes privileges of a subject on an object.
    ///
    /// - Parameters:
    ///   - subject: the subject.
    ///   - object: the object.
    ///   - privileges: the privileges to remove; nil for the whole entry.
    ///   - revision: the revision of the entries that the user has seen. If the list has changed since, the request fails with
    ///     ``ProblemKind/conflict``: read the entries again.
    @discardableResult public func revoke(
        _ subject: Name, on object: Name, _ privileges: [String]? = nil, expecting revision: Revision? = nil
    ) async throws(ServiceError) -> CommitReceipt {
        try await commit([.revoke(subject, on: object, privileges, expecting: revision)])
    }

    /// Locks an open store: the members of a role keep every privilege, and everyone else only reads what entries give.
    ///
    /// - Parameters:
    ///   - role: the new role; nil for the default of the service.
    ///   - members: its members, beside the caller.
    @discardableResult public func lock(role: Name? = nil, members: [Name] = []) async throws(ServiceError) -> CommitReceipt {
        var call = Call(
            .post, path("lock"),
            [("as", asActor), ("role", role.map { .name($0) }), ("members", .texts(members.map(\.text)))])
        call.headers["Idempotency-Key"] = randomText()
        call.effect = .changeWithKey
        return try await connection.perform(call)
    }

    private func transaction(_ changes: [StoreChange], _ comment: String?) -> Call {
        Call(
            .post, path("transactions"),
            [("as", asActor), ("do", .changes(changes)), ("comment", comment.map { .string($0) })])
    }
}

/// Objects and their values.
extension StoreClient {
    /// Reads an object.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - point: the moment of the read.
    /// - Returns: the value, with the revision of its last change.
    /// - Throws: ``ServiceError``: ``ProblemKind/notFound`` if the object does not exist, and ``ProblemKind/refused`` if the caller may
    ///   not read it.
    public func object(_ object: Name, at point: ReadPoint = .now) async throws(ServiceError) -> StoredObject {
        try await connection.perform(Call(.get, path("objects", object.text), point.arguments + [("as", asActor)]))
    }

    /// Creates an object.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - value: its value.
    ///   - parent: the object that contains it; nil for none.
    ///   - owner: its owner; by default the caller.
    /// - Throws: ``ServiceError``, with ``ProblemKind/preconditionFailed`` if the object exists.
    @discardableResult public func create(
        _ object: Name, _ value: JSONValue = .null, in parent: Name? = nil, owner: Name? = nil
    ) async throws(ServiceError) -> CommitReceipt {
        let arguments: [(String, JSONValue?)] = [("parent", parent.map { .name($0) }), ("owner", owner.map { .name($0) })]
        return try await change(.put, object, ["If-None-Match": "*"], arguments, value)
    }

    /// Replaces the value of an object.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - value: the new value.
    ///   - changed: the ``StoredObject/changed`` of the version that the value is based on. If the object has changed since, the request
    ///     fails with ``ProblemKind/preconditionFailed``: read it again. Nil replaces any version.
    @discardableResult public func write(
        _ object: Name, _ value: JSONValue, expecting changed: Revision?
    ) async throws(ServiceError) -> CommitReceipt {
        try await change(.put, object, match(changed), [], value)
    }

    /// Changes members of the value of an object: a merge patch (RFC 7396). Null removes a member.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - members: the changed members.
    ///   - changed: the ``StoredObject/changed`` of the version that the patch is based on; nil changes any version.
    @discardableResult public func patch(
        _ object: Name, _ members: JSONObject, expecting changed: Revision?
    ) async throws(ServiceError) -> CommitReceipt {
        let headers = match(changed).merging(["Content-Type": "application/merge-patch+json"]) { $1 }
        return try await change(.patch, object, headers, [], .object(members))
    }

    /// Deletes an object, and everything in it.
    ///
    /// - Parameters:
    ///   - object: its name.
    ///   - changed: the ``StoredObject/changed`` of the version that the caller has seen; nil deletes any version.
    @discardableResult public func delete(
        _ object: Name, expecting changed: Revision?
    ) async throws(ServiceError) -> CommitReceipt {
        try await change(.delete, object, match(changed), [], nil)
    }

    private func match(_ revision: Revision?) -> [String: String] { ["If-Match": revision.map { "\"\($0)\"" } ?? "*"] }

    private func change(
        _ method: ServiceRequest.Method, _ object: Name, _ headers: [String: String], _ arguments: [(String, JSONValue?)],
        _ body: JSONValue?
    ) async throws(ServiceError) -> CommitReceipt {
        var call = Call(method, path("objects", object.text), arguments + [("as", asActor)])
        call.headers = headers
        call.headers["Idempotency-Key"] = randomText()
        call.body = body
        call.effect = .changeWithKey
        return try await connection.perform(call)
    }
}

extension JSONValue {
    fileprivate static func changes(_ changes: [StoreChange]) -> JSONValue { .array(changes.map { .object($0.json) }) }
}
