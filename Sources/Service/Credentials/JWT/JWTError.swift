/// Why a JWT is rejected. For logs: the client is only told that the JWT is invalid.
public enum JWTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a signed JWT in the compact form: three parts in base64url, the first two JSON objects.
    case malformed
    case tooLong(byteCount: Int)
    /// `none`, an algorithm with a shared secret, or an unknown one.
    case unsupportedAlgorithm(String)
    /// The header requires an extension that is not supported.
    case unknownExtension
    /// The issuer does not have this key, or the header names no key and the issuer has several.
    case unknownKey
    case wrongSignature
    case wrongIssuer
    case wrongAudience
    case noExpiry
    case ended
    case notYetValid
    case issuedInTheFuture
    /// `sub` is missing, or is not valid as a user name.
    case unusableSubject
    /// Its user would be the administrator of new stores, or the user of an account.
    case reservedSubject
    /// An ID token, a logout token or another JWT that is not an access token.
    case notAnAccessToken(String)
    /// The issuer's keys could not be fetched.
    case keysUnavailable(String)

    public var description: String {
        switch self {
        case .malformed: "it is not a signed JWT"
        case .tooLong(let count): "it has \(count) bytes; at most \(CompactJWT.limitBytes) are allowed"
        case .unsupportedAlgorithm(let name): "its algorithm `\(name)` is not accepted"
        case .unknownExtension: "its header has a `crit`, which is not supported"
        case .unknownKey: "no key of the issuer matches its header"
        case .wrongSignature: "its signature is wrong"
        case .wrongIssuer: "its `iss` is another issuer"
        case .wrongAudience: "its `aud` does not name this service"
        case .noExpiry: "it has no `exp`"
        case .ended: "it has expired"
        case .notYetValid: "its `nbf` is in the future"
        case .issuedInTheFuture: "its `iat` is in the future"
        case .unusableSubject: "its `sub` is missing, or not the name of a user"
        case .reservedSubject: "its `sub` names `user:root`, who administers new stores, or the user of an account"
        case .notAnAccessToken(let reason): "it is not an access token: \(reason)"
        case .keysUnavailable(let reason): "the issuer's keys are not available: \(reason)"
        }
    }
}
