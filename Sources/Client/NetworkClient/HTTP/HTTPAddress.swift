/// The address of a request: `https://host[:port][/path]`, or `http://`.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    /// Whether the connection is encrypted.
    public let isSecure: Bool
    private let authority: Authority

    /// Returns nil if the address is invalid: another scheme, no host, a user name, blanks or control characters.
    public init?(_ text: String) {
        let lowered = text.prefix(8).lowercased()
        let scheme = lowered.hasPrefix("https://") ? "https://" : lowered.hasPrefix("http://") ? "http://" : nil
        guard let scheme, text.utf8.count <= HTTPAddress.limitBytes, text.utf8.allSatisfy(Authority.isPlain),
            let authority = Authority(text.dropFirst(scheme.count).prefix { !"/?#".contains($0) })
        else { return nil }
        self.text = text
        self.authority = authority
        isSecure = scheme == "https://"
    }

    public static let limitBytes = 2_048

    /// In lowercase; an IPv6 address without its brackets.
    public var host: String { authority.host }

    /// Whether it is this machine, so that nothing is sent over the network.
    public var isLoopback: Bool { authority.isLoopback }

    public var description: String { text }
}
