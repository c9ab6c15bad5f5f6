public import Primitives

/// Sign-up, sign-in, sign-out and reauthentication (CONFORMANCE I3, I4, I7).
extension AuthManager {
    /// Creates an account. With an email and a password, a code is sent to the address first; ``verify(_:)`` then creates the
    /// account.
    ///
    /// - Parameters:
    ///   - provider: the provider, with its evidence.
    ///   - displayName: the display name.
    ///   - picture: the address of a picture.
    /// - Throws: ``AuthError/accountExists(providers:)`` if the user already has an account. After a sign-in by one of these
    ///   providers the new identity is linked automatically.
    @discardableResult public func signUp(
        with provider: some IdentityProvider, displayName: String? = nil, picture: String? = nil
    ) async throws(AuthError) -> SignUpResult {
        switch try await perform(.signUp(with: provider, displayName: displayName, picture: picture, device: device)) {
        case .sentCode(let code): return .verificationSent(code)
        case let value: return .signedIn(try value.requireUser())
        }
    }

    /// Creates the account of the last ``signUp(with:displayName:picture:)``, and signs in.
    ///
    /// - Parameter code: the code from the mail.
    @discardableResult public func verify(_ code: String) async throws(AuthError) -> AuthUser {
        try await perform(.verify(sentCode(.signUp).attempt, code, device: device)).requireUser()
    }

    /// Signs in. If ``pendingLink`` contains a link for this provider, the identity is linked with this sign-in.
    ///
    /// If the link has expired or belongs to another account, it is dropped. An email and a password then sign in without it.
    /// Evidence that can be used only once fails, and the next sign-in is made without the link.
    ///
    /// A previous session is ended at the service. If the service is not reached, that session stays valid until it expires.
    ///
    /// - Parameter provider: the provider, with its evidence.
    @discardableResult public func signIn(with provider: some IdentityProvider) async throws(AuthError) -> AuthUser {
        try await perform(.signIn(with: provider, device: device)).requireUser()
    }

    /// Sends a code that can replace a forgotten password. The response does not show whether the account exists.
    ///
    /// - Parameter email: the address.
    @discardableResult public func requestPasswordReset(for email: String) async throws(AuthError) -> SentCode {
        try await perform(.requestReset(email)).requireCode()
    }

    /// Replaces the password of the last ``requestPasswordReset(for:)``, ends all other sessions, and signs in.
    ///
    /// - Parameters:
    ///   - code: the code from the mail.
    ///   - password: the new password, 8 to 1,024 bytes.
    @discardableResult public func confirmPasswordReset(code: String, newPassword password: String) async throws(AuthError)
        -> AuthUser
    {
        try await perform(.confirmReset(sentCode(.reset).attempt, code, password: password, device: device)).requireUser()
    }

    /// Starts a flow that a provider needs before there is evidence.
    ///
    /// - Parameters:
    ///   - provider: the provider.
    ///   - request: the request, in the format of the provider.
    /// - Returns: the response, in the format of the provider.
    public func begin(_ provider: IdentityProviderID, _ request: JSONObject) async throws(AuthError) -> JSONObject {
        try await perform(.begin(provider, request)).requireObject()
    }

    /// Starts a sign-in at an OpenID provider.
    ///
    /// - Parameters:
    ///   - provider: the provider.
    ///   - redirectURI: the redirect URI, one of those that the operator of the service allows.
    ///   - isReauthentication: whether the user must authenticate again, even with an existing session at the provider.
    /// - Returns: the address to open. Pass the redirect to ``OpenIDIdentityProvider/Beginning/finish(redirectedTo:)``.
    public func beginOpenID(
        _ provider: IdentityProviderID, redirectURI: String, isReauthentication: Bool = false
    ) async throws(AuthError) -> OpenIDIdentityProvider.Beginning {
        var request: JSONObject = ["redirectURI": .string(redirectURI)]
        if isReauthentication { request["purpose"] = .string("reauthenticate") }
        let answer = try await begin(provider, request)
        guard let address = answer.text("authorizationURL"), let attempt = answer.text("attempt") else {
            throw .malformed("`\(provider)` returned no address to open, so it is not an OpenID provider; use another provider")
        }
        return OpenIDIdentityProvider.Beginning(
            providerID: provider, authorizationURL: address, redirectURI: redirectURI, attempt: attempt)
    }

    /// Returns the providers for sign-up and sign-in, in display order.
    public func providers() async throws(AuthError) -> [IdentityProviderID] {
        let found = try await perform(.providers).requireObject().objects("providers")
        return found.sorted { ($0.integer("priority") ?? .max) < ($1.integer("priority") ?? .max) }
            .compactMap { $0.text("id").map { IdentityProviderID($0) } }
    }

    /// Reauthenticates the user, and makes the change that waited for it.
    ///
    /// - Parameters:
    ///   - provider: the provider, with its evidence.
    ///   - challenge: the challenge to answer; only its change is made. Pass nil to reauthenticate before a change. Waiting changes
    ///     are then made too, except a deletion, which needs the answer to its own challenge.
    /// - Throws: ``AuthError/wrongCredentials`` and others. The challenge then remains, for another attempt or for ``cancel(_:)``.
    public func reauthenticate(
        with provider: some IdentityProvider, for challenge: ProfileChangeReauthenticationChallenge? = nil
    ) async throws(AuthError) {
        _ = try await perform(.reauthenticate(with: provider, for: challenge?.id))
    }

    /// Cancels the change that waits. Its caller gets ``AuthError/cancelledByUser``.
    ///
    /// - Parameter challenge: the challenge of the change. An answered challenge is ignored.
    public func cancel(_ challenge: ProfileChangeReauthenticationChallenge) { cancelChallenge(challenge) }

    /// Signs out on this device in any case, even if the task is cancelled.
    ///
    /// - Throws: an error if the service could not be told. The session then stays valid there until it expires. On this device no
    ///   user is signed in after an error either.
    public func signOut() async throws(AuthError) { _ = try await perform(.signOut) }

    /// Returns an access token for the account's principal in the stores. It is valid for at least 30 more seconds.
    public func accessToken() async throws(AuthError) -> String {
        guard case .accessToken(let token) = try await perform(.accessToken) else { throw .notSignedIn }
        return token
    }
}
