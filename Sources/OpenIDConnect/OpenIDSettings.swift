public import Credentials
public import Identity
internal import NetworkClient

/// An OpenID provider by which people sign in, and what it knows this service as.
public struct OpenIDSettings: Sendable {
    public let id: ProviderID
    /// Its `iss`, letter by letter, and what it calls this service.
    public let issuer: IssuerSettings
    /// What this service shows to be itself (`client_secret_basic`); nil for a client that has no secret, which PKCE protects alone.
    public let clientSecret: String?
    /// Where it may send people back to, letter by letter; at least one, and none to which another provider sends them: the address
    /// tells by which one they come.
    public let redirectURIs: [String]
    /// Whether an email that it says is verified is believed to be the person's.
    public let trustsEmail: Bool
    /// See ``Identity/IdentityProvider/priority``.
    public let priority: Int

    /// - Throws: ``OpenIDSettingsError`` for settings that cannot be used.
    public init(
        id: ProviderID, issuer: String, clientID: String, clientSecret: String? = nil, redirectURIs: [String],
        trustsEmail: Bool = false, priority: Int = 10
    ) throws(OpenIDSettingsError) {
        guard id != .password else { throw .reservedName }
        do throws(IssuerSettingsError) {
            self.issuer = try IssuerSettings(issuer: issuer, audience: clientID)
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

    /// An address of a site, or of an app that the system knows by a scheme with a dot in it (RFC 8252, section 7.1). A fragment would
    /// swallow what is put behind it.
    private static func isRedirect(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#") else { return false }
        if let address = HTTPAddress(text) { return address.isSecure || address.isLoopback }
        return text.prefix { $0 != ":" }.contains(".") && text.contains(":/")
    }
}

/// Settings by which nobody could sign in, or somebody else.
public enum OpenIDSettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    case reservedName
    case issuer(IssuerSettingsError)
    case noRedirect
    case unusableRedirect(String)
    case emptySecret

    public var description: String {
        switch self {
        case .reservedName: "`password` is the name of signing in by email and password; call the provider something else"
        case .issuer(let error): "the issuer: \(error)"
        case .noRedirect: "there is no address to send people back to; give at least one in `redirectURIs`"
        case .unusableRedirect(let text):
            "`\(text)` is no address to send people back to: write one with `https://`, of this machine, or of an app like "
                + "`com.example.app:/signed-in`, without `#`"
        case .emptySecret: "the client's secret is empty; leave it out where there is none"
        }
    }
}
