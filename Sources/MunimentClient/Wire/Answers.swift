internal import Events
internal import Permissions

/// Tokens and times of a session, as the service gives them.
struct LiveSession: Hashable, Sendable {
    var access: String
    /// By the clock here, which may be another one than the service's.
    var accessEnds: Instant
    var refresh: String
    var refreshEnds: Instant
    var authenticatedAt: Instant
    var user: AuthUser
    /// What the refresh that is on its way, or whose answer was lost, was sent with; nil where the refresh token is unused.
    var nonce: String?

    /// nil where a member is missing or none of its kind.
    ///
    /// - Parameter now: when it came, by the clock here: from then on its access token is good for as long as the service says.
    init?(_ answer: AuthAnswer, receivedAt now: Instant) {
        guard let answer = answer.object, let access = answer.text("access"), let accessSeconds = answer.integer("accessSeconds"),
            let refresh = answer.text("refresh"),
            let refreshEnds = answer.instant("refreshEnds"), let authenticatedAt = answer.instant("authenticatedAt"),
            let user = answer.object("account").flatMap({ AuthUser($0) })
        else { return nil }
        self.access = access
        accessEnds = now.advanced(bySeconds: accessSeconds)
        self.refresh = refresh
        self.refreshEnds = refreshEnds
        self.authenticatedAt = authenticatedAt
        self.user = user
    }

    /// What is kept of it.
    var stored: StoredSession { StoredSession(refresh: refresh, ends: refreshEnds, nonce: nonce) }
}

extension AuthUser {
    init?(_ answer: JSONObject) {
        guard let principal = answer.text("principal"), let createdAt = answer.instant("createdAt"),
            let identities = answer.objects("identities")
        else { return nil }
        var providers: [IdentityProviderUserInfo] = []
        for identity in identities {
            guard let provider = identity.text("provider"), let linkedAt = identity.instant("linkedAt") else { return nil }
            providers.append(
                IdentityProviderUserInfo(
                    providerID: IdentityProviderID(provider), label: identity.text("label"), linkedAt: linkedAt,
                    priority: identity.integer("priority").map { Int(clamping: $0) } ?? .max))
        }
        self.init(
            principal: Name(principal), email: answer.text("email"), displayName: answer.text("displayName"),
            picture: answer.text("picture"), createdAt: createdAt, providers: providers)
    }
}

extension AuthSession {
    init?(_ answer: JSONObject) {
        let number: UInt64? =
            switch answer["id"] {
            case .integer(let number): UInt64(exactly: number)
            case .string(let text): UInt64(text)
            default: nil
            }
        guard let number, let createdAt = answer.instant("createdAt"), let refreshedAt = answer.instant("refreshedAt"),
            let authenticatedAt = answer.instant("authenticatedAt"), let provider = answer.text("provider"),
            let ends = answer.instant("ends")
        else { return nil }
        self.init(
            id: number, device: answer.text("device"), createdAt: createdAt, refreshedAt: refreshedAt,
            authenticatedAt: authenticatedAt, provider: IdentityProviderID(provider), ends: ends,
            isCurrent: answer.flag("current") ?? false)
    }
}

extension SentCode {
    init?(_ answer: JSONObject) {
        guard let attempt = answer.text("attempt"), let ends = answer.instant("ends") else { return nil }
        self.init(ends: ends, attempt: attempt)
    }
}
