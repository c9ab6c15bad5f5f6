public import Primitives

/// A store of the service, as an application uses it. Usable from any task.
///
/// ```swift
/// let service = ServiceConnection(try ServiceAddress("https://example.com"), tokens: AuthManager.shared)
/// let store = StoreClient(service, store: "default")
/// if try await store.check(ann, "update", on: "doc:plan").isAllowed { … }
/// ```
///
/// All calls throw ``ServiceError``. Questions are repeated if a response is lost; so are changes, with an `Idempotency-Key`, so that
/// each is made once.
public struct StoreClient: Sendable {
    public let connection: ServiceConnection
    public let name: String
    /// The caller of changes and reads; nil for a token that acts as a principal itself, such as that of a signed-in user.
    public let actor: Name?

    /// - Parameters:
    ///   - connection: the connection to the service.
    ///   - name: the name of the store.
    ///   - actor: the caller of changes and reads, for a token of an application server; nil for the token of a user.
    public init(_ connection: ServiceConnection, store name: String = "default", actor: Name? = nil) {
        (self.connection, self.name, self.actor) = (connection, name, actor)
    }

    var asActor: JSONValue? { actor.map { .string($0.text) } }

    /// Returns the path of a route of this store, from its segments.
    func path(_ segments: String...) -> String {
        "/v1/stores/" + ([name] + segments).map(\.percentEncoded).joined(separator: "/")
    }
}

/// The moment of a question.
public enum ReadPoint: Hashable, Sendable {
    case now
    /// Now, in a store that has at least this revision. It fails with ``ProblemKind/revisionNotReached`` otherwise.
    case atLeast(Revision)
    /// A revision in the past.
    case revision(Revision)
    /// A time in the past.
    case time(Instant)

    /// The value of `at`, and of the arguments with other names for it.
    var moment: JSONValue? {
        switch self {
        case .now, .atLeast: nil
        case .revision(let revision): .revision(revision)
        case .time(let time): .string("\(time)")
        }
    }

    var arguments: [(String, JSONValue?)] {
        if case .atLeast(let revision) = self { [("atLeast", .revision(revision))] } else { [("at", moment)] }
    }
}

/// A request to a route of the service. The arguments are in the body of a POST, and in the query of any other method.
struct Call: Sendable {
    var method = ServiceRequest.Method.get
    let path: String
    var arguments: JSONObject
    var headers: [String: String] = [:]
    /// The body, beside arguments in the query; nil for none.
    var body: JSONValue?
    var effect = RequestEffect.question

    /// - Parameter arguments: the arguments; those without a value are omitted.
    init(_ method: ServiceRequest.Method, _ path: String, _ arguments: [(String, JSONValue?)] = []) {
        (self.method, self.path) = (method, path)
        self.arguments = JSONObject(present: arguments)
    }

    /// The request without its body.
    var address: ServiceRequest {
        let query = arguments.map { "\($0.percentEncoded)=\($1.queryText.percentEncoded)" }.joined(separator: "&")
        return ServiceRequest(method, method == .post || query.isEmpty ? path : path + "?" + query, headers: headers)
    }

    var request: ServiceRequest {
        get throws(ServiceError) {
            var request = address
            request.headers.merge(["Accept": "application/json"]) { own, _ in own }
            guard let body = method == .post ? .object(arguments) : body else { return request }
            do throws(JSONError) { request.body = try JSONText.encode(body) } catch {
                throw .unreachable("the request contains a number that JSON cannot represent (NaN or infinity)")
            }
            request.headers.merge(["Content-Type": "application/json"]) { own, _ in own }
            return request
        }
    }
}

extension ServiceConnection {
    func perform<Value: WireValue>(_ call: Call) async throws(ServiceError) -> Value {
        let response = try await send(try call.request, effect: call.effect)
        do { return try Value(wire: try JSONText.decode(response.body, limit: TransportLimits.responseBytes)) } catch {
            throw .unexpectedResponse("the response to \(call.path) cannot be read (\(error))")
        }
    }

    func perform<Value: WireValue>(_ call: Call, member: String) async throws(ServiceError) -> Value {
        let members: JSONObject = try await perform(call)
        do { return try members.read(member) } catch {
            throw .unexpectedResponse("the response to \(call.path) cannot be read (\(error))")
        }
    }
}

extension JSONObject {
    /// Creates an object from the members that have a value.
    init(present members: [(String, JSONValue?)]) {
        self.init(members.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension JSONValue {
    static func revision(_ revision: Revision) -> JSONValue { .integer(Int64(clamping: revision.rawValue)) }

    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    /// This value in a query. Lists are separated by commas.
    fileprivate var queryText: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .array(let values): values.map(\.queryText).joined(separator: ",")
        case .null, .number, .object: (try? JSONText.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }
}
