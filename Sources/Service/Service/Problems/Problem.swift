internal import Events
internal import HTTPServer
internal import Permissions

/// The error of a request in the format of RFC 9457: a kind for programs, and sentences for people.
struct Problem: Error {
    let kind: Kind
    /// The problem of this request, the value that is wrong, and the remedy.
    let detail: String
    /// More data for programs, such as the code of a refusal.
    var members: JSONObject = [:]
    var headers: [HTTPHeader] = []

    init(_ kind: Kind, _ detail: String, members: JSONObject = [:], headers: [HTTPHeader] = []) {
        self.kind = kind
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    /// The response with the problem.
    var response: HTTPResponse {
        var body = members
        body["type"] = .string("/problems/\(kind.rawValue)")
        body["title"] = .string(kind.title)
        body["status"] = .integer(Int64(kind.status))
        body["detail"] = .string(detail)
        var writer = JSONWriter()
        writer.write(.object(body))
        return HTTPResponse(
            status: kind.status,
            headers: [HTTPHeader("Content-Type", "application/problem+json"), HTTPHeader("Cache-Control", "no-store")] + headers,
            body: .bytes(writer.written))
    }
}

extension Problem {
    /// The kinds of problems. Each has a separate page, `/problems/KIND`.
    enum Kind: String, Sendable, CaseIterable {
        case malformed, unauthenticated, forbidden
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case requestTimeout = "request-timeout"
        case conflict
        case keyInUse = "key-in-use"
        case notYetVisible = "not-yet-visible"
        case preconditionFailed = "precondition-failed"
        case tooLarge = "too-large"
        case unsupportedMediaType = "unsupported-media-type"
        case refused
        case keyReused = "key-reused"
        case tooMuchWork = "too-much-work"
        case preconditionRequired = "precondition-required"
        case tooManyRequests = "too-many-requests"
        case headTooLarge = "head-too-large"
        case failed, unavailable
        case lacksResources = "lacks-resources"
        case deadlineExceeded = "deadline-exceeded"
        case wrongCredentials = "wrong-credentials"
        case wrongCode = "wrong-code"
        case accountExists = "account-exists"
        case noAccount = "no-account"
        case recentSignInRequired = "recent-sign-in-required"
        case linkedElsewhere = "linked-elsewhere"
        case alreadyLinked = "already-linked"
        case lastWayIn = "last-way-in"
        case unfitPassword = "unfit-password"
        case sessionEnded = "session-ended"

        var status: Int {
            switch self {
            case .malformed, .wrongCode, .unfitPassword: 400
            case .unauthenticated, .wrongCredentials, .recentSignInRequired, .sessionEnded: 401
            case .forbidden, .refused: 403
            case .notFound, .noAccount: 404
            case .methodNotAllowed: 405
            case .notAcceptable: 406
            case .requestTimeout: 408
            case .conflict, .keyInUse, .notYetVisible, .accountExists, .linkedElsewhere, .alreadyLinked, .lastWayIn: 409
            case .preconditionFailed: 412
            case .tooLarge: 413
            case .unsupportedMediaType: 415
            case .keyReused, .tooMuchWork: 422
            case .preconditionRequired: 428
            case .tooManyRequests: 429
            case .headTooLarge: 431
            case .failed: 500
            case .unavailable, .lacksResources: 503
            case .deadlineExceeded: 504
            }
        }

        var title: String {
            switch self {
            case .malformed: "Malformed request"
            case .unauthenticated: "The caller is not authenticated"
            case .forbidden: "The caller's token does not allow this"
            case .notFound: "Not found"
            case .methodNotAllowed: "Method not allowed"
            case .notAcceptable: "The requested media type is not available"
            case .requestTimeout: "The request took too long to arrive"
            case .conflict: "The current state does not allow this"
            case .keyInUse: "A request with this idempotency key is still running"
            case .notYetVisible: "The store has not reached this revision"
            case .preconditionFailed: "The object was changed meanwhile"
            case .tooLarge: "The request is too large"
            case .unsupportedMediaType: "The media type of the body is not supported"
            case .refused: "The permissions of the store do not allow this"
            case .keyReused: "The idempotency key was used for another request"
            case .tooMuchWork: "The transaction takes too much work"
            case .preconditionRequired: "The request has no precondition"
            case .tooManyRequests: "Too many requests"
            case .headTooLarge: "The head of the request is too large"
            case .failed: "Internal error"
            case .unavailable: "The service is unavailable now"
            case .lacksResources: "The service lacks disk space, file descriptors or memory"
            case .deadlineExceeded: "The response took longer than the route allows"
            case .wrongCredentials: "Wrong credentials"
            case .wrongCode: "The code is wrong or expired"
            case .accountExists: "The user has an account already"
            case .noAccount: "The user has no account"
            case .recentSignInRequired: "A recent sign-in is required"
            case .linkedElsewhere: "The sign-in method belongs to another account"
            case .alreadyLinked: "The account has a sign-in method of this kind already"
            case .lastWayIn: "The sign-in method is the only one of the account"
            case .unfitPassword: "The password is not acceptable"
            case .sessionEnded: "The session has ended"
            }
        }
    }

    /// The caller has reached the limit on its queued requests.
    static let tooMuchOfCaller = Problem(
        .tooManyRequests, "too many requests of this caller are waiting: send fewer at once",
        headers: [HTTPHeader("Retry-After", "1")])

    /// The request took longer than its route allows.
    static let deadlineExceeded = Problem(
        .deadlineExceeded,
        "the response took too long: request less at once, such as a smaller page, or try again at a quieter time",
        headers: [HTTPHeader("Retry-After", "1")])

    /// The log of the service names the missing resource.
    static let lacksResources = Problem(
        .lacksResources, "the service lacks disk space, file descriptors or memory. Nothing was changed. Try again later.",
        headers: [HTTPHeader("Retry-After", "5")])

    static let tooMuchWaits = Problem(
        .unavailable, "too many requests are waiting: try again later", headers: [HTTPHeader("Retry-After", "1")])

    /// Creates the problem for a status that the HTTP server itself returns.
    init(status: Int, detail: String) {
        let kind = Kind.allCases.first { $0.status == status && $0 != .refused } ?? (status < 500 ? .malformed : .failed)
        self.init(kind, detail, headers: status == 503 ? [HTTPHeader("Retry-After", "1")] : [])
    }
}

extension Problem {
    /// Creates the problem for a refusal of a store, with the code of the refusal.
    init(_ refusal: Refusal) {
        var members: JSONObject = ["code": .string(refusal.code.rawValue)]
        if let change = refusal.change { members["change"] = .integer(Int64(change)) }
        self.init(Kind(refusal.code), refusal.message, members: members)
    }
}

extension Problem.Kind {
    fileprivate init(_ code: Refusal.Code) {
        self =
            switch code {
            case .malformed: .malformed
            case .tooLarge: .tooLarge
            case .notAuthenticated, .noPrivilege, .aboveOwnLevel, .notAdministrator: .refused
            case .unknownObject, .unknownClass, .unknownPrincipal, .unknownPermission: .notFound
            case .alreadyExists, .notThere, .cycle, .permanentEntry, .conflict, .lastAdministrator: .conflict
            case .keyReused: .keyReused
            case .tooMuchWork: .tooMuchWork
            }
    }
}
