internal import Events
internal import Hashing
internal import NetworkClient
internal import Secrets

/// One person's way to a provider and back: what has to come back, and what must not be seen on the way.
struct AuthorizationAttempt: Sendable {
    /// Comes back with the person, so that nobody can send another's answer (RFC 6749, section 10.12).
    let state: String
    /// Comes back in the ID token, so that no other token can be put in its place.
    let nonce: String
    /// Shown when the code is exchanged: whoever only saw the code has not got it (RFC 7636).
    let verifier: String
    let redirectURI: String
    let begunAt: Instant
    /// Whether the provider was told to ask the person anew.
    let isReauthentication: Bool

    init(redirectURI: String, isReauthentication: Bool, at now: Instant) {
        state = AuthorizationAttempt.randomText()
        nonce = AuthorizationAttempt.randomText()
        verifier = AuthorizationAttempt.randomText()
        self.redirectURI = redirectURI
        begunAt = now
        self.isReauthentication = isReauthentication
    }

    private static func randomText() -> String { Base64URL.encode(Secrets.randomBytes(32)) }

    /// Where the person goes.
    ///
    /// - Parameters:
    ///   - endpoint: where the provider asks people who they are.
    ///   - clientID: what the provider calls this service.
    func address(at endpoint: String, clientID: String) -> String {
        var fields = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI), ("scope", "openid email profile"),
            ("state", state), ("nonce", nonce), ("code_challenge_method", "S256"),
            ("code_challenge", Base64URL.encode(Digest(of: Array(verifier.utf8).span).bytes)),
        ]
        if isReauthentication { fields += [("prompt", "login"), ("max_age", "0")] }
        return endpoint + (endpoint.contains("?") ? "&" : "?") + FormText.make(fields)
    }
}
