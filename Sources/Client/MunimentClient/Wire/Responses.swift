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

    /// - Parameter now: when the response arrived, by the local clock. The lifetime of the access token starts then.
    init(_ answer: ServiceResponse, receivedAt now: Instant) throws {
        let members = answer.object ?? JSONObject()
        let accessSeconds: Int = try members.read("accessTokenSeconds")
        (access, accessEnds) = (try members.read("accessToken"), now.advanced(bySeconds: Int64(accessSeconds)))
        (refresh, refreshEnds) = (try members.read("refreshToken"), try members.read("refreshTokenExpiresAt"))
        (authenticatedAt, user) = (try members.read("authenticatedAt"), try members.read("account"))
    }

    /// The part that is stored.
    var stored: StoredSession { StoredSession(refresh: refresh, ends: refreshEnds, nonce: nonce) }
}

extension AuthUser: WireObject {
    init(members: JSONObject) throws {
        (principal, createdAt) = (try members.read("principal"), try members.read("createdAt"))
        (email, displayName, picture) = (
            try members.read("email"), try members.read("displayName"), try members.read("picture")
        )
        let providers: [IdentityProviderUserInfo] = try members.read("identities")
        self.providers = providers.sorted { ($0.priority, $0.providerID) < ($1.priority, $1.providerID) }
    }
}

extension IdentityProviderUserInfo: WireObject {
    init(members: JSONObject) throws {
        (providerID, label) = (try members.read("provider"), try members.read("label"))
        (linkedAt, priority) = (try members.read("linkedAt"), try members.read("priority") ?? .max)
    }
}

extension IdentityProviderID: WireValue {
    init(wire value: JSONValue) throws { text = try value.readText() }
}

extension AuthSession: WireObject {
    init(members: JSONObject) throws {
        let number: UInt64? =
            switch members["id"] {
            case .integer(let number): UInt64(exactly: number)
            case .string(let text): UInt64(text)
            default: nil
            }
        guard let number else { throw WireTypeError(description: "`id` is not the number of a session") }
        (id, device, provider) = (number, try members.read("device"), try members.read("provider"))
        (createdAt, refreshedAt) = (try members.read("createdAt"), try members.read("refreshedAt"))
        (authenticatedAt, ends) = (try members.read("authenticatedAt"), try members.read("expiresAt"))
        isCurrent = try members.read("current") ?? false
    }
}

extension SentCode: WireObject {
    init(members: JSONObject) throws { (attempt, ends) = (try members.read("attempt"), try members.read("expiresAt")) }
}

extension JSONObject {
    func integer(_ name: String) -> Int64? { if case .integer(let number)? = self[name] { number } else { nil } }

    /// Returns a list of objects; an empty one if the member is not such a list.
    func objects(_ name: String) -> [JSONObject] { (try? read(name) as [JSONObject]) ?? [] }
}
