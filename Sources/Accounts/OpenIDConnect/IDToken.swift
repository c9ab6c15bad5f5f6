internal import Credentials
internal import Identity
internal import Primitives

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
    /// - Throws: ``IDTokenProblem`` if it is not.
    init(_ jwt: CheckedJWT, of attempt: AuthorizationAttempt, clientID: String) throws(IDTokenProblem) {
        self.jwt = jwt
        guard jwt.claims.text("nonce") == attempt.nonce else { throw .otherNonce }
        if case .array(let audiences)? = jwt.claims["aud"], audiences.count != 1, jwt.claims["azp"] == nil { throw .otherParty }
        if let party = jwt.claims["azp"], party != .string(clientID) { throw .otherParty }
        let begun = attempt.begunAt.advanced(byMicroseconds: -IDToken.leeway)
        let (issued, authenticated): (Instant?, Instant?)
        do throws(JWTProblem) {
            (issued, authenticated) = (try jwt.time("iat"), try jwt.time("auth_time"))
        } catch { throw .malformed }
        // A token that is older than the attempt cannot be its response.
        guard let issued, issued >= begun else { throw .tooOld }
        // With `max_age` in the request the claim is required (OpenID Connect Core 1.0, section 2).
        if attempt.isReauthentication {
            guard let authenticated, authenticated >= begun else { throw .notAskedAnew }
        }
        authenticatedAt = authenticated
    }

    var subject: String { jwt.subject }

    /// The email from the provider, verified or not.
    var email: EmailAddress? { jwt.claims.text("email").flatMap(EmailAddress.init) }
    var isEmailVerified: Bool { jwt.claims["email_verified"] == .bool(true) }

    var profile: Profile { Profile(displayName: jwt.claims.text("name"), picture: jwt.claims.text("picture")) }
}

/// The reason why an ID token is not the response to an attempt.
enum IDTokenProblem: Error {
    case otherNonce
    case otherParty
    case malformed
    case tooOld
    /// The provider was asked to authenticate the user again, but did not, or did not report when it did.
    case notAskedAnew
}
