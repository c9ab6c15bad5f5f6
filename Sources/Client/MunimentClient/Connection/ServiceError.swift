public import Primitives

/// The reason why a request to the service failed.
public enum ServiceError: Error, Hashable, Sendable {
    /// The service rejected the request.
    case problem(ServiceProblem)
    /// The request was not sent, because no user is signed in or the session has ended.
    case signIn(AuthError)
    /// The service was not reached, after all attempts. Nothing was done.
    case unreachable(String)
    /// The response was lost. The request may have been executed.
    case outcomeUnknown(String)
    /// Another server has answered, or a version of Muniment that this client does not understand.
    case unexpectedResponse(String)
    /// The task was cancelled before the request was sent, or while it asked a question. Nothing was changed.
    case cancelled

    /// The problem that the service reported; nil for other errors.
    public var problem: ServiceProblem? { if case .problem(let problem) = self { problem } else { nil } }
}

extension ServiceError: CustomStringConvertible {
    /// The problem, and what to do next.
    public var description: String {
        switch self {
        case .problem(let problem): "\(problem)"
        case .signIn(let error): "\(error)"
        case .unreachable(let why): "nothing was done: \(why); check the network and the address, and try again"
        case .outcomeUnknown(let why): "the result is unknown: \(why); read the current state, and try again if nothing was changed"
        case .unexpectedResponse(let why): "unexpected response: \(why); check the address of the service, and its version"
        case .cancelled: "it was cancelled, and nothing was changed"
        }
    }
}

/// A problem that the service reported (RFC 9457).
public struct ServiceProblem: Hashable, Sendable, CustomStringConvertible {
    public let kind: ProblemKind
    public let status: Int
    /// The wrong value and the reason.
    public let detail: String
    /// The reason why a store refused a change, such as `noPrivilege`; nil for other problems.
    public let code: String?
    /// The index of the refused change, from 0; nil for other problems.
    public let change: Int?
    /// The seconds to wait before the request is repeated; nil if the service does not say.
    public let retryAfterSeconds: Int?
    /// The id of the request in the log of the service.
    public let requestID: String?
    public let members: JSONObject

    /// What to do next.
    public var remedy: String { kind.remedy }

    public var description: String { "\(detail)\(kind.rawValue.isEmpty ? "" : " (\(kind))"). \(remedy)" }

    /// The maximum bytes of a problem.
    static let limitBytes = 1 << 16

    /// Creates the problem of a response with an error status. The body may have any content: a proxy may have sent it.
    init(_ response: ServiceResponse) {
        members = (try? JSONText.decode(response.body, limit: ServiceProblem.limitBytes).readMembers()) ?? JSONObject()
        kind = ProblemKind(rawValue: members.text("type").flatMap { $0.split(separator: "/").last.map(String.init) } ?? "")
        status = response.status
        detail = members.text("detail") ?? "status \(response.status), without a problem of Muniment"
        code = members.text("code")
        change = members.integer("change").flatMap { Int(exactly: $0) }
        retryAfterSeconds = response.retryAfterSeconds
        requestID = response.headers["x-request-id"]
    }

    /// Whether the access token is invalid.
    var isAboutToken: Bool { status == 401 && (kind == .unauthenticated || kind == .sessionEnded) }
}
