internal import Hashing
internal import NetworkClient
internal import Primitives
internal import Secrets

/// One authorization attempt at a provider: the values that must return, and the secrets of the client.
struct AuthorizationAttempt: Sendable {
    /// Returned in the redirect, so that an attacker cannot inject another response (RFC 6749, section 10.12).
    let state: String
    /// Returned in the ID token, so that another token cannot replace it.
    let nonce: String
    /// Sent with the code exchange: an attacker who saw only the code does not have it (RFC 7636).
    let verifier: String
    let redirectURI: String
    let begunAt: Instant
    /// Whether the provider must authenticate the user again.
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

    /// Returns the address to open in the user's browser.
    ///
    /// - Parameters:
    ///   - endpoint: the authorization endpoint of the provider.
    ///   - clientID: the client ID of this service at the provider.
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
