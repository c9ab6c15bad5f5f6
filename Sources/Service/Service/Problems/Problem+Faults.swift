internal import EventLog
internal import Events
internal import Files
internal import HTTPServer
internal import Histories
internal import Identity
internal import Muniment
internal import Permissions
internal import Wire

extension Problem {
    /// Creates the problem for an error of a lower layer. Errors that the caller did not cause are reported in the log and not to
    /// the caller.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case is Cancellation.StoppedError: self = .deadlineExceeded
        case let refusal as Refusal: self.init(refusal)
        case let problem as AuthZENError: self.init(problem.status == 403 ? .forbidden : .malformed, problem.message)
        case let problem as AccountError: self.init(problem)
        case let error as JSONError where error.kind == .tooLong: self.init(.tooLarge, "the body is too large: \(error)")
        case let error as JSONError: self.init(.malformed, "the body is not JSON: \(error)")
        case let error as SpanError: self.init(.malformed, "\(error)")
        case let error as TimeFormatError: self.init(.malformed, "\(error)")
        case let error as StoreError: self.init(error)
        case let damage as UnusableStoreError:
            if let error = damage.reason as? StoreError, error.isRollback {
                self.init(error)
            } else {
                self.init(
                    .unavailable,
                    "the files of this store are damaged or inaccessible, so the store is not served. The operator repairs it, or "
                        + "restores it from a backup; the service's log has the reason.")
            }
        case is SharedLogError:
            self.init(
                .unavailable,
                "the shared log did not answer, so this node can neither change nor confirm anything. A change may have been made: send it "
                    + "again with the same `Idempotency-Key`, to this node or another one.",
                retryAfterSeconds: 1)
        case let error as FileError where error.isLackOfResources: self = .insufficientResources
        case AccountDatabaseError.insufficientResources: self = .insufficientResources
        default: self.init(.failed, "internal error: the operator finds it in the service's log under the request's id")
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .noSuchRevision, .timeGoesBackwards, .timeOutOfRange: self.init(.malformed, "\(error)")
        case .clockIsAhead, .clockIsBehind:
            self.init(
                .unavailable,
                "the clock of the service's machine is wrong, so the store commits nothing. Try again after it is corrected.")
        case .insufficientResources: self = .insufficientResources
        case .rolledBack, .headIsDamaged:
            self.init(
                .unavailable,
                "the log of this store lost commits, so the store is not served. The operator restores it from a backup or runs "
                    + "`muniment accept-rollback`.")
        case .missing, .nested:
            self.init(
                .unavailable,
                "the folder of this store is missing, so the store is not served. The operator puts it back, restores it from a backup or "
                    + "runs `muniment accept-rollback`.")
        case .closed: self.init(.unavailable, "the service is stopping: try again later")
        default:
            self.init(.unavailable, "the store cannot do this now; the service's log has the reason under the request's id")
        }
    }
}

extension StoreError {
    /// Whether the log was rolled back, or may have been.
    fileprivate var isRollback: Bool {
        switch self {
        case .rolledBack, .headIsDamaged: true
        default: false
        }
    }
}

extension Problem {
    /// Creates the problem for a refused account operation.
    init(_ problem: AccountError) {
        switch problem {
        case .malformed(let detail): self.init(.malformed, detail)
        case .wrongCredentials:
            self.init(.wrongCredentials, "wrong credentials: check them, and try again", headers: [Problem.bearer])
        case .wrongCode:
            self.init(
                .wrongCode,
                "the code, attempt or link is wrong, used or expired, or the service was restarted since: check it, or "
                    + "start again"
            )
        case .tooManyAttempts(let seconds):
            self.init(.tooManyRequests, "too many attempts: try again in \(seconds) s", retryAfterSeconds: max(1, seconds))
        case .accountExists(let providers, let link):
            var members: JSONObject = ["providers": .texts(providers.map(\.text))]
            if let link { members["link"] = .string(link) }
            let names = providers.map { "`\($0)`" }.joined(separator: ", ")
            let linking = link == nil ? "" : ", with `link` to add this sign-in method"
            self.init(.accountExists, "you have an account already: sign in by \(names)\(linking)", members: members)
        case .noAccount: self.init(.noAccount, "no account has this sign-in method: sign up first, or sign in by another provider")
        case .recentSignInRequired(let seconds): self = .recentSignInRequired(seconds)
        case .linkedElsewhere: self.init(.linkedElsewhere, "this sign-in method belongs to another account: unlink it there first")
        case .alreadyLinked: self.init(.alreadyLinked, "the account has a sign-in method of this kind already: unlink it first")
        case .notThere(let detail): self.init(.notFound, detail)
        case .lastSignInMethod: self.init(.lastSignInMethod, "it is the only sign-in method of the account: link another one first")
        case .unknownProvider(let name):
            self.init(
                .malformed, "unknown provider `\(Name(name).excerpt)`: `GET /v1/accounts/providers` lists the providers",
                members: ["argument": .string("provider")])
        case .unacceptablePassword(let detail): self.init(.unacceptablePassword, detail)
        case .sessionEnded: self.init(.sessionEnded, "the session has ended: sign in again", headers: [Problem.bearer])
        case .unavailable(let detail): self.init(.unavailable, detail, retryAfterSeconds: 1)
        case .undeletable(let detail): self.init(.conflict, detail)
        }
    }

    /// Returns the problem for a sign-in that is too old, as required by RFC 9470.
    private static func recentSignInRequired(_ seconds: Int) -> Problem {
        let words = "the last sign-in must be within \(seconds) s: sign in again"
        return Problem(
            .recentSignInRequired, words, members: ["maxAge": .count(seconds)],
            headers: [
                HTTPHeader(
                    "WWW-Authenticate",
                    "Bearer realm=\"muniment\", error=\"insufficient_user_authentication\", error_description=\"\(words)\", "
                        + "max_age=\"\(seconds)\"")
            ])
    }

    /// Every 401 contains the authentication scheme (RFC 9110, section 15.5.2).
    private static let bearer = HTTPHeader("WWW-Authenticate", "Bearer realm=\"muniment\"")

    /// The service was started without accounts.
    static let withoutAccounts = Problem(
        .notFound, "this service has no accounts: the operator can start it with `muniment serve --accounts FILE`")
}
