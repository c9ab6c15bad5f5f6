internal import Events
internal import HTTPServer
internal import Histories
internal import Muniment
internal import MunimentRecipes
internal import Permissions
internal import Wire

/// Commits changes in the format of `Docs/Scenarios.md`.
enum TransactionRoute {
    /// The largest number of changes in a request that commits each one separately.
    static let eachLimit = 1_000

    static let route = Route(
        "POST", "/v1/stores/{store}/transactions", "commit", need: .store, bodyLimitBytes: 8 << 20,
        RouteDescription("makes changes: all of them or none, or each one separately", group: "Changes")
            .withNote(
                "With `\"mode\":\"each\"` every change is a separate transaction, and `results` has a receipt or a refusal for each; "
                    + "such a request takes no `Idempotency-Key`, because a key belongs to one commit. If the "
                    + "token or session expires meanwhile, the response is 401, and earlier changes stay. "
                    + "With `If-Match`, nothing changes if another transaction changed the value, parent or owner of an object that the "
                    + "changes name after this revision, or its access list, if the caller may set permissions there. Members of "
                    + "roles and options of classes do not count."
            )
            .withParameters(
                .idempotencyKey, .header("If-Match", "an ETag or a revision in quotes, at which the client read the named objects")
            )
            .withResponse(
                "the result; `revision` is null if nothing changed",
                Schema.anyOf(Schema.named("Receipt"), Schema.named("TransactionResults"))
            )
            .withProblems(.preconditionFailed),
        .asynchronous(
            .actor, .changes, .choice("mode", [("all", false), ("each", true)], default: false), .optionalText("comment")
        ) { call, caller, changes, isEach, comment in
            let expected = try call.expectedRevision
            if isEach {
                guard expected == nil else {
                    throw Problem(.malformed, "`If-Match` cannot be used with `\"mode\":\"each\"`: omit one of them")
                }
                return try await each(changes, as: caller, comment, call)
            }
            do {
                let receipt = try await call.commit(changes, as: caller, comment: comment, expectedRevision: expected)
                return call.answer(receipt.json, at: receipt.head)
            } catch let refusal as Refusal where refusal.code == .conflict && expected != nil {
                throw Problem(refusal, as: .preconditionFailed)
            }
        })

    /// Commits every change separately, in order. A refused change does not stop the following ones.
    private static func each(
        _ changes: [Change], as caller: Name, _ comment: String?, _ call: RequestContext
    ) async throws -> HTTPResponse {
        guard try call.idempotencyKey == nil else {
            throw Problem(
                .malformed, "`Idempotency-Key` cannot be used with `\"mode\":\"each\"`: omit one of them")
        }
        guard changes.count <= eachLimit else {
            throw Problem(
                .tooLarge,
                "the request has \(changes.count) changes, and `\"mode\":\"each\"` allows at most \(eachLimit): send fewer")
        }
        var results: [JSONValue] = []
        for change in changes {
            do {
                results.append(.object(try await call.commit([change], as: caller, comment: comment).json))
            } catch let refusal as Refusal {
                // The position in the results identifies the change.
                results.append(.object(["refused": .object(Refusal(refusal.code, refusal.message).members)]))
            }
        }
        let head = try call.store.head.revision
        return call.answer(["results": .array(results), "head": .revision(head)], at: head)
    }
}

extension Argument<[Change]> {
    /// A list of changes with at least one item.
    static var changes: Argument {
        Argument(parameters: [.query("do", "", Schema.list(Schema.named("Change"), minimum: 1), isRequired: true)]) {
            arguments, call in
            let levels = try call.store.levels
            let changes = try arguments.optional("do") { list throws(MemberProblem) in try [Change](list, levels: levels) }
            guard let changes else { throw arguments.wrong("do", "is missing", "add a list of changes") }
            guard !changes.isEmpty else { throw arguments.wrong("do", "is empty", "write at least one change") }
            return try call.store.replacingLevels(in: changes)
        }
    }
}

/// Locks down an open store, as `Roles.lockDown` does.
enum LockRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/lock", "lock", need: .store, bodyLimitBytes: 65_536,
        RouteDescription("locks an open store", group: "Stores")
            .withNote(
                "One transaction creates a role with the caller and the given members, grants it every privilege at the store and "
                    + "class levels, and leaves `everyone` only `read` on the store and on the built-in classes, where it has it."
            )
            .withParameters(.idempotencyKey)
            .withResponse("the receipt of the transaction", Schema.named("Receipt")),
        .asynchronous(.actor, .optionalName("role"), .texts("members", Schema.names)) { call, caller, role, members in
            let changes = try Roles(try call.store, as: caller).lockDownChanges(
                to: role ?? Roles.lockDownRole, members: members.map { Name($0) })
            let receipt = try await call.commit(changes, as: caller, comment: "locked")
            return call.answer(receipt.json, at: receipt.head)
        })
}

extension RequestContext {
    /// The idempotency key of the request; nil without one. A repeated request with the same key gets the first result.
    var idempotencyKey: String? {
        get throws(Problem) {
            guard let key = request.header("Idempotency-Key") else { return nil }
            guard !key.isEmpty, key.utf8.count <= Limits.originBytes else {
                throw Problem(.malformed, "`Idempotency-Key` has from 1 to \(Limits.originBytes) bytes: choose another")
            }
            return key
        }
    }

    /// Commits changes together. A repetition with the same idempotency key returns the first result: the store keeps the key with
    /// the commit.
    ///
    /// - Parameters:
    ///   - changes: the changes, to make all or none.
    ///   - actor: the principal that acts.
    ///   - comment: the comment in the log.
    ///   - expectedRevision: the revision after which the named objects must not have changed.
    /// - Throws: `Refusal`; ``Problem`` (`idempotency-key-in-use`) while a request with the same key is running, and if the credential is
    ///   not valid at the writer's turn: the commits before it may have taken long.
    func commit(_ changes: [Change], as actor: Name, comment: String? = nil, expectedRevision: Revision? = nil) async throws
        -> Receipt
    {
        let key = try idempotencyKey
        let scope = key.map { RunningIdempotencyKeys.Scope(store: hosted?.name ?? .default, caller: actor.text, key: $0) }
        let origin = Origin(requestID: requestID, idempotencyKey: key, comment: comment, credential: caller?.credential)
        let store = try store
        return try await service.runningKeys.withKey(scope) {
            try await service.runningCommits.during(actor) {
                var transaction = Transaction(actor, changes, origin: origin, expectedRevision: expectedRevision)
                if let credential = exchange.credential {
                    let authenticator = service.authenticator
                    transaction.precondition = { try authenticator.requireStillValid(credential) }
                }
                return try await store.commit(transaction)
            }
        }
    }
}
