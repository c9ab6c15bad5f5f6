internal import Events
package import Muniment

/// A store as a policy decision point of AuthZEN 1.0: bytes of a request in, bytes of the answer out.
///
/// Subjects are the principals of the store by type and id, resources its objects by class and id, actions its privileges and the
/// aliases of classes. What a request carries beside these in `properties` and `context` is not looked at, but for what the store
/// is asked under `context`: `at`, a revision or a time, and `reason`. The answer's `context` has the revision that it is about.
package struct AuthZEN {
    /// The most evaluations in one request.
    package static let evaluationsPerRequest = 10_000

    /// Is told of a decision, what it was about, and the revision.
    typealias DecisionObserver = (Bool, Question, Revision) -> Void

    let store: Store
    let asker: Asker
    /// Told of every decision of an evaluation.
    var decided: DecisionObserver?

    /// - Parameters:
    ///   - store: the store that is asked.
    ///   - asker: whom the caller may ask about.
    package init(_ store: Store, for asker: Asker = .anyone) {
        self.store = store
        self.asker = asker
    }

    /// Answers an access evaluation.
    ///
    /// - Parameter body: the request, as JSON.
    /// - Returns: the decision, as JSON.
    /// - Throws: ``AuthZENProblem`` for a request that is at fault, and what a store throws that cannot be read.
    package func evaluation(_ body: [UInt8]) throws -> [UInt8] {
        var parts = RequestParts()
        try read(body) { reader, name throws(JSONError) in
            if try !parts.take(name, &reader) { try reader.skip() }
        }
        return try evaluation(parts)
    }

    /// Who is told the reason of a decision; nil where the request wants none.
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
            _ = try writer.write(question, by: &evaluator, reasonFor: reasonAudience(parts.context))
            return writer.written
        }
    }

    /// Goes through the members of a request.
    func read(
        _ body: [UInt8], _ take: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(AuthZENProblem) {
        do {
            var reader = try JSONReader(body)
            guard try reader.next() == .object else {
                throw AuthZENProblem("the body is to be an object of JSON with `subject`, `action` and `resource`")
            }
            try reader.takeMembers(take)
            try reader.end()
        } catch let problem as AuthZENProblem {
            throw problem
        } catch {
            throw (error as? JSONError).map(AuthZENProblem.init) ?? AuthZENProblem("the body cannot be read: \(error)")
        }
    }

    /// Reads the store at a moment that a request names.
    func reading<R>(_ moment: Moment, _ body: (Snapshot) throws -> R) throws -> R {
        do { return try store.read(at: moment, body) } catch let error as StoreError {
            if case .noSuchRevision = error { throw AuthZENProblem("`context.at`: \(error)") }
            throw error
        }
    }
}

/// A question, or what is missing from it.
extension Question {
    enum Completion {
        case success(Question)
        case failure(RequestFault)
    }

    /// The question that the parts of a request make; parts that are not there are taken from `defaults`, whole.
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

extension JSONWriter {
    /// Writes a decision, and answers it.
    ///
    /// - Parameter audience: who is told the reason; nil for a decision without one.
    mutating func write(
        _ question: Question, by evaluator: inout Evaluator, reasonFor audience: (() throws -> Audience)?
    ) throws -> Bool {
        let decision = try evaluator.decide(question)
        raw(evaluator.beginning(of: decision))
        if let audience {
            raw(",\"reason\":")
            write(try evaluator.reason(question, for: audience))
        }
        raw("}}")
        return decision
    }
}
