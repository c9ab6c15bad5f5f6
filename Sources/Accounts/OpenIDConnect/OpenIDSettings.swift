public import Credentials
public import Identity
internal import NetworkClient

/// An OpenID provider for sign-in, and this service's client registration there.
public struct OpenIDSettings: Sendable {
    public let id: ProviderID
    /// The issuer identifier (`iss`), compared byte for byte, and the client ID of this service.
    public let issuer: IssuerSettings
    /// The client secret of this service (`client_secret_basic`); nil for a public client, which only PKCE protects.
    public let clientSecret: String?
    /// The permitted redirect URIs, compared byte for byte; at least one. No other provider may use them, because the redirect URI
    /// identifies the provider.
    public let redirectURIs: [String]
    /// Whether the service trusts an email that the provider reports as verified.
    public let trustsEmail: Bool
    /// See ``Identity/IdentityProvider/priority``.
    public let priority: Int

    /// - Throws: ``OpenIDSettingsError`` for invalid settings.
    public init(
        id: ProviderID, issuer: String, clientID: String, clientSecret: String? = nil, redirectURIs: [String],
        trustsEmail: Bool = false, priority: Int = 10, allowsPrivateEndpoints: Bool = false
    ) throws(OpenIDSettingsError) {
        guard id != .password else { throw .reservedName }
        do throws(IssuerSettingsError) {
            var settings = try IssuerSettings(issuer: issuer, audience: clientID)
            settings.allowsPrivateEndpoints = allowsPrivateEndpoints
            self.issuer = settings
        } catch { throw .issuer(error) }
        guard !redirectURIs.isEmpty else { throw .noRedirect }
        for address in redirectURIs where !OpenIDSettings.isRedirect(address) { throw .unusableRedirect(address) }
        if clientSecret == "" { throw .emptySecret }
        self.id = id
        self.clientSecret = clientSecret
        self.redirectURIs = redirectURIs
        self.trustsEmail = trustsEmail
        self.priority = priority
    }

    public var clientID: String { issuer.audience }

    /// Whether the text is the address of a website, or of an app with a scheme that contains a dot (RFC 8252, section 7.1). It
    /// must have no fragment, because appended parameters would become part of it.
    private static func isRedirect(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#") else { return false }
        if let address = HTTPAddress(text) { return address.isSecure || address.isLoopback }
        return text.prefix { $0 != ":" }.contains(".") && text.contains(":/")
    }
}

/// Settings that are invalid or insecure.
public enum OpenIDSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    case reservedName
    case issuer(IssuerSettingsError)
    case noRedirect
    case unusableRedirect(String)
    case emptySecret

    public var description: String {
        switch self {
        case .reservedName: "`password` is reserved for sign-in by email and password; choose another name for the provider"
        case .issuer(let error): "the issuer: \(error)"
        case .noRedirect: "the redirect addresses are missing; give at least one in `redirectURIs`"
        case .unusableRedirect(let text):
            "`\(text)` is not a redirect address: write one with `https://`, of this machine, or of an app like "
                + "`com.example.app:/signed-in`, without `#`"
        case .emptySecret: "the client's secret is empty; omit it if the client has none"
        }
    }
}
