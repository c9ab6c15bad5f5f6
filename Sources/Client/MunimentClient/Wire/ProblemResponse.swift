internal import Primitives

/// An error response of the service (RFC 9457).
struct ProblemResponse {
    let status: Int
    /// The last part of `type`; empty without a `type`.
    let kind: String
    let detail: String
    private let members: JSONObject
    private let retryAfterSeconds: Int?

    static let limitBytes = 1 << 16

    init(_ answer: ServiceResponse) {
        status = answer.status
        retryAfterSeconds = answer.retryAfterSeconds
        if case .object(let members)? = try? JSONText.decode(answer.body, limit: ProblemResponse.limitBytes) {
            self.members = members
        } else {
            members = JSONObject()
        }
        kind = members.text("type").flatMap { $0.split(separator: "/").last.map(String.init) } ?? ""
        detail = members.text("detail") ?? "the service returned status \(answer.status)"
    }

    /// The maximum age of the sign-in in seconds, if the user must reauthenticate; nil otherwise.
    var recentSignIn: Int? {
        guard status == 401, kind == "recent-sign-in-required" else { return nil }
        return members.integer("maxAge").map { Int(clamping: $0) } ?? AuthMachine.defaultMaxAgeSeconds
    }

    /// Whether the session's token is invalid, and not the evidence in the request.
    var isAboutToken: Bool { status == 401 && (kind == "unauthenticated" || kind == "session-ended") }

    /// Whether a sign-in failed only because of the link it contained, and would succeed without it.
    var isAboutLink: Bool { ["wrong-code", "linked-elsewhere", "already-linked", "recent-sign-in-required"].contains(kind) }

    /// The new identity to link with the next sign-in; nil if it does not exist.
    var link: PendingLink? {
        guard kind == "account-exists", let link = members.text("link") else { return nil }
        return PendingLink(providers: providers, link: link)
    }

    private var providers: [IdentityProviderID] { (members.texts("providers") ?? []).map { IdentityProviderID($0) } }

    /// The error for the caller.
    var error: AuthError {
        switch kind {
        case "wrong-credentials": .wrongCredentials
        case "wrong-code": .wrongCode
        case "too-many-requests": .tooManyRequests(retryAfterSeconds: retryAfterSeconds ?? 1)
        case "account-exists": .accountExists(providers: providers)
        case "no-account": .noAccount
        case "linked-elsewhere": .linkedElsewhere
        case "already-linked": .alreadyLinked
        case "last-sign-in-method": .lastSignInMethod
        case "unacceptable-password": .unacceptablePassword(detail)
        case "session-ended", "unauthenticated": .sessionEnded
        case "recent-sign-in-required": .recentSignInRequired(maxAgeSeconds: recentSignIn ?? AuthMachine.defaultMaxAgeSeconds)
        case "unavailable": .unavailable(detail)
        case "malformed": .malformed(detail)
        case "not-found": .notThere(detail)
        default: .refused(status: status, code: members.text("code") ?? kind, detail: detail)
        }
    }
}
