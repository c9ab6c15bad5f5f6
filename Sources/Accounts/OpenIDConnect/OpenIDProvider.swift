internal import Credentials
internal import Hashing
public import Identity
internal import NetworkClient
public import Primitives
internal import Secrets

/// Sign-in with an OpenID provider: the authorization code flow with PKCE (OpenID Connect Core 1.0, section 3.1; RFC 7636).
///
/// A user is identified by issuer and subject, never by an email. An attempt is found by a secret that only its client has. It can
/// be used once, within ten minutes, and accepts only its own response: a response of another attempt or another issuer, or a
/// repeated response, is rejected.
///
/// The issuer of a redirect is identified by its `iss` parameter, if the issuer sends it (RFC 9207), and by the redirect URI (RFC
/// 9700, section 4.4.2.2). Each redirect URI must therefore belong to only one provider.
public final class OpenIDProvider: IdentityProvider {
    package let settings: OpenIDSettings
    private let issuer: DescribedIssuer
    private let tokens: JWTVerifier
    private let attempts: PendingTable<AuthorizationAttempt>

    /// The lifetime of an attempt in microseconds.
    static let attemptMicroseconds: Int64 = 600_000_000

    /// - Parameters:
    ///   - settings: the provider, and this service's client registration.
    ///   - attemptLimit: the maximum number of pending attempts.
    public init(_ settings: OpenIDSettings, attemptLimit: Int = 16_384) {
        self.settings = settings
        issuer = DescribedIssuer(settings.issuer)
        tokens = JWTVerifier(settings.issuer)
        attempts = PendingTable(prefix: "muno_", limit: attemptLimit)
    }

    public var id: ProviderID { settings.id }
    public var priority: Int { settings.priority }

    /// Starts an attempt.
    ///
    /// - Parameters:
    ///   - request: `redirectURI` if several are configured, and `purpose` `reauthenticate` to authenticate the user again.
    ///   - now: the current time; the attempt expires ten minutes later.
    /// - Returns: `attempt`, which is secret, and `authorizationURL`, the address to open.
    public func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? {
        let redirectURI = try redirectURI(request["redirectURI"])
        let isReauthentication =
            switch request["purpose"] {
            case nil: false
            case .string("reauthenticate"): true
            default: throw .malformed("`purpose` must be `reauthenticate`; omit it to sign in")
            }
        let description = try issuer.description(at: now)
        let attempt = AuthorizationAttempt(redirectURI: redirectURI, isReauthentication: isReauthentication, at: now)
        let secret: String
        do throws(AccountError) {
            secret = try attempts.add(attempt, until: now.advanced(byMicroseconds: OpenIDProvider.attemptMicroseconds), at: now)
        } catch { throw .busy }
        let address = attempt.address(at: description.authorizationEndpoint.text, clientID: settings.clientID)
        return ["attempt": .string(secret), "authorizationURL": .string(address)]
    }

    private func redirectURI(_ value: JSONValue?) throws(ProviderError) -> String {
        switch value {
        case nil where settings.redirectURIs.count == 1: return settings.redirectURIs[0]
        case .string(let text)?:
            guard settings.redirectURIs.contains(where: { ExactText($0) == ExactText(text) }) else { fallthrough }
            return text
        default: throw .malformed("`redirectURI` must be one of the operator's redirect addresses for `\(id)`")
        }
    }

