package import Events
internal import Muniment

/// Several evaluations in one request.
extension AuthZEN {
    /// Answers access evaluations. All use the same moment, except for those that name another moment.
    ///
    /// The parts of the request itself are defaults: a part of an evaluation replaces the whole default. A request without
    /// evaluations is a single evaluation. An invalid evaluation is denied, and its result contains the error. Other results have a
    /// context only if the context of their evaluation has a moment or asks for the reason.
    ///
    /// - Parameter body: the request, as JSON.
    /// - Returns: the decisions in the order of the request, as JSON, and the revision of all without a moment of their own. With two
    ///   of the semantics, the list ends at the decisive one.
    /// - Throws: ``AuthZENError`` for a request that is invalid as a whole, and errors of a store that cannot be read.
    package func evaluations(_ body: [UInt8]) throws -> (json: [UInt8], revision: Revision) {
        let request = try EvaluationsRequest(body, self)
        if let fault = request.fault { throw fault }
        if request.items.isEmpty { return try evaluation(request.defaults) }
        if let fault = request.defaults.fault { throw fault }
        return try reading(request.moment) { snapshot in
            var answers = EvaluationAnswers(request: request, authZEN: self)
            return (try answers.all(at: snapshot), snapshot.revision)
        }
    }
}

/// When the evaluations of a request stop.
enum EvaluationsSemantic: String {
    case all = "execute_all"
    case upToDenial = "deny_on_first_deny"
    case upToPermission = "permit_on_first_permit"

    func ends(after decision: Bool) -> Bool {
        switch self {
        case .all: false
        case .upToDenial: !decision
        case .upToPermission: decision
        }
    }
}

/// The contents of a request for several evaluations.
struct EvaluationsRequest {
    let defaults: RequestParts
    let items: [EvaluationItem]
    let semantic: EvaluationsSemantic
    /// The error of the request as a whole, apart from its defaults.
    let fault: AuthZENError?
    /// The moment of evaluations without a context.
    var moment: Moment { defaults.context?.moment ?? .now }

    init(_ body: [UInt8], _ authZEN: AuthZEN) throws(AuthZENError) {
        let types = authZEN.subjectTypes
        var (defaults, items, semantic) = (RequestParts(), [EvaluationItem](), EvaluationsSemantic.all)
        var fault: AuthZENError?
        try authZEN.read(body) { reader, name throws(JSONError) in
            switch name {
            case .evaluations:
                if try !reader.takeNull() { items = try EvaluationsRequest.items(&reader, types, &fault) }
            case .options:
                if try !reader.takeNull() { semantic = try EvaluationsRequest.semantic(&reader, &fault) }
            default:
                if try !defaults.take(name, &reader, subjectTypes: types) { try reader.skip() }
            }
        }
        (self.defaults, self.items, self.semantic, self.fault) = (defaults, items, semantic, fault)
    }

    private static func items(
        _ reader: inout JSONReader, _ subjectTypes: [String: String], _ fault: inout AuthZENError?
    ) throws(JSONError) -> [EvaluationItem] {
        guard try reader.next() == .array else {
            fault = .wrongType("evaluations", "a list")
            try reader.skip()
            return []
        }
        var items: [EvaluationItem] = []
        var count = 0
        try reader.takeElements { reader throws(JSONError) in
            count += 1
            if count <= AuthZEN.evaluationsPerRequest {
                items.append(try EvaluationItem(&reader, subjectTypes))
            } else {
                try reader.skip()
            }
        }
        if count > AuthZEN.evaluationsPerRequest {
            fault = AuthZENError(
                "the request has \(count) evaluations: send at most \(AuthZEN.evaluationsPerRequest) in one request")
        }
        return items
    }

    private static func semantic(
        _ reader: inout JSONReader, _ fault: inout AuthZENError?
    ) throws(JSONError) -> EvaluationsSemantic {
        guard try reader.next() == .object else {
            fault = .wrongType("options", "an object")
            try reader.skip()
            return .all
        }
        var value = JSONValue.null
        try reader.takeMembers { reader, name throws(JSONError) in
            if name == .evaluationsSemantic { value = try reader.takeValue() } else { try reader.skip() }
        }
        if value == .null { return .all }
        if case .string(let word) = value, let semantic = EvaluationsSemantic(rawValue: word) { return semantic }
        fault = .wrongType(
            "options.evaluations_semantic", "`execute_all`, `deny_on_first_deny` or `permit_on_first_permit`")
        return .all
    }
}

/// One of several evaluations.
struct EvaluationItem {
    let parts: RequestParts
    /// The error of an evaluation that is not an object.
    private let formFault: AuthZENError?
    var fault: AuthZENError? { formFault ?? parts.fault }

    init(_ reader: inout JSONReader, _ subjectTypes: [String: String]) throws(JSONError) {
        var parts = RequestParts()
        guard case .object = try reader.next() else {
            try reader.skip()
            (self.parts, formFault) = (parts, AuthZENError("an evaluation must be an object"))
            return
        }
        try reader.takeMembers { reader, name throws(JSONError) in
            if try !parts.take(name, &reader, subjectTypes: subjectTypes) { try reader.skip() }
        }
        (self.parts, formFault) = (parts, nil)
    }
}

/// Collects the responses of several evaluations.
private struct EvaluationAnswers {
    let request: EvaluationsRequest
    let authZEN: AuthZEN
    var writer = JSONWriter()

    mutating func all(at snapshot: Snapshot) throws -> [UInt8] {
        var evaluator = Evaluator(authZEN, snapshot)
        writer.raw("{\"evaluations\":[")
        for (index, item) in request.items.enumerated() {
            if index > 0 { writer.raw(",") }
            if request.semantic.ends(after: try answer(item, by: &evaluator)) { break }
        }
        writer.raw("]}")
        return writer.written
    }

    /// Answers one evaluation, and returns its decision.
    private mutating func answer(_ item: EvaluationItem, by evaluator: inout Evaluator) throws -> Bool {
        do {
            if let fault = item.fault { throw fault }
            let question = try EvaluationRequest(item.parts, defaults: request.defaults)
            let moment = item.parts.context.map { $0.moment ?? .now }
            guard let moment, moment != request.moment else { return try decide(question, item, by: &evaluator) }
            return try authZEN.reading(moment) { snapshot in
                var other = Evaluator(authZEN, snapshot)
                return try decide(question, item, by: &other)
            }
        } catch let error as AuthZENError {
            writer.raw("{\"decision\":false,\"context\":{\"error\":{\"status\":\(error.status),\"message\":")
            writer.write(error.message)
            writer.raw("}}}")
            return false
        }
    }

    private mutating func decide(_ question: EvaluationRequest, _ item: EvaluationItem, by evaluator: inout Evaluator) throws
        -> Bool
    {
        try authZEN.asker.requirePermissionToQuery(about: question.subject, in: authZEN.store)
        let context = item.parts.context ?? request.defaults.context
        return try evaluator.answer(
            question, hasContext: context?.wantsContext ?? false, reasonFor: authZEN.reasonAudience(context), into: &writer)
    }
}
