internal import Events
internal import Synchronization

/// The `typ` that the header of an issuer's JWT must have for an access token.
public enum AccessTokenType: Sendable {
    /// `at+jwt` (RFC 9068).
    case required
    /// `at+jwt` as soon as a JWT has had it. Until then also `JWT`, or no `typ`.
    case onceSeen
    /// `at+jwt`, `JWT` or no `typ`.
    case optional
}

/// Distinguishes access tokens from other JWTs that the same issuer signs for the same audience.
final class AccessTokenRules: Sendable {
    private let type: AccessTokenType
    /// Whether an access token of this issuer has had the type `at+jwt`.
    private let hasSeenType = Atomic(false)

    /// Claims of ID tokens (OpenID Connect Core 1.0, sections 2 and 3.3.2.11) and of security events such as logout tokens (RFC 8417).
    private static let claimsOfOthers = ["nonce", "at_hash", "c_hash", "s_hash", "events"]

    init(_ type: AccessTokenType) { self.type = type }

    /// - Throws: ``JWTError`` (`notAnAccessToken`) if the JWT is an ID token, a logout token, a refresh token or has another type.
    func check(_ jwt: CheckedJWT) throws(JWTError) {
        // A bearer token does not prove the key that the JWT is bound to, so it may be a stolen copy (RFC 7800, RFC 9449, RFC 8705).
        if jwt.claims["cnf"] != nil {
            throw .notAnAccessToken("its `cnf` binds it to a key, but a bearer token does not prove a key")
        }
        switch jwt.type {
        case "at+jwt":
            hasSeenType.store(true, ordering: .relaxed)
            return
        case nil, "jwt":
            if type == .required || (type == .onceSeen && hasSeenType.load(ordering: .relaxed)) {
                throw .notAnAccessToken("its `typ` must be `at+jwt`")
            }
        case let other?: throw .notAnAccessToken("its `typ` is `\(other.prefix(20))`")
        }
        // AWS Cognito uses this claim for the kind of the token.
        if let use = jwt.claims.text("token_use")?.lowercased(), use != "access" {
            throw .notAnAccessToken("its claim `token_use` is `\(use.prefix(20))`")
        }
        // Keycloak uses this claim for the kind of the token, since its header does not show it.
        let kind = jwt.claims.text("typ")?.lowercased()
        if kind == "bearer" { return }
        if let kind, ["id", "refresh", "offline", "logout"].contains(kind) {
            throw .notAnAccessToken("its claim `typ` is `\(kind)`")
        }
        if let claim = AccessTokenRules.claimsOfOthers.first(where: { jwt.claims[$0] != nil }) {
            throw .notAnAccessToken("it has the claim `\(claim)`")
        }
    }
}
