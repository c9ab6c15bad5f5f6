public import NetworkClient

/// Whose JWTs are believed, and where that issuer's keys are.
public struct IssuerSettings: Sendable {
    /// The `iss` of its JWTs, letter by letter.
    public let issuer: String
    /// What has to be in the `aud` of its JWTs: what the issuer calls this service.
    public let audience: String
    /// Where its keys are; nil to ask `issuer/.well-known/openid-configuration`.
    public let jwksAddress: HTTPAddress?
    let issuerAddress: HTTPAddress
    /// Which `typ` its access tokens must have.
    public var accessTokenType = AccessTokenType.onceSeen
    /// How long a fetch of its keys may take, with the look for where they are: 1 to 10 seconds.
    public var fetchSeconds = 10

    /// - Throws: ``IssuerSettingsError`` for addresses that are none, or that are not `https` and lead to another machine.
    public init(issuer: String, audience: String, jwksAddress: String? = nil) throws(IssuerSettingsError) {
        guard !audience.isEmpty else { throw .noAudience }
        guard issuer.utf8.count <= IssuerSettings.issuerLimitBytes else { throw .tooLong(issuer) }
        self.issuer = issuer
        self.audience = audience
        issuerAddress = try IssuerSettings.address(issuer)
        if let jwksAddress { self.jwksAddress = try IssuerSettings.address(jwksAddress) } else { self.jwksAddress = nil }
    }

    /// Commits record the issuer and the subject together.
    private static let issuerLimitBytes = 512

    private static func address(_ text: String) throws(IssuerSettingsError) -> HTTPAddress {
        guard let address = HTTPAddress(text) else { throw .noAddress(text) }
        guard address.isSecure || address.isLoopback else { throw .notSecure(text) }
        return address
    }

    /// Where the issuer describes itself (OpenID Connect Discovery 1.0, section 4).
    var discoveryAddress: HTTPAddress? {
        var base = issuer
        while base.hasSuffix("/") { base.removeLast() }
        return HTTPAddress(base + "/.well-known/openid-configuration")
    }

    /// An address that the issuer gives. One that is not encrypted is taken from an issuer on this machine alone.
    func safeAddress(_ text: String) -> HTTPAddress? {
        guard let address = HTTPAddress(text) else { return nil }
        return address.isSecure || (address.isLoopback && issuerAddress.isLoopback) ? address : nil
    }
}

/// Settings that would let in whom nobody vouches for.
public enum IssuerSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    case noAddress(String)
    case notSecure(String)
    case noAudience
    case tooLong(String)

    public var description: String {
        switch self {
        case .tooLong(let text): "the issuer `\(text.prefix(80))…` has more than 512 bytes; only a shorter one can be used"
        case .noAddress(let text): "`\(text)` is no address; write one like `https://login.example.com`"
        case .notSecure(let text): "`\(text)` is not encrypted, and leads to another machine; write one with `https://`"
        case .noAudience: "the audience is empty, and JWTs for any other service would be good here; write what the issuer calls it"
        }
    }
}
