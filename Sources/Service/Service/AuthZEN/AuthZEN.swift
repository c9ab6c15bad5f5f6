internal import Events
package import Muniment
package import Permissions

/// A store as a policy decision point of AuthZEN 1.0: converts the bytes of a request into the bytes of a response.
///
/// Subjects are the principals of the store by type and id. Resources are its objects by class and id. Actions are its privileges,
/// the aliases of classes, and its named sets of privileges. Other data of a request in `properties` and `context` is ignored,
/// except for two members of `context`: `muniment_at`, a revision or a time, and `reason`. The response's `context` contains its
/// revision.
///
/// Requests are I-JSON (RFC 7493): a name that occurs twice in an object, or a number beyond the range of `Double`, is refused
/// anywhere. `null` is the same as a missing member.
package struct AuthZEN {
    /// The most evaluations in one request.
    package static let evaluationsPerRequest = 10_000

    /// Receives a decision, its question, and its revision.
    typealias DecisionObserver = (Bool, EvaluationRequest, Revision) -> Void

    let store: Store
    let asker: QueryScope
    /// Types of subjects that mean another type, by the type in a request.
    let subjectTypes: [String: String]
    /// The seal of the tokens of pages; nil for a store without a service.
    let seal: CursorSeal?
    /// Called for every decision of an evaluation.
    var decided: DecisionObserver?

    /// - Parameters:
    ///   - store: the store to query.
    ///   - asker: the subjects that the caller may query.
    ///   - subjectTypes: types of subjects that mean another type, by the type in a request.
    package init(_ store: Store, for asker: QueryScope = .anyone, subjectTypes: [String: String] = [:]) {
        self.init(store, for: asker, subjectTypes: subjectTypes, seal: nil)
    }

    /// - Parameter seal: the seal of the tokens of pages.
    init(_ store: Store, for asker: QueryScope, subjectTypes: [String: String], seal: CursorSeal?) {
        (self.store, self.asker, self.subjectTypes, self.seal) = (store, asker, subjectTypes, seal)
    }

    /// Answers an access evaluation.
    ///
    /// - Parameter body: the request, as JSON.
    /// - Returns: the decision, as JSON.
    /// - Throws: ``AuthZENError`` for an invalid request, and errors of a store that cannot be read.
    package func evaluation(_ body: [UInt8]) throws -> [UInt8] {
        var parts = RequestParts()
        try read(body) { reader, name throws(JSONError) in
            if try !parts.take(name, &reader, subjectTypes: subjectTypes) { try reader.skip() }
        }
        return try evaluation(parts).json
    }

    /// Returns the audience for the reason of a decision; nil if the request does not ask for a reason.
    func reasonAudience(_ context: ContextPart?) -> (() throws -> Audience)? {
        context?.wantsReason == true ? { try asker.audience(in: store) } : nil
    }

    func evaluation(_ parts: RequestParts) throws -> (json: [UInt8], revision: Revision) {
        if let fault = parts.fault { throw fault }
        let question = try EvaluationRequest(parts)
        return try reading(parts.context?.moment ?? .now) { snapshot in
            try asker.requirePermissionToQuery(about: question.subject, in: store)
            var evaluator = Evaluator(self, snapshot)
            var writer = JSONWriter(capacity: 64)
            _ = try evaluator.answer(question, reasonFor: reasonAudience(parts.context), into: &writer)
            return (writer.written, snapshot.revision)
        }
    }

    /// Reads the members of a request.
    func read(
        _ body: [UInt8], _ take: (inout JSONReader, JSONName) throws(JSONError) -> Void
    ) throws(AuthZENError) {
        do {
            var reader = try JSONReader(body)
            guard try reader.next() == .object else {
                throw AuthZENError("the body must be a JSON object with `subject`, `action` and `resource`")
            }
            try reader.takeMembers(take)
            try reader.end()
        } catch let problem as AuthZENError {
            throw problem
        } catch {
            throw (error as? JSONError).map(AuthZENError.init) ?? AuthZENError("the body cannot be read: \(error)")
        }
    }

    /// Reads the store at the moment of a request.
    func reading<R>(_ moment: Moment, _ body: (Snapshot) throws -> R) throws -> R {
        do { return try store.read(at: moment, body) } catch let error as StoreError {
            if case .noSuchRevision = error { throw AuthZENError("`context.\(ContextPart.momentName)`: \(error)") }
            throw error
        }
    }
}

