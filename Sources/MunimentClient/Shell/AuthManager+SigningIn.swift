public import Events

/// Coming in, going out, and showing who one is (CONFORMANCE I3, I4, I7).
extension AuthManager {
    /// Makes an account. With an email and a password a code is sent to the address first: ``verify(_:)`` makes the account with it.
    ///
    /// - Parameters:
    ///   - provider: what the person shows who they are with.
    ///   - displayName: what they are to be called.
    ///   - picture: the address of a picture.
    /// - Throws: ``AuthError/accountExists(providers:)`` where the person has an account already: after a sign-in by one of the providers
    ///   the new way in is linked by itself.
    @discardableResult public func signUp(
        with provider: some IdentityProvider, displayName: String? = nil, picture: String? = nil
    ) async throws(AuthError) -> SignUpResult {
        switch try await perform(.signUp(with: provider, displayName: displayName, picture: picture, device: device)) {
        case .sentCode(let code): return .verificationSent(code)
        case let value: return .signedIn(try value.requireUser())
        }
    }

    /// Makes the account that ``signUp(with:displayName:picture:)`` was called for last, and signs in.
    ///
    /// - Parameter code: from the mail.
    @discardableResult public func verify(_ code: String) async throws(AuthError) -> AuthUser {
        try await perform(.verify(sentCode(.signUp).attempt, code, device: device)).requireUser()
    }

    /// Signs in. What ``pendingLink`` holds for this provider is linked behind it. Where that is over, or of another account, it is held no
    /// more, and an email and a password sign in without it; what is good once fails, and the next sign-in is made without it.
    ///
    /// A session that there was is ended, where the service is reached; otherwise it knows it until it is over by itself.
    ///
    /// - Parameter provider: what the person shows who they are with.
    @discardableResult public func signIn(with provider: some IdentityProvider) async throws(AuthError) -> AuthUser {
        try await perform(.signIn(with: provider, device: device)).requireUser()
    }

    /// Has a code sent to an address with which a forgotten password is replaced. Whether there is such an account is not said.
    ///
    /// - Parameter email: the address.
    @discardableResult public func requestPasswordReset(for email: String) async throws(AuthError) -> SentCode {
        try await perform(.requestReset(email)).requireCode()
    }

    /// Replaces the password for which ``requestPasswordReset(for:)`` was called last, ends all other sessions, and signs in.
    ///
    /// - Parameters:
    ///   - code: from the mail.
    ///   - password: the new one, from 8 to 1,024 bytes.
    @discardableResult public func confirmPasswordReset(code: String, newPassword password: String) async throws(AuthError)
        -> AuthUser
    {
        try await perform(.confirmReset(sentCode(.reset).attempt, code, password: password, device: device)).requireUser()
    }

    /// Begins what a provider needs before there is something to show.
    ///
    /// - Parameters:
    ///   - provider: which one.
    ///   - request: what it wants to know, in its own words.
    /// - Returns: what it answers, in its own words.
    public func begin(_ provider: IdentityProviderID, _ request: JSONObject) async throws(AuthError) -> JSONObject {
        try await perform(.begin(provider, request)).requireObject()
    }

    /// Begins a sign-in at the site of an OpenID provider.
    ///
    /// - Parameters:
    ///   - provider: which one.
    ///   - redirectURI: where the browser is sent in the end, one of those that the operator of the service allows.
    ///   - isReauthentication: whether the person has to show anew who they are, also where they are signed in there.
    /// - Returns: the address to open; ``OpenIDIdentityProvider/Beginning/finish(redirectedTo:)`` makes a provider of what comes back.
    public func beginOpenID(
        _ provider: IdentityProviderID, redirectURI: String, isReauthentication: Bool = false
    ) async throws(AuthError) -> OpenIDIdentityProvider.Beginning {
        var request: JSONObject = ["redirectURI": .string(redirectURI)]
        if isReauthentication { request["purpose"] = .string("reauthenticate") }
        let answer = try await begin(provider, request)
        guard let address = answer.text("authorizationURL"), let attempt = answer.text("attempt") else {
            throw .malformed("`\(provider)` begins with no address to open; it is no OpenID provider")
        }
        return OpenIDIdentityProvider.Beginning(
            providerID: provider, authorizationURL: address, redirectURI: redirectURI, attempt: attempt)
    }

    /// By which providers one can sign up and sign in, the one to be shown first in front.
    public func providers() async throws(AuthError) -> [IdentityProviderID] {
        let found = try await perform(.providers).requireObject().objects("providers") ?? []
        return found.sorted { ($0.integer("priority") ?? .max) < ($1.integer("priority") ?? .max) }
            .compactMap { $0.text("id").map { IdentityProviderID($0) } }
    }

    /// Shows anew who the person is, and makes the change that waited for it.
    ///
    /// - Parameters:
    ///   - provider: what they show it with.
    ///   - challenge: what asked for it: that change is made, and no other one. Nil to do so of one's own accord, before a change; changes
    ///     that wait are then made too, but for a deletion, which wants the answer to its own challenge.
    /// - Throws: ``AuthError/wrongCredentials`` and others. The challenge then stays, for another try or for ``cancel(_:)``.
    public func reauthenticate(
        with provider: some IdentityProvider, for challenge: ProfileChangeReauthenticationChallenge? = nil
    ) async throws(AuthError) {
        _ = try await perform(.reauthenticate(with: provider, for: challenge?.id))
    }

    /// The change that waits is not made; whoever asked for it is told ``AuthError/cancelledByUser``.
    ///
    /// - Parameter challenge: of the change. One that was answered already is left as it is.
    public func cancel(_ challenge: ProfileChangeReauthenticationChallenge) { cancelChallenge(challenge) }

    /// Signs out on this device, whatever happens, also where the task is cancelled.
    ///
    /// - Throws: where the service could not be told, and knows the session until it is over by itself. Here nobody is signed in then
    ///   either.
    public func signOut() async throws(AuthError) { _ = try await perform(.signOut) }

    /// A token that acts as the account's principal in the stores, good for the next half minute at least.
    public func accessToken() async throws(AuthError) -> String {
        guard case .accessToken(let token) = try await perform(.accessToken) else { throw .notSignedIn }
        return token
    }
}
