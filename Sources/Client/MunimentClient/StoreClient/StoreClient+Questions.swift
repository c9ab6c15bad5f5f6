public import Primitives

/// Questions about access.
extension StoreClient {
    /// Checks whether a subject has a privilege on an object.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - privilege: what, such as `read`.
    ///   - object: on what.
    ///   - point: the moment of the question.
    /// - Returns: the answer, with its reason.
    public func check(
        _ subject: Name, _ privilege: String, on object: Name, at point: ReadPoint = .now
    ) async throws(ServiceError) -> CheckAnswer {
        try await check(subject, [privilege], on: object, at: point)
    }

    /// Checks whether a subject has all of several privileges on an object.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - privileges: what.
    ///   - object: on what.
    ///   - point: the moment of the question.
    /// - Returns: the answer, with its reason.
    public func check(
        _ subject: Name, _ privileges: [String], on object: Name, at point: ReadPoint = .now
    ) async throws(ServiceError) -> CheckAnswer {
        try await ask("check", [("subject", .name(subject)), ("privileges", .texts(privileges)), ("object", .name(object))], point)
    }

    /// Makes up to 10,000 checks in one request, all at the same moment.
    ///
    /// - Parameters:
    ///   - checks: the checks.
    ///   - point: the moment of the checks: now, a revision or a time.
    /// - Returns: a decision for each check, in the same order.
    public func check(_ checks: [AccessCheck], at point: ReadPoint = .now) async throws(ServiceError) -> [CheckDecision] {
        // The service takes a request without evaluations as a single one.
        guard !checks.isEmpty else { return [] }
        func entity(_ name: Name) -> JSONValue {
            .object(["type": .string(name.className), "id": .string(name.id ?? name.text)])
        }
        let evaluations = checks.map { check -> JSONValue in
            .object([
                "subject": entity(check.subject), "action": .object(["name": .string(check.privilege)]),
                "resource": entity(check.object),
            ])
        }
        let context = point.moment.map { JSONValue.object(["muniment_at": $0]) }
        let call = Call(
            .post, "/stores/\(name.percentEncoded)/access/v1/evaluations",
            [("evaluations", .array(evaluations)), ("context", context)])
        return try await connection.perform(call, member: "evaluations")
    }

    /// Returns the privileges of a subject on an object.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - object: on what.
    ///   - point: the moment of the question.
    public func privileges(
        of subject: Name, on object: Name, at point: ReadPoint = .now
    ) async throws(ServiceError) -> PrivilegesAnswer {
        try await ask("privileges", [("subject", .name(subject)), ("object", .name(object))], point)
    }

    /// Explains why a subject has privileges or not; for a denial, with changes that would allow the access.
    ///
    /// - Parameters:
    ///   - subject: who.
    ///   - privileges: what.
    ///   - object: on what.
    ///   - withProposals: whether to search for changes that would allow a denied access.
    ///   - point: the moment of the question.
    public func explain(
        _ subject: Name, _ privileges: [String], on object: Name, withProposals: Bool = true, at point: ReadPoint = .now
    ) async throws(ServiceError) -> AccessExplanation {
        try await ask(
            "explain",
            [
                ("subject", .name(subject)), ("privileges", .texts(privileges)), ("object", .name(object)),
                ("proposals", .bool(withProposals)),
            ], point)
    }

    /// Explains up to 100 checks in one request, all at the same moment.
    ///
    /// - Parameters:
    ///   - checks: the checks.
    ///   - withProposals: whether to search for changes that would allow the denied checks.
    ///   - point: the moment of the checks.
    /// - Returns: an explanation for each check, in the same order.
    public func explain(
        _ checks: [AccessCheck], withProposals: Bool = true, at point: ReadPoint = .now
    ) async throws(ServiceError) -> [AccessExplanation] {
        guard !checks.isEmpty else { return [] }
        let questions = checks.map { check -> JSONValue in
            .object([
                "subject": .name(check.subject), "privilege": .string(check.privilege), "object": .name(check.object),
                "proposals": .bool(withProposals),
            ])
        }
        return try await connection.perform(
            question("explanations", [("questions", .array(questions))], point), member: "explanations")
    }

    /// Lists the users, things and roles with a privilege on an object. Administrators have all privileges: they are in the list if the
    /// caller may ask about all subjects.
    ///
    /// - Parameters:
    ///   - privilege: the privilege.
    ///   - object: the object.
    ///   - point: the moment of the question.
    ///   - pageSize: the maximum number of results on a page, up to 10,000.
    /// - Returns: the names, sorted.
    public func subjects(
        with privilege: String, on object: Name, at point: ReadPoint = .now, pageSize: Int? = nil
    ) -> Listing<Name> {
        let arguments: [(String, JSONValue?)] = [
            ("privileges", .texts([privilege])), ("object", .name(object)), ("withAdministrators", .bool(true)),
        ]
        return list(question("who", arguments, point, pageSize), "subjects")
    }

    /// Lists the objects on which a subject has a privilege.
    ///
    /// - Parameters:
    ///   - subject: the subject.
    ///   - privilege: the privilege.
    ///   - className: only objects of this class; nil for all.
    ///   - point: the moment of the question.
    ///   - pageSize: the maximum number of results on a page, up to 10,000.
    /// - Returns: the names, sorted.
    public func objects(
        of subject: Name, with privilege: String, class className: String? = nil, at point: ReadPoint = .now, pageSize: Int? = nil
    ) -> Listing<Name> {
        let arguments: [(String, JSONValue?)] = [
            ("subject", .name(subject)), ("privileges", .texts([privilege])), ("class", className.map { .string($0) }),
        ]
        return list(question("what", arguments, point, pageSize), "objects")
    }

    /// Lists the objects of a class that the caller may read and query, by their properties.
    ///
    /// - Parameters:
    ///   - className: the class.
    ///   - condition: the condition, such as `["pages": .object(["<": .integer(10)])]`; all objects by default.
    ///   - order: the properties to sort by; a dash means descending, as in `-pages`.
    ///   - point: the moment of the question.
    ///   - pageSize: the maximum number of results on a page, up to 10,000.
    /// - Returns: the names, in this order.
    public func query(
        _ className: String, where condition: JSONObject? = nil, order: [String] = [], at point: ReadPoint = .now,
        pageSize: Int? = nil
    ) -> Listing<Name> {
        let arguments: [(String, JSONValue?)] = [
            ("class", .string(className)), ("where", condition.map { .object($0) }),
            ("order", order.isEmpty ? nil : .texts(order)), ("as", asActor),
        ]
        return list(question("query", arguments, point, pageSize), "objects")
    }

    private func question(
        _ route: String, _ arguments: [(String, JSONValue?)], _ point: ReadPoint, _ pageSize: Int? = nil
    ) -> Call {
        Call(.post, path(route), arguments + point.arguments + [("limit", pageSize.map { .integer(Int64($0)) })])
    }

    private func ask<Answer: WireValue>(
        _ route: String, _ arguments: [(String, JSONValue?)], _ point: ReadPoint
    ) async throws(ServiceError) -> Answer {
        try await connection.perform(question(route, arguments, point))
    }
}

extension JSONValue {
    static func name(_ name: Name) -> JSONValue { .string(name.text) }
}