extension EvaluationRequest {
    /// Creates the question from the parts of a request. Missing parts are taken from `defaults` as a whole.
    init(_ parts: RequestParts, defaults: RequestParts? = nil) throws(AuthZENError) {
        guard let subject = parts.subject ?? defaults?.subject else { throw .missingPart("subject") }
        guard let action = parts.action ?? defaults?.action else { throw .missingPart("action") }
        guard let resource = parts.resource ?? defaults?.resource else { throw .missingPart("resource") }
        if subject.type.isEmpty { throw .missing("subject.type") }
        if subject.id.isEmpty { throw .missing("subject.id") }
        if action.name.isEmpty { throw .missing("action.name") }
        if resource.type.isEmpty { throw .missing("resource.type") }
        if resource.id.isEmpty { throw .missing("resource.id") }
        self.init(subject: subject, action: action, resource: resource)
    }
}

/// Why a request, or one of several evaluations, is refused. A denial is not an error.
package struct AuthZENError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status: 400, or 403 if the caller may not send this query.
    package let status: Int
    /// The problem, and its solution.
    package let message: String

    package init(status: Int = 400, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: JSONError) {
        self.init("the body is not valid JSON: \(error)")
    }

    static func missingPart(_ part: String) -> AuthZENError { AuthZENError("`\(part)` is missing: add it") }
    static func missing(_ member: String) -> AuthZENError { AuthZENError("`\(member)` is missing or empty: write a string") }
    static func wrongType(_ member: String, _ wanted: String) -> AuthZENError { AuthZENError("`\(member)` must be \(wanted)") }

    package var description: String { message }
}

/// The subjects that a caller may query.
///
/// The permission to query is always judged at the current time, even for a query about the past: a caller that has lost it may not
/// query the past either.
package enum QueryScope: Hashable, Sendable {
    /// Any subject: the caller has the permission to query all subjects, or administers the store.
    case anyone
    /// Itself. If the principal administers the store, also any subject. If it may set permissions on an object, also the subjects
    /// with access to that object.
    case itself(Name)

    /// Returns whether the caller may query all subjects.
    func mayAskAnything(in store: Store) throws -> Bool {
        guard case .itself(let name) = self else { return true }
        return try name != .anonymous && store.administrators.contains(name)
    }

    /// Returns whether the caller may query the access of a subject; nil for a subject that cannot exist.
    func mayQuery(about subject: Name?, in store: Store) throws -> Bool {
        if case .itself(let name) = self, subject == name { return true }
        return try mayAskAnything(in: store)
    }

    /// Returns whether the caller may query the subjects with access to an object.
    func mayQuery(aboutObject object: Name, in store: Store) throws -> Bool {
        guard case .itself(let name) = self else { return true }
        return try store.read { try $0.check(name, ["setPermissions"], on: object).isAllowed }
    }

    /// Returns the audience that represents the caller.
    func audience(in store: Store) throws -> Audience {
        switch self {
        case .anyone: .unrestricted
        case .itself(let name): try store.audience(actingAs: name)
        }
    }

    /// Throws unless the caller may query a subject.
    func requirePermissionToQuery(about subject: EntityPart, in store: Store) throws {
        guard case .itself(let name) = self, try !mayQuery(about: subject.principal, in: store) else { return }
        throw AuthZENError(
            status: 403, "this token allows \(name) only questions about itself: use a token with the right `ask`")
    }

    /// Throws unless the caller may query the subjects with access to an object.
    func requirePermissionToQuery(aboutAccessTo resource: EntityPart, in store: Store) throws {
        guard case .itself(let name) = self, try !mayAskAnything(in: store) else { return }
        if let object = resource.object, try mayQuery(aboutObject: object, in: store) { return }
        throw AuthZENError(
            status: 403,
            "this token allows \(name) only searches for subjects of objects where it may set permissions: use a token with the right `ask`"
        )
    }
}
