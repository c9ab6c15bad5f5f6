extension Problem.Kind {
    /// The solution, for the page of the problem kind.
    var remedy: String {
        switch self {
        case .malformed:
            "Read `detail`, which names the error, and correct the request; `/openapi.json` describes every request."
        case .unauthenticated:
            "Send `Authorization: Bearer TOKEN`. `muniment token create` creates a token; an expired or revoked token is invalid."
        case .forbidden: "Use a token with the right for this store: `muniment token create --can ask` or `--can administer`."
        case .notFound: "Check the names: an object, class, principal, store or path of this name does not exist."
        case .methodNotAllowed: "Use one of the methods in `Allow`."
        case .notAcceptable: "Send `Accept: application/json`, or omit `Accept`."
        case .requestTimeout: "Send the request without long pauses."
        case .conflict: "Read `code` and `detail`; read the current state, and decide again."
        case .keyInUse: "Wait for the first request, and repeat this one: it then returns the first result."
        case .notYetVisible:
            "Check the revision in `atLeast`. A store that was restored from an older copy has lost the later revisions."
        case .preconditionFailed: "Read the object again, decide with its current state, and send its new ETag."
        case .tooLarge: "Send less at once; `detail` has the limit."
        case .unsupportedMediaType: "Send the body as JSON, with `Content-Type: application/json`."
        case .refused:
            "Read `code` and `detail`. A caller with `setPermissions` there can grant the missing privilege; `explain` shows all grants."
        case .keyReused: "Use a new `Idempotency-Key` for a new request."
        case .tooMuchWork: "Split the transaction into smaller ones, or have an administrator commit it."
        case .preconditionRequired: "Send `If-Match` with the ETag of your copy, or `If-None-Match: *` for a new object."
        case .tooManyRequests: "Wait for the seconds in `Retry-After`."
        case .headTooLarge: "Send fewer and shorter headers; send long names in a body."
        case .failed: "Ask the operator to search the service's log for the `X-Request-ID` of the response."
        case .unavailable: "Try again later."
        case .lacksResources: "Wait for the seconds in `Retry-After`. The operator frees the resource that the service's log names."
        case .deadlineExceeded:
            "Request less at once, such as a smaller page. `muniment serve --deadline` sets the time limit of a route."
        case .wrongCredentials:
            "Check the email and the password. An unknown email gets the same response; `POST /v1/accounts/reset` sends a code."
        case .wrongCode: "Use the code of the newest mail; after a few wrong codes, or if it has expired, request a new one."
        case .accountExists:
            "Sign in by one of `providers`, with `link` if the problem has one: this adds the sign-in method to that account."
        case .noAccount: "Sign up by this provider, or sign in by the provider of the account."
        case .recentSignInRequired:
            "Send the user's evidence to `POST /v1/account/reauthenticate`, and repeat the request with the new token (RFC 9470)."
        case .linkedElsewhere: "Sign in by it to use that account, or unlink it there first."
        case .alreadyLinked: "Unlink the existing one first; `PUT /v1/account/password` changes a password."
        case .lastWayIn: "Link another provider or set a password first, or delete the account."
        case .unfitPassword: "Read `detail`, and choose another password."
        case .sessionEnded: "Sign in again."
        }
    }
}
