/// The kind of a problem, for decisions of a program. A later version of the service may have further kinds.
public struct ProblemKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The last part of the problem's `type`, such as `not-found`; empty for a response that is not Muniment's.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// What to do about every problem of this kind.
    public var remedy: String {
        if rawValue.isEmpty { return "Check the address of the service, and the proxy in front of it." }
        return ProblemKind.remedies[self] ?? "Read the page of this kind of problem: `GET /problems/\(rawValue)`."
    }

    public static let malformed = ProblemKind(rawValue: "malformed")
    public static let unauthenticated = ProblemKind(rawValue: "unauthenticated")
    /// The caller's token does not allow this.
    public static let forbidden = ProblemKind(rawValue: "forbidden")
    public static let notFound = ProblemKind(rawValue: "not-found")
    public static let methodNotAllowed = ProblemKind(rawValue: "method-not-allowed")
    /// The requested media type is not available.
    public static let notAcceptable = ProblemKind(rawValue: "not-acceptable")
    /// The request took too long to arrive.
    public static let requestTimeout = ProblemKind(rawValue: "request-timeout")
    /// The current state does not allow this.
    public static let conflict = ProblemKind(rawValue: "conflict")
    /// A request with this idempotency key is still running.
    public static let keyInUse = ProblemKind(rawValue: "idempotency-key-in-use")
    /// The store has not reached this revision.
    public static let revisionNotReached = ProblemKind(rawValue: "revision-not-reached")
    /// The object was changed meanwhile.
    public static let preconditionFailed = ProblemKind(rawValue: "precondition-failed")
    public static let tooLarge = ProblemKind(rawValue: "too-large")
    /// The media type of the body is not supported.
    public static let unsupportedMediaType = ProblemKind(rawValue: "unsupported-media-type")
    /// The permissions of the store do not allow this.
    public static let refused = ProblemKind(rawValue: "refused")
    /// `Host` is not a name of the service.
    public static let misdirected = ProblemKind(rawValue: "misdirected")
    /// The idempotency key was used for another request.
    public static let keyReused = ProblemKind(rawValue: "idempotency-key-reused")
    public static let tooMuchWork = ProblemKind(rawValue: "too-much-work")
    /// The request has no precondition.
    public static let preconditionRequired = ProblemKind(rawValue: "precondition-required")
    public static let tooManyRequests = ProblemKind(rawValue: "too-many-requests")
    public static let headTooLarge = ProblemKind(rawValue: "head-too-large")
    /// Internal error.
    public static let failed = ProblemKind(rawValue: "failed")
    /// The service is unavailable now.
    public static let unavailable = ProblemKind(rawValue: "unavailable")
    /// The service lacks disk space, file descriptors or memory.
    public static let insufficientResources = ProblemKind(rawValue: "insufficient-resources")
    /// The response took longer than the route allows.
    public static let deadlineExceeded = ProblemKind(rawValue: "deadline-exceeded")
    public static let wrongCredentials = ProblemKind(rawValue: "wrong-credentials")
    /// The code is wrong or expired.
    public static let wrongCode = ProblemKind(rawValue: "wrong-code")
    /// The user has an account already.
    public static let accountExists = ProblemKind(rawValue: "account-exists")
    public static let noAccount = ProblemKind(rawValue: "no-account")
    public static let recentSignInRequired = ProblemKind(rawValue: "recent-sign-in-required")
    /// The sign-in method belongs to another account.
    public static let linkedElsewhere = ProblemKind(rawValue: "linked-elsewhere")
    /// The account has a sign-in method of this kind already.
    public static let alreadyLinked = ProblemKind(rawValue: "already-linked")
    /// The sign-in method is the only one of the account.
    public static let lastSignInMethod = ProblemKind(rawValue: "last-sign-in-method")
    public static let unacceptablePassword = ProblemKind(rawValue: "unacceptable-password")
    public static let sessionEnded = ProblemKind(rawValue: "session-ended")

    /// The remedies of the service.
    static let remedies: [ProblemKind: String] = [
        .malformed:
            "Read `detail`, which names the error, and correct the request; `/openapi.json` describes every "
            + "request.",
        .unauthenticated:
            "Send `Authorization: Bearer TOKEN`. `muniment token create` creates a token; an expired or revoked "
            + "token is invalid.",
        .forbidden:
            "`detail` names what is missing: for a right of the token, use another token (`muniment token create --can …`); for a "
            + "privilege of the principal, someone with `setPermissions` grants it.",
        .notFound: "Check the names: an object, class, principal, store or path of this name does not exist.",
        .methodNotAllowed: "Use one of the methods in `Allow`.",
        .notAcceptable: "Send `Accept: application/json`, or omit `Accept`.",
        .requestTimeout: "Send the request without long pauses.",
        .conflict: "Read `code` and `detail`; read the current state, and decide again.",
        .keyInUse: "Wait for the first request, and repeat this one: it then returns the first result.",
        .revisionNotReached:
            "Check the revision in `atLeast`. A store that was restored from an older copy has lost the later "
            + "revisions.",
        .preconditionFailed: "Read the object again, decide with its current state, and send its new ETag.",
        .tooLarge: "Send less at once; `detail` has the limit.",
        .unsupportedMediaType: "Send the body as JSON, with `Content-Type: application/json`.",
        .refused:
            "Read `code` and `detail`. A caller with `setPermissions` there can grant the missing privilege; "
            + "`explain` shows all grants.",
        .misdirected:
            "Use an IP address of the service or a name that it knows. The operator adds names with `muniment serve --allow-host NAME`.",
        .keyReused: "Use a new `Idempotency-Key` for a new request.",
        .tooMuchWork: "Split the transaction into smaller ones, or have an administrator commit it.",
        .preconditionRequired: "Send `If-Match` with the ETag of your copy, or `If-None-Match: *` for a new object.",
        .tooManyRequests: "Wait for the seconds in `Retry-After`.",
        .headTooLarge: "Send fewer and shorter headers; send long names in a body.",
        .failed: "Ask the operator to search the service's log for the `X-Request-ID` of the response.",
        .unavailable: "Try again later.",
        .insufficientResources:
            "Wait for the seconds in `Retry-After`. The operator frees the resource that the service's log names.",
        .deadlineExceeded:
            "Request less at once, such as a smaller page. `muniment serve --deadline` sets the time limit of a "
            + "route.",
        .wrongCredentials:
            "Check the email and the password. An unknown email gets the same response; `POST "
            + "/v1/accounts/reset` sends a code.",
        .wrongCode: "Use the code of the newest mail; after a few wrong codes, or if it has expired, request a new one.",
        .accountExists:
            "Sign in by one of `providers`, with `link` if the problem has one: this adds the sign-in method to "
            + "that account.",
        .noAccount: "Sign up by this provider, or sign in by the provider of the account.",
        .recentSignInRequired:
            "Send the user's evidence to `POST /v1/account/reauthenticate`, and repeat the request with the new "
            + "token (RFC 9470).",
        .linkedElsewhere: "Sign in by it to use that account, or unlink it there first.",
        .alreadyLinked: "Unlink the existing one first; `PUT /v1/account/password` changes a password.",
        .lastSignInMethod: "Link another provider or set a password first, or delete the account.",
        .unacceptablePassword: "Read `detail`, and choose another password.",
        .sessionEnded: "Sign in again.",
    ]
}
