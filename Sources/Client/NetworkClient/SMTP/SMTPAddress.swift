/// The address of a mail server: `smtps://host[:port]`, encrypted from the first byte, or `smtp://host[:port]`, which must start
/// encryption (STARTTLS) before it receives any data.
public struct SMTPAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    /// Whether the connection is encrypted from the start.
    public let isSecure: Bool
    private let authority: Authority

    /// Returns nil if the address is invalid: another scheme, no host, a path, a user name, blanks or control characters.
    public init?(_ text: String) {
        let lowered = text.prefix(8).lowercased()
        let scheme = lowered.hasPrefix("smtps://") ? "smtps://" : lowered.hasPrefix("smtp://") ? "smtp://" : nil
        guard let scheme, text.utf8.count <= HTTPAddress.limitBytes, text.utf8.allSatisfy(Authority.isPlain),
            !text.dropFirst(scheme.count).contains(where: { "/?#".contains($0) }),
            let authority = Authority(text.dropFirst(scheme.count))
        else { return nil }
        self.text = text
        self.authority = authority
        isSecure = scheme == "smtps://"
    }

    /// Whether it is this machine, so that nothing is sent over the network.
    public var isLoopback: Bool { authority.isLoopback }

    public var description: String { text }
}
