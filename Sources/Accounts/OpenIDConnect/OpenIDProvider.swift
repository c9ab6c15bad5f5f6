internal import Credentials
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
    /// The settings of the provider.
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
    public func begin(_ request: JSONObject, at now: Instant) throws(ProviderProblem) -> JSONObject? {
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
        do throws(AccountProblem) {
            secret = try attempts.add(attempt, until: now.advanced(byMicroseconds: OpenIDProvider.attemptMicroseconds), at: now)
        } catch { throw .busy }
        let address = attempt.address(at: description.authorizationEndpoint.text, clientID: settings.clientID)
        return ["attempt": .string(secret), "authorizationURL": .string(address)]
    }

    private func redirectURI(_ value: JSONValue?) throws(ProviderProblem) -> String {
        switch value {
        case nil where settings.redirectURIs.count == 1: return settings.redirectURIs[0]
        case .string(let text)?:
            guard settings.redirectURIs.contains(where: { ExactText($0) == ExactText(text) }) else { fallthrough }
            return text
        default: throw .malformed("`redirectURI` must be one of the operator's redirect addresses for `\(id)`")
        }
    }

    public func prove(
        _ evidence: JSONObject, for purpose: ProofPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderProblem) -> Proof {
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
        let text = try CodeExchange(settings: settings, tokenEndpoint: description.tokenEndpoint).idToken(code: code, of: attempt)
        return try proof(try idToken(text, of: attempt, at: now), attempt, for: purpose, at: now)
    }

    private func idToken(_ text: String, of attempt: AuthorizationAttempt, at now: Instant) throws(ProviderProblem) -> IDToken {
        let jwt: CheckedJWT
        do throws(JWTProblem) {
            jwt = try tokens.check(text, at: now)
        } catch {
            if case .keysUnavailable = error { throw .unavailable("\(error)") }
            throw .wrong
        }
        do throws(IDTokenProblem) {
            return try IDToken(jwt, of: attempt, clientID: settings.clientID)
        } catch { throw .wrong }
    }

    private func proof(
        _ token: IDToken, _ attempt: AuthorizationAttempt, for purpose: ProofPurpose, at now: Instant
    ) throws(ProviderProblem) -> Proof {
        // An issuer cannot contain the separator, so no two users have the same key.
        let key = IdentityKey(Array(settings.issuer.issuer.utf8) + [0] + Array(token.subject.utf8))
        if case .reauthentication(let identity) = purpose {
            // Otherwise the provider may have used an existing session without authentication.
            guard attempt.isReauthentication, identity.key == key else { throw .wrong }
        }
        let isShown = settings.trustsEmail && token.isEmailVerified
        return Proof(
            key: key, label: token.email?.text, email: isShown ? token.email.map { ($0, true) } : nil, profile: token.profile,
            authenticatedAt: min(token.authenticatedAt ?? attempt.begunAt, now))
    }
}
