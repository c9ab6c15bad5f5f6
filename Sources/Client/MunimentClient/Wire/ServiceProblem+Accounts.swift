internal import Primitives

/// The problems of requests about accounts.
extension ServiceProblem {
    /// The maximum age of the sign-in in seconds, if the user must reauthenticate; nil otherwise.
    var recentSignIn: Int? {
        guard status == 401, kind == .recentSignInRequired else { return nil }
        return members.integer("maxAge").map { Int(clamping: $0) } ?? AuthMachine.defaultMaxAgeSeconds
    }

    /// Whether a sign-in failed only because of the link it contained, and would succeed without it.
    var isAboutLink: Bool { [.wrongCode, .linkedElsewhere, .alreadyLinked, .recentSignInRequired].contains(kind) }

    /// The new identity to link with the next sign-in; nil if it does not exist.
    var link: PendingLink? {
        guard kind == .accountExists, let link = members.text("link") else { return nil }
        return PendingLink(providers: providers, link: link)
    }

    private var providers: [IdentityProviderID] { (try? members.read("providers") as [IdentityProviderID]) ?? [] }

    /// The error for the caller of an account operation.
    var authError: AuthError {
        let detail = members.text("detail") ?? "the service returned status \(status)"
        return switch kind {
        case .wrongCredentials: .wrongCredentials
        case .wrongCode: .wrongCode
        case .tooManyRequests: .tooManyRequests(retryAfterSeconds: retryAfterSeconds ?? 1)
        case .accountExists: .accountExists(providers: providers)
        case .noAccount: .noAccount
        case .linkedElsewhere: .linkedElsewhere
        case .alreadyLinked: .alreadyLinked
        case .lastSignInMethod: .lastSignInMethod
        case .unacceptablePassword: .unacceptablePassword(detail)
        case .sessionEnded, .unauthenticated: .sessionEnded
        case .recentSignInRequired: .recentSignInRequired(maxAgeSeconds: recentSignIn ?? AuthMachine.defaultMaxAgeSeconds)
        case .unavailable: .unavailable(detail)
        case .malformed: .malformed(detail)
        case .notFound: .notThere(detail)
        default: .refused(status: status, code: code ?? kind.rawValue, detail: detail)
        }
    }
}
