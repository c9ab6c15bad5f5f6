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

    init(_ kind: Kind, _ detail: String, members: JSONObject = [:], retryAfterSeconds seconds: Int) {
        self.init(kind, detail, members: members, headers: [HTTPHeader("Retry-After", "\(seconds)")])
    }

    /// The response with the problem.
    var response: HTTPResponse {
        var body = members
        body["type"] = .string("/problems/\(kind.name)")
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
    /// A kind of problems. Each has a separate page, `/problems/KIND`.
    struct Kind: Hashable, Sendable {
        /// The last part of `type`.
        let name: String
        let status: Int
        let title: String
        /// The solution, for the page of the problem kind.
        let remedy: String

        private init(_ name: String, _ status: Int, _ title: String, _ remedy: String) {
            (self.name, self.status, self.title, self.remedy) = (name, status, title, remedy)
        }

        static let malformed = Kind(
            "malformed", 400, "Malformed request",
            "Read `detail`, which names the error, and correct the request; `/openapi.json` describes every request.")
        static let unauthenticated = Kind(
            "unauthenticated", 401, "The caller is not authenticated",
            "Send `Authorization: Bearer TOKEN`. `muniment token create` creates a token; an expired or revoked token is invalid.")
        static let forbidden = Kind(
            "forbidden", 403, "The caller's token does not allow this",
            "`detail` names what is missing: for a right of the token, use another token (`muniment token create --can …`); for a "
                + "privilege of the principal, someone with `setPermissions` grants it.")
        static let notFound = Kind(
            "not-found", 404, "Not found",
            "Check the names: an object, class, principal, store or path of this name does not exist.")
        static let methodNotAllowed = Kind(
            "method-not-allowed", 405, "Method not allowed",
            "Use one of the methods in `Allow`.")
        static let notAcceptable = Kind(
            "not-acceptable", 406, "The requested media type is not available",
            "Send `Accept: application/json`, or omit `Accept`.")
        static let requestTimeout = Kind(
            "request-timeout", 408, "The request took too long to arrive",
            "Send the request without long pauses.")
        static let conflict = Kind(
            "conflict", 409, "The current state does not allow this",
            "Read `code` and `detail`; read the current state, and decide again.")
        static let keyInUse = Kind(
            "idempotency-key-in-use", 409, "A request with this idempotency key is still running",
            "Wait for the first request, and repeat this one: it then returns the first result.")
        static let revisionNotReached = Kind(
            "revision-not-reached", 409, "The store has not reached this revision",
            "Check the revision in `atLeast`. A store that was restored from an older copy has lost the later revisions.")
        static let preconditionFailed = Kind(
            "precondition-failed", 412, "The object was changed meanwhile",
            "Read the object again, decide with its current state, and send its new ETag.")
        static let tooLarge = Kind(
            "too-large", 413, "The request is too large",
            "Send less at once; `detail` has the limit.")
        static let unsupportedMediaType = Kind(
            "unsupported-media-type", 415, "The media type of the body is not supported",
            "Send the body as JSON, with `Content-Type: application/json`.")
        static let refused = Kind(
            "refused", 403, "The permissions of the store do not allow this",
            "Read `code` and `detail`. A caller with `setPermissions` there can grant the missing privilege; `explain` shows all grants."
        )
        static let misdirected = Kind(
            "misdirected", 421, "The host of the request is not this service",
            "Use an IP address of the service or a name that it knows. The operator adds names with `muniment serve --allow-host NAME`."
        )
        static let keyReused = Kind(
            "idempotency-key-reused", 422, "The idempotency key was used for another request",
            "Use a new `Idempotency-Key` for a new request.")
        static let tooMuchWork = Kind(
            "too-much-work", 422, "The transaction takes too much work",
            "Split the transaction into smaller ones, or have an administrator commit it.")
        static let preconditionRequired = Kind(
            "precondition-required", 428, "The request has no precondition",
            "Send `If-Match` with the ETag of your copy, or `If-None-Match: *` for a new object.")
        static let tooManyRequests = Kind(
            "too-many-requests", 429, "Too many requests",
            "Wait for the seconds in `Retry-After`.")
        static let headTooLarge = Kind(
            "head-too-large", 431, "The head of the request is too large",
            "Send fewer and shorter headers; send long names in a body.")
        static let failed = Kind(
            "failed", 500, "Internal error",
            "Ask the operator to search the service's log for the `X-Request-ID` of the response.")
        static let unavailable = Kind(
            "unavailable", 503, "The service is unavailable now",
            "Try again later.")
        static let insufficientResources = Kind(
            "insufficient-resources", 503, "The service lacks disk space, file descriptors or memory",
            "Wait for the seconds in `Retry-After`. The operator frees the resource that the service's log names.")
        static let deadlineExceeded = Kind(
            "deadline-exceeded", 504, "The response took longer than the route allows",
            "Request less at once, such as a smaller page. `muniment serve --deadline` sets the time limit of a route.")
        static let wrongCredentials = Kind(
            "wrong-credentials", 401, "Wrong credentials",
            "Check the email and the password. An unknown email gets the same response; `POST /v1/accounts/reset` sends a code.")
        static let wrongCode = Kind(
            "wrong-code", 400, "The code is wrong or expired",
            "Use the code of the newest mail; after a few wrong codes, or if it has expired, request a new one.")
        static let accountExists = Kind(
            "account-exists", 409, "The user has an account already",
            "Sign in by one of `providers`, with `link` if the problem has one: this adds the sign-in method to that account.")
        static let noAccount = Kind(
            "no-account", 404, "The user has no account",
            "Sign up by this provider, or sign in by the provider of the account.")
        static let recentSignInRequired = Kind(
            "recent-sign-in-required", 401, "A recent sign-in is required",
            "Send the user's evidence to `POST /v1/account/reauthenticate`, and repeat the request with the new token (RFC 9470).")
        static let linkedElsewhere = Kind(
            "linked-elsewhere", 409, "The sign-in method belongs to another account",
            "Sign in by it to use that account, or unlink it there first.")
        static let alreadyLinked = Kind(
            "already-linked", 409, "The account has a sign-in method of this kind already",
            "Unlink the existing one first; `PUT /v1/account/password` changes a password.")
        static let lastSignInMethod = Kind(
            "last-sign-in-method", 409, "The sign-in method is the only one of the account",
            "Link another provider or set a password first, or delete the account.")
        static let unacceptablePassword = Kind(
            "unacceptable-password", 400, "The password is not acceptable",
            "Read `detail`, and choose another password.")
        static let sessionEnded = Kind(
            "session-ended", 401, "The session has ended",
            "Sign in again.")

        static let allCases: [Kind] = [
            .malformed, .unauthenticated, .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .requestTimeout,
            .conflict, .keyInUse, .revisionNotReached, .preconditionFailed, .tooLarge, .unsupportedMediaType, .refused,
            .misdirected, .keyReused, .tooMuchWork, .preconditionRequired, .tooManyRequests, .headTooLarge, .failed, .unavailable,
            .insufficientResources, .deadlineExceeded, .wrongCredentials, .wrongCode, .accountExists, .noAccount,
            .recentSignInRequired, .linkedElsewhere, .alreadyLinked, .lastSignInMethod, .unacceptablePassword, .sessionEnded,
        ]
    }

    /// The caller has reached the limit on its queued requests.
    static let tooMuchOfCaller = Problem(
        .tooManyRequests, "too many requests of this caller are waiting: send fewer at once", retryAfterSeconds: 1)

    /// The request took longer than its route allows.
    static let deadlineExceeded = Problem(
        .deadlineExceeded,
        "the response took too long: request less at once, such as a smaller page, or try again at a quieter time",
        retryAfterSeconds: 1)

    /// The log of the service names the missing resource.
    static let insufficientResources = Problem(
        .insufficientResources, "the service lacks disk space, file descriptors or memory. Nothing was changed. Try again later.",
        retryAfterSeconds: 5)

    static let tooMuchWaits = Problem(
        .unavailable, "too many requests are waiting: try again later", retryAfterSeconds: 1)

    /// Creates the problem for a status that the HTTP server itself returns.
    init(status: Int, detail: String) {
        let kind = Kind.allCases.first { $0.status == status && $0 != .refused } ?? (status < 500 ? .malformed : .failed)
        self.init(kind, detail, headers: status == 503 ? [HTTPHeader("Retry-After", "1")] : [])
    }
}

extension Problem {
    /// Creates the problem for a refusal of a store, with the code of the refusal.
    init(_ refusal: Refusal) { self.init(refusal, as: .of(refusal.code)) }

    /// Creates the problem for a refusal of a store, with the code of the refusal and another kind.
    init(_ refusal: Refusal, as kind: Kind) {
        var members: JSONObject = ["code": .string(refusal.code.rawValue)]
        if let change = refusal.change { members["change"] = .integer(Int64(change)) }
        self.init(kind, refusal.message, members: members)
    }
}

extension Problem.Kind {
    fileprivate static func of(_ code: Refusal.Code) -> Problem.Kind {
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
