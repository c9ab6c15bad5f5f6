public import Events
internal import Permissions

/// The user of a verified JWT.
public struct VerifiedClaims: Hashable, Sendable {
    /// The `iss` of the JWT.
    public let issuer: String
    /// The `sub` of the JWT.
    public let issuerSubject: String
    /// The prefix of the issuer's users, and the `sub`.
    public let subject: Name
    /// When the JWT expires.
    public let until: Instant
}

/// A JWT with a verified signature, issuer, audience and time.
public struct CheckedJWT: Sendable {
    /// All claims.
    public let claims: JSONObject
    /// The subject in the issuer's words: its `sub`, 1 to 255 bytes.
    public let subject: String
    /// When it expires.
    public let until: Instant
    /// The media type that its header declares.
    let type: String?

    /// OpenID Connect Core 1.0, section 2.
    static let subjectLimitBytes = 255

    /// Returns the time of a claim; nil if the claim is missing.
    ///
    /// - Throws: ``JWTError/malformed`` if it is not a number of seconds since 1970.
    public func time(_ name: String) throws(JWTError) -> Instant? { try claims.time(name) }
}

/// The claims that a JWT must have.
struct ClaimRules {
    let issuer: String
    let audience: String

    /// The largest difference between the clocks of issuer and service.
    static let leewaySeconds: Int64 = 60

    /// Checks the claims of a JWT with a valid signature.
    func check(_ jwt: CompactJWT, at now: Instant) throws(JWTError) -> CheckedJWT {
        let claims = try jwt.claims
        guard let issuer = claims.text("iss"), ExactText(issuer) == ExactText(self.issuer) else { throw .wrongIssuer }
        guard names(claims["aud"]) else { throw .wrongAudience }
        guard let end = try claims.time("exp") else { throw .noExpiry }
        let leeway = ClaimRules.leewaySeconds * 1_000_000
        guard now < end.advanced(byMicroseconds: leeway) else { throw .ended }
        let soon = now.advanced(byMicroseconds: leeway)
        if let start = try claims.time("nbf"), start > soon { throw .notYetValid }
        if let issued = try claims.time("iat"), issued > soon { throw .issuedInTheFuture }
        guard let subject = claims.text("sub"), (1...CheckedJWT.subjectLimitBytes).contains(subject.utf8.count) else {
            throw .unusableSubject
        }
        return CheckedJWT(claims: claims, subject: subject, until: end.advanced(byMicroseconds: leeway), type: jwt.type)
    }

    private func names(_ audience: JSONValue?) -> Bool {
        switch audience {
        case .string(let one)?: ExactText(one) == ExactText(self.audience)
        case .array(let several)?: several.contains(.string(self.audience))
        default: false
        }
    }
}

extension VerifiedClaims {
    /// Creates the user of a checked JWT, if its subject is valid as a user name.
    init(_ jwt: CheckedJWT, _ prefix: UserPrefix?) throws(JWTError) {
        issuer = jwt.claims.text("iss") ?? ""
        issuerSubject = jwt.subject
        subject = UserPrefix.name(of: jwt.subject, under: prefix)
        until = jwt.until
        guard subject.isWellFormed else { throw .unusableSubject }
        guard subject != "user:root" else { throw .reservedSubject }
    }
}

extension JSONObject {
    /// Returns the seconds since 1970 (RFC 7519, section 2), optionally with a fraction; nil if the claim is missing.
    fileprivate func time(_ name: String) throws(JWTError) -> Instant? {
        switch self[name] {
        case nil: return nil
        case .integer(let seconds)?:
            let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
            guard seconds >= 0, !overflow else { throw .malformed }
            return Instant(microseconds: microseconds)
        case .number(let seconds)?:
            guard seconds >= 0, let microseconds = Int64(exactly: (seconds * 1_000_000).rounded(.down)) else { throw .malformed }
            return Instant(microseconds: microseconds)
        default: throw .malformed
        }
    }
}
