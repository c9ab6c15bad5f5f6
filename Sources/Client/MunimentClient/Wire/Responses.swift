internal import Primitives

/// The tokens and times of a session, as the service returned them.
struct SessionResponse: Hashable, Sendable {
    var access: String
    /// When the access token expires, by the local clock, which may differ from the service's.
    var accessEnds: Instant
    var refresh: String
    var refreshEnds: Instant
    var authenticatedAt: Instant
    var user: AuthUser
    /// The nonce of the refresh in progress or with a lost response; nil if the refresh token is unused.
    var nonce: String?

    /// Returns nil if a member is missing or has the wrong type.
    ///
    /// - Parameter now: when the response arrived, by the local clock. The lifetime of the access token starts then.
    init?(_ answer: ServiceResponse, receivedAt now: Instant) {
        guard let answer = answer.object, let access = answer.text("accessToken"),
            let accessSeconds = answer.integer("accessTokenSeconds"),
            let refresh = answer.text("refreshToken"),
            let refreshEnds = answer.instant("refreshTokenExpiresAt"), let authenticatedAt = answer.instant("authenticatedAt"),
            let user = answer.object("account").flatMap({ AuthUser($0) })
        else { return nil }
        self.access = access
        accessEnds = now.advanced(bySeconds: accessSeconds)
        self.refresh = refresh
        self.refreshEnds = refreshEnds
        self.authenticatedAt = authenticatedAt
        self.user = user
    }

    /// The part that is stored.
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
            let ends = answer.instant("expiresAt")
        else { return nil }
        self.init(
            id: number, device: answer.text("device"), createdAt: createdAt, refreshedAt: refreshedAt,
            authenticatedAt: authenticatedAt, provider: IdentityProviderID(provider), ends: ends,
            isCurrent: answer.flag("current") ?? false)
    }
}

extension SentCode {
    init?(_ answer: JSONObject) {
        guard let attempt = answer.text("attempt"), let ends = answer.instant("expiresAt") else { return nil }
        self.init(ends: ends, attempt: attempt)
    }
}

/// Reads the members of responses.
extension JSONObject {
    func integer(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }

    func instant(_ name: String) -> Instant? { try? self[name]?.readInstant() }

    func flag(_ name: String) -> Bool? { try? self[name]?.readFlag() }

    func object(_ name: String) -> JSONObject? { try? self[name]?.readMembers() }

    func objects(_ name: String) -> [JSONObject]? {
        try? self[name]?.readList("a list") { value throws(MemberProblem) in try value.readMembers() }
    }

    func texts(_ name: String) -> [String]? { try? self[name]?.readTexts() }
}