    public func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderError) -> VerifiedIdentity {
        guard let secret = evidence.text("attempt"), let code = evidence.text("code"), let state = evidence.text("state") else {
            throw .malformed(
                "the evidence must have the `attempt`, and `code`, `state` and `iss` from the redirect")
        }
        guard evidence["iss"] != nil || evidence["redirectURI"] != nil else {
            throw .malformed(
                "the provider of the redirect is unknown: add to the evidence `redirectURI`, the address of the "
                    + "redirect, and `iss` if that address has it")
        }
        // The attempt is used from now on, also after an error.
        let taken = attempts.with(secret, at: now) { attempt in
            defer { attempt = nil }
            return attempt
        }
        guard let attempt = taken, Secrets.areEqual(Array(attempt.state.utf8), Array(state.utf8)) else { throw .wrong }
        // A redirect to another provider's redirect URI contains a code of that provider.
        if let returned = evidence["redirectURI"] {
            guard case .string(let address) = returned, ExactText(address) == ExactText(attempt.redirectURI) else { throw .wrong }
        }
        let description = try issuer.description(at: now)
        // If the redirect names another issuer, the code belongs to that issuer and must not be sent to this one (RFC 9207).
        if let named = evidence["iss"] {
            guard named == .string(settings.issuer.issuer) else { throw .wrong }
        } else if description.namesItself {
            throw .wrong
        }
        let exchange = CodeExchange(
            settings: settings, tokenEndpoint: description.tokenEndpoint,
            allowsPrivateEndpoints: description.allowsPrivateEndpoints)
        let text = try exchange.idToken(code: code, of: attempt)
        return try proof(try idToken(text, of: attempt, at: now), attempt, for: purpose, at: now)
    }

    private func idToken(_ text: String, of attempt: AuthorizationAttempt, at now: Instant) throws(ProviderError) -> IDToken {
        let jwt: CheckedJWT
        do throws(JWTError) {
            jwt = try tokens.check(text, at: now)
        } catch {
            if case .keysUnavailable = error { throw .unavailable("\(error)") }
            throw .wrong
        }
        return try IDToken(jwt, of: attempt, clientID: settings.clientID)
    }

    private func proof(
        _ token: IDToken, _ attempt: AuthorizationAttempt, for purpose: AuthenticationPurpose, at now: Instant
    ) throws(ProviderError) -> VerifiedIdentity {
        // An issuer cannot contain the separator, so no two users have the same key.
        let key = IdentityKey(Array(settings.issuer.issuer.utf8) + [0] + Array(token.subject.utf8))
        if case .reauthentication(let identity) = purpose {
            // Otherwise the provider may have used an existing session without authentication.
            guard attempt.isReauthentication, identity.key == key else { throw .wrong }
        }
        let isShown = settings.trustsEmail && token.isEmailVerified
        return VerifiedIdentity(
            key: key, label: token.email?.text, email: isShown ? token.email.map { ($0, true) } : nil, profile: token.profile,
            // The user may have authenticated long ago. Only a reauthentication requires that the provider reports the time.
            authenticatedAt: min(token.authenticatedAt ?? .earliestText, now))
    }
}

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

/// The ID token of one attempt. Its signature, issuer, audience and expiry are already verified (OpenID Connect Core 1.0, section
/// 3.1.3.7).
struct IDToken {
    private let jwt: CheckedJWT
    /// When the user authenticated at the provider; nil if the provider does not report it.
    let authenticatedAt: Instant?

    /// The permitted difference between the clocks of provider and service in microseconds.
    private static let leeway: Int64 = 60_000_000

    /// Checks that the token is the response to this attempt.
    ///
    /// - Throws: ``ProviderError/wrong`` if it is not.
    init(_ jwt: CheckedJWT, of attempt: AuthorizationAttempt, clientID: String) throws(ProviderError) {
        self.jwt = jwt
        guard jwt.claims.text("nonce") == attempt.nonce else { throw .wrong }
        if case .array(let audiences)? = jwt.claims["aud"], audiences.count != 1, jwt.claims["azp"] == nil { throw .wrong }
        if let party = jwt.claims["azp"], party != .string(clientID) { throw .wrong }
        let begun = attempt.begunAt.advanced(byMicroseconds: -IDToken.leeway)
        let (issued, authenticated): (Instant?, Instant?)
        do throws(JWTError) {
            (issued, authenticated) = (try jwt.time("iat"), try jwt.time("auth_time"))
        } catch { throw .wrong }
        // A token that is older than the attempt cannot be its response.
        guard let issued, issued >= begun else { throw .wrong }
        // With `max_age` in the request the claim is required (OpenID Connect Core 1.0, section 2).
        if attempt.isReauthentication {
            guard let authenticated, authenticated >= begun else { throw .wrong }
        }
        authenticatedAt = authenticated
    }

    var subject: String { jwt.subject }

    /// The email from the provider, verified or not.
    var email: EmailAddress? { jwt.claims.text("email").flatMap(EmailAddress.init) }
    var isEmailVerified: Bool { jwt.claims["email_verified"] == .bool(true) }

    var profile: Profile { Profile(displayName: jwt.claims.text("name"), picture: jwt.claims.text("picture")) }
}
