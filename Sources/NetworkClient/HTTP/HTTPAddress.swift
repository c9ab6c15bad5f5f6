/// An address that requests go to: `https://host[:port][/path]`, or `http://` in front.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    /// Whether what is sent there is encrypted.
    public let isSecure: Bool
    private let authority: Authority

    /// nil for what is no such address: another scheme, no host, a user's name in it, blanks or control characters.
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

    /// In small letters; an IPv6 address without its brackets.
    public var host: String { authority.host }

    /// Whether it is this machine, so that nothing leaves it.
    public var isLoopback: Bool { authority.isLoopback }

    public var description: String { text }
}
