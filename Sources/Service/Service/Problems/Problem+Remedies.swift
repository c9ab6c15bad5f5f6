extension Problem.Kind {
    /// The solution, for the page of the problem kind.
    var remedy: String {
        switch self {
        case .malformed:
            "Read `detail`, which names what is wrong, and correct the request; `/openapi.json` describes every request."
        case .unauthenticated:
            "Send `Authorization: Bearer TOKEN`. `muniment token create` makes a token; one that has ended or was revoked is good no more."
        case .forbidden: "Use a token with the right for this store: `muniment token create --can ask` or `--can administer`."
        case .notFound: "Check the names: an object, class, principal, store or address of this name is not there."
        case .methodNotAllowed: "Use one of the methods in `Allow`."
        case .notAcceptable: "Ask for `application/json`, or leave out `Accept`."
        case .requestTimeout: "Send the request without long pauses."
        case .conflict: "Read `code` and `detail`; ask how it is now, and decide again."
        case .keyInUse: "Wait for the first request, and repeat this one: it then answers the first result."
        case .notYetVisible:
            "Check the revision in `atLeast`. A store that was restored from an older copy has lost the revisions behind it."
        case .preconditionFailed: "Read the object again, and decide on what it is now; send its new ETag."
        case .tooLarge: "Send less at once; `detail` says what the limit is."
        case .unsupportedMediaType: "Send the body as JSON, with `Content-Type: application/json`."
        case .refused:
            "Read `code` and `detail`. Somebody who may set permissions there can grant what is missing; `explain` says who gave what."
        case .keyReused: "Take a new `Idempotency-Key` for a new request."
        case .tooMuchWork: "Split the transaction into smaller ones, or have an administrator commit it."
        case .preconditionRequired: "Send `If-Match` with the ETag of what you read, or `If-None-Match: *` for something new."
        case .tooManyRequests: "Wait for as long as `Retry-After` says."
        case .headTooLarge: "Send fewer and shorter headers; put long names into a body."
        case .failed: "Ask whoever runs the service to look into its log, under the `X-Request-ID` of the answer."
        case .unavailable: "Ask again in a moment."
        case .lacksResources: "Wait for as long as `Retry-After` says. The operator frees what the service's log names."
        case .deadlineExceeded:
            "Ask for less at once, such as a smaller page. `muniment serve --deadline` sets how long a route may take."
        case .wrongCredentials:
            "Check what was typed. The answer is the same for an email that is not known; `POST /v1/accounts/reset` sends a code."
        case .wrongCode: "Type the code of the newest mail; after a few wrong ones, or when it is over, begin anew."
        case .accountExists:
            "Sign in by one of `providers`, with `link` where there is one: what was proved becomes a way into that account."
        case .noAccount: "Sign up by this provider, or sign in by the one that the account was made with."
        case .recentSignInRequired:
            "Send what shows who it is to `POST /v1/account/reauthenticate`, and repeat the request with the new token (RFC 9470)."
        case .linkedElsewhere: "Sign in by it to come to that account, or unlink it there first."
        case .alreadyLinked: "Unlink the one that is there first; a password is changed with `PUT /v1/account/password`."
        case .lastWayIn: "Link another provider or set a password first, or delete the account."
        case .unfitPassword: "Read `detail`, and take another password."
        case .sessionEnded: "Sign in again."
        }
    }
}
