internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment
internal import Permissions

extension Problem {
    /// Creates the problem for a refused account operation.
    init(_ problem: AccountProblem) {
        switch problem {
        case .malformed(let detail): self.init(.malformed, detail)
        case .wrongCredentials:
            self.init(
                .wrongCredentials, "wrong credentials: check them, and try again",
                headers: [Problem.bearer])
        case .wrongCode:
            self.init(
                .wrongCode,
                "the code, attempt or link is wrong, used or expired, or the service was restarted since: check it, or "
                    + "start again"
            )
        case .tooManyAttempts(let seconds):
            self.init(
                .tooManyRequests, "too many attempts: try again in \(seconds) s",
                headers: [HTTPHeader("Retry-After", "\(max(1, seconds))")])
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
        case .lastWayIn: self.init(.lastWayIn, "it is the only sign-in method of the account: link another one first")
        case .unknownProvider(let name):
            self.init(
                .malformed, "unknown provider `\(Name(name).excerpt)`: `GET /v1/accounts/providers` lists the providers",
                members: ["argument": .string("provider")])
        case .unfitPassword(let detail): self.init(.unfitPassword, detail)
        case .sessionEnded: self.init(.sessionEnded, "the session has ended: sign in again", headers: [Problem.bearer])
        case .unavailable(let detail): self.init(.unavailable, detail, headers: [HTTPHeader("Retry-After", "1")])
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
