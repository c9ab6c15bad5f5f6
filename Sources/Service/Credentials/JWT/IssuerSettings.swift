public import NetworkClient

/// A trusted issuer of JWTs, and the address of its keys.
public struct IssuerSettings: Sendable {
    /// The exact `iss` of its JWTs.
    public let issuer: String
    /// The required `aud` of its JWTs: the issuer's name of this service.
    public let audience: String
    /// The address of its keys; nil to read it from `issuer/.well-known/openid-configuration`.
    public let jwksAddress: HTTPAddress?
    let issuerAddress: HTTPAddress
    /// The names of its users. Nil if none is configured: then it may name every user, but no administrator of a store.
    public var userPrefix: UserPrefix?
    /// The `typ` that its access tokens must have.
    public var accessTokenType = AccessTokenType.onceSeen
    /// The timeout for fetching its keys, including the lookup of their address: 1 to 10 seconds.
    public var fetchSeconds = 10
    /// Whether the endpoints in its metadata may have addresses of this machine or of private networks. They always may if the metadata
    /// itself comes from such an address.
    public var allowsPrivateEndpoints = false

    /// - Throws: ``IssuerSettingsError`` for addresses that are invalid, or that are not `https` and not on this machine.
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

    /// The address of the issuer's metadata (OpenID Connect Discovery 1.0, section 4).
    var discoveryAddress: HTTPAddress? {
        var base = issuer
        while base.hasSuffix("/") { base.removeLast() }
        return HTTPAddress(base + "/.well-known/openid-configuration")
    }

    /// Returns an address from the issuer. An unencrypted address is accepted only from an issuer on this machine.
    func safeAddress(_ text: String) -> HTTPAddress? {
        guard let address = HTTPAddress(text) else { return nil }
        return address.isSecure || (address.isLoopback && issuerAddress.isLoopback) ? address : nil
    }
}

/// Why issuer settings are refused: they could accept forged JWTs.
public enum IssuerSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    case noAddress(String)
    case notSecure(String)
    case noAudience
    case tooLong(String)
    case noPrefix(String)

    public var description: String {
        switch self {
        case .tooLong(let text): "the issuer `\(text.prefix(80))…` has more than 512 bytes; use a shorter one"
        case .noAddress(let text): "`\(text)` is not an address; write one like `https://login.example.com`"
        case .notSecure(let text): "`\(text)` is not encrypted, but the host is another machine; write one with `https://`"
        case .noPrefix(let text):
            "`\(text)` is not a prefix of users; write one like `user:corp/`, or `user:` if the issuer may name every user"
        case .noAudience:
            "the audience is empty, so JWTs for any other service would be valid here; write the audience of this service"
        }
    }
}
