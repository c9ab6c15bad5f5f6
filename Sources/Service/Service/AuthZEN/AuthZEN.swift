internal import Events
package import Muniment

/// A store as a policy decision point of AuthZEN 1.0: converts the bytes of a request into the bytes of a response.
///
/// Subjects are the principals of the store by type and id. Resources are its objects by class and id. Actions are its privileges
/// and the aliases of classes. Other data of a request in `properties` and `context` is ignored, except for two members of
/// `context`: `at`, a revision or a time, and `reason`. The response's `context` contains its revision.
package struct AuthZEN {
    /// The most evaluations in one request.
    package static let evaluationsPerRequest = 10_000

    /// Receives a decision, its question, and its revision.
    typealias DecisionObserver = (Bool, Question, Revision) -> Void

    let store: Store
    let asker: Asker
    /// Called for every decision of an evaluation.
    var decided: DecisionObserver?

    /// - Parameters:
    ///   - store: the store to query.
    ///   - asker: the subjects that the caller may query.
    package init(_ store: Store, for asker: Asker = .anyone) {
        self.store = store
        self.asker = asker
    }

    /// Answers an access evaluation.
    ///
    /// - Parameter body: the request, as JSON.
    /// - Returns: the decision, as JSON.
    /// - Throws: ``AuthZENProblem`` for an invalid request, and errors of a store that cannot be read.
    package func evaluation(_ body: [UInt8]) throws -> [UInt8] {
        var parts = RequestParts()
        try read(body) { reader, name throws(JSONError) in
            if try !parts.take(name, &reader) { try reader.skip() }
        }
        return try evaluation(parts)
    }

    /// Returns the audience for the reason of a decision; nil if the request does not ask for a reason.
    func reasonAudience(_ context: ContextPart?) -> (() throws -> Audience)? {
        context?.wantsReason == true ? { try asker.audience(in: store) } : nil
    }

    func evaluation(_ parts: RequestParts) throws -> [UInt8] {
        if let fault = parts.fault { throw AuthZENProblem(fault.message) }
        let question: Question
        switch Question.complete(parts) {
        case .success(let complete): question = complete
        case .failure(let fault): throw AuthZENProblem(fault.message)
        }
        return try reading(parts.context?.moment ?? .now) { snapshot in
            if let refused = try asker.refusal(about: question.subject, in: store) {
                throw AuthZENProblem(status: 403, refused.message)
            }
            var evaluator = Evaluator(snapshot, telling: decided)
            var writer = JSONWriter()
            _ = try evaluator.answer(question, reasonFor: reasonAudience(parts.context), into: &writer)
            return writer.written
        }
    }

    /// Reads the members of a request.
    func read(
        _ body: [UInt8], _ take: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(AuthZENProblem) {
        do {
            var reader = try JSONReader(body)
            guard try reader.next() == .object else {
                throw AuthZENProblem("the body must be a JSON object with `subject`, `action` and `resource`")
            }
            try reader.takeMembers(take)
            try reader.end()
        } catch let problem as AuthZENProblem {
            throw problem
        } catch {
            throw (error as? JSONError).map(AuthZENProblem.init) ?? AuthZENProblem("the body cannot be read: \(error)")
        }
    }

    /// Reads the store at the moment of a request.
    func reading<R>(_ moment: Moment, _ body: (Snapshot) throws -> R) throws -> R {
        do { return try store.read(at: moment, body) } catch let error as StoreError {
            if case .noSuchRevision = error { throw AuthZENProblem("`context.at`: \(error)") }
            throw error
        }
    }
}

/// A complete question, or its missing part.
extension Question {
    enum Completion {
        case success(Question)
        case failure(RequestFault)
    }

    /// Returns the question from the parts of a request. Missing parts are taken from `defaults` as a whole.
    static func complete(_ parts: RequestParts, defaults: RequestParts = RequestParts()) -> Completion {
        guard let subject = parts.subject ?? defaults.subject else { return .failure(.missingPart("subject")) }
        guard let action = parts.action ?? defaults.action else { return .failure(.missingPart("action")) }
        guard let resource = parts.resource ?? defaults.resource else { return .failure(.missingPart("resource")) }
        if subject.type.isEmpty { return .failure(.missing("subject.type")) }
        if subject.id.isEmpty { return .failure(.missing("subject.id")) }
        if action.name.isEmpty { return .failure(.missing("action.name")) }
        if resource.type.isEmpty { return .failure(.missing("resource.type")) }
        if resource.id.isEmpty { return .failure(.missing("resource.id")) }
        return .success(Question(subject: subject, action: action, resource: resource))
    }
}

extension RequestFault {
    static func missingPart(_ part: String) -> RequestFault { RequestFault("`\(part)` is missing: add it") }
}
