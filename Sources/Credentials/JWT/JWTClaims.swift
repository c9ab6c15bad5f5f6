public import Events
public import Permissions

/// Who somebody is, by a JWT that was checked.
public struct VerifiedClaims: Hashable, Sendable {
    /// `user:` and the `sub` of the JWT.
    public let subject: Name
    /// From when on the JWT is good for nothing.
    public let until: Instant
}

/// What a JWT has to claim to be believed.
struct ClaimRules {
    let issuer: String
    let audience: String

    /// How far the clocks of issuer and service may be apart.
    static let leewaySeconds: Int64 = 60

    /// Judges the claims of a JWT whose signature is right.
    func check(_ claims: JSONObject, at now: Instant) throws(JWTProblem) -> VerifiedClaims {
        guard let issuer = claims.text("iss"), ExactText(issuer) == ExactText(self.issuer) else { throw .wrongIssuer }
        guard names(claims["aud"]) else { throw .wrongAudience }
        guard let end = try time(claims["exp"]) else { throw .noEnd }
        let leeway = ClaimRules.leewaySeconds * 1_000_000
        guard now < end.advanced(byMicroseconds: leeway) else { throw .ended }
        let soon = now.advanced(byMicroseconds: leeway)
        if let start = try time(claims["nbf"]), start > soon { throw .notYetGood }
        if let issued = try time(claims["iat"]), issued > soon { throw .issuedInTheFuture }
        guard let id = claims.text("sub"), !id.isEmpty else { throw .unusableSubject }
        let subject = Name("user:" + id)
        guard subject.isWellFormed else { throw .unusableSubject }
        return VerifiedClaims(subject: subject, until: end.advanced(byMicroseconds: leeway))
    }

    private func names(_ audience: JSONValue?) -> Bool {
        switch audience {
        case .string(let one)?: ExactText(one) == ExactText(self.audience)
        case .array(let several)?: several.contains(.string(self.audience))
        default: false
        }
    }

    /// Seconds since 1970 (RFC 7519, section 2), perhaps with a fraction; nil where the claim is missing.
    private func time(_ value: JSONValue?) throws(JWTProblem) -> Instant? {
        switch value {
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
