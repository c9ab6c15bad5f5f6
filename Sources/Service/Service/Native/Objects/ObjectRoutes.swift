internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions
internal import Wire

/// Routes for objects. An object's value has the revision of its last change as its ETag.
enum ObjectRoutes {
    static let all = [read, put, patch, delete]

    private static let path: PathPattern = "/v1/stores/{store}/objects/{object}"
    /// The largest body in bytes: a value of ``Limits/valueBytes`` with any spacing and escaping.
    private static let bodyLimitBytes = 8 << 20

    static let read = Route(
        "GET", path, "readObject", need: .store,
        RouteDescription("the value of an object, for a caller that may read it", group: "Objects")
            .withNote("The ETag is the revision of the last change of its value, parent or owner.")
            .withParameters(.header("If-None-Match", "the ETag of the client's copy"))
            .withResponse(
                "the value",
                Schema.object(
                    JSONObject(["object": Schema.name, "value": Schema.anything, "changed": Schema.revision]).with(.when)),
                headers: ["Muniment-Revision", "ETag"]
            )
            .withResponse("the client's copy is current", nil, status: 304, headers: ["Muniment-Revision", "ETag"])
            .withProblems(.refused),
        .queued(.reader, .point) { call, reader, point in
            let object = Name(call.parameter("object"))
            let audience = try call.audience
            return try call.read(at: point) { snapshot in
                if point.moment != .now, try snapshot.readable([object.text], to: audience).isEmpty {
                    throw Refusal(.noPrivilege, "`\(reader)` may not read the earlier state of `\(object)` now")
                }
                let value = try snapshot.value(of: object, as: reader)
                let changed = try snapshot.lastChange(of: object) ?? snapshot.revision
                let tag = EntityTag.text(changed)
                if call.hasAlready(tag) { return RequestContext.notModified(tag, at: snapshot.revision) }
                let answer = QueryMembers(object: object).answer(
                    value: value, snapshot.members.with(["changed": .revision(changed)]))
                return call.answer(answer, at: snapshot.revision, headers: [HTTPHeader("ETag", tag)])
            }
        })

    static let put = Route(
        "PUT", path, "writeObject", need: .store, bodyLimitBytes: bodyLimitBytes,
        RouteDescription("creates an object (`If-None-Match: *`), or replaces its value (`If-Match`)", group: "Objects")
            .withParameters(.ifMatch, .ifNoneMatch, .idempotencyKey)
            .withParameters(body: Schema.anything)
            .withResponse("the object was changed", Schema.named("Receipt"), headers: ["Muniment-Revision", "ETag"])
            .withResponse(
                "the object was created", Schema.named("Receipt"), status: 201, headers: ["Muniment-Revision", "ETag", "Location"]
            )
            .withProblems(.preconditionFailed, .preconditionRequired),
        .asynchronous(
            .actor, .optionalName("parent", "the parent of a new object"),
            .optionalName("owner", "the owner of a new object (default: the caller)")
        ) { call, caller, parent, owner in
            let value = try call.json()
            let (object, precondition) = (Name(call.parameter("object")), try call.precondition())
            guard precondition == .absent else {
                guard parent == nil, owner == nil else {
                    throw Problem(.malformed, "`parent` and `owner` are for a new object: change them with a transaction")
                }
                return try await write(object, .value(value), precondition, as: caller, call)
            }
            do {
                let receipt = try await call.commit(
                    [.createObject(object, parent: parent, value: value, owner: owner)], as: caller)
                return try call.answer(receipt, of: object, status: 201, headers: [HTTPHeader("Location", call.request.path)])
            } catch let refusal as Refusal where refusal.code == .alreadyExists {
                throw Problem(.preconditionFailed, refusal)
            }
        })

    static let patch = Route(
        "PATCH", path, "patchObject", need: .store, bodyLimitBytes: bodyLimitBytes,
        RouteDescription("changes members of an object's value: a merge patch (RFC 7396)", group: "Objects")
            .withParameters(.ifMatch, .idempotencyKey)
            .withParameters(body: Schema.anything, as: ["application/merge-patch+json", "application/json"])
            .withResponse("the object was changed", Schema.named("Receipt"), headers: ["Muniment-Revision", "ETag"])
            .withProblems(.preconditionFailed, .preconditionRequired),
        .asynchronous(.actor) { call, caller in
            let patch = try call.mergePatch()
            return try await write(Name(call.parameter("object")), .merge(patch), try call.preconditionOnThere(), as: caller, call)
        })

    static let delete = Route(
        "DELETE", path, "deleteObject", need: .store,
        RouteDescription("deletes an object and everything in it", group: "Objects")
            .withParameters(.ifMatch, .idempotencyKey)
            .withResponse("the object was deleted", Schema.named("Receipt"))
            .withProblems(.preconditionFailed, .preconditionRequired),
        .asynchronous(.actor) { call, caller in
            let (object, precondition) = (Name(call.parameter("object")), try call.preconditionOnThere())
            let receipt = try await Problem.failingPreconditions {
                try await call.commit([.deleteObject(object, expectedRevision: precondition.revision)], as: caller)
            }
            return call.answer(receipt.json, at: receipt.head)
        })

    private static func write(
        _ object: Name, _ content: Change.Content, _ precondition: Precondition, as caller: Name, _ call: RequestContext
    ) async throws -> HTTPResponse {
        let receipt = try await Problem.failingPreconditions {
            try await call.commit([.writeObject(object, content, expectedRevision: precondition.revision)], as: caller)
        }
        return try call.answer(receipt, of: object)
    }
}

extension Precondition {
    /// The revision after which the object must not have changed; nil if any revision is accepted.
    fileprivate var revision: Revision? { if case .unchanged(let revision) = self { revision } else { nil } }
}

extension Problem {
    fileprivate init(_ kind: Kind, _ refusal: Refusal) {
        self.init(kind, refusal.message, members: ["code": .string(refusal.code.rawValue)])
    }

    /// Runs an operation and converts a conflict into a failed precondition.
    fileprivate static func failingPreconditions<R>(_ body: () async throws -> R) async throws -> R {
        do { return try await body() } catch let refusal as Refusal where refusal.code == .conflict {
            throw Problem(.preconditionFailed, refusal)
        }
    }
}

extension RequestContext {
    /// Returns the precondition of a change to an existing object.
    fileprivate func preconditionOnThere() throws(Problem) -> Precondition {
        let precondition = try precondition()
        guard precondition != .absent else {
            throw Problem(.malformed, "`If-None-Match: *` is only for a new object: send `If-Match` with the ETag of your copy")
        }
        return precondition
    }

    /// Returns a body that is a merge patch.
    fileprivate func mergePatch() throws -> JSONValue {
        let type = request.header("Content-Type")?.prefix { $0 != ";" }.trimmingBlanks.lowercased()
        guard type == "application/merge-patch+json" || type == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "the body must be a merge patch: send it with `Content-Type: application/merge-patch+json`",
                headers: [HTTPHeader("Accept-Patch", "application/merge-patch+json")])
        }
        return try decodedBody()
    }

    /// Responds to a change of an object, with its new ETag.
    fileprivate func answer(
        _ receipt: Receipt, of object: Name, status: Int = 200, headers: [HTTPHeader] = []
    ) throws -> HTTPResponse {
        let changed = try receipt.revision ?? store.read { try $0.lastChange(of: object) } ?? receipt.head
        return answer(
            receipt.json, at: receipt.head, status: status, headers: headers + [HTTPHeader("ETag", EntityTag.text(changed))])
    }
}
