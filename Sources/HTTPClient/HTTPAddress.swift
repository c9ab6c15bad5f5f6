/// An address that requests go to: `https://host[:port][/path]`, or `http://` in front.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    /// Whether what is sent there is encrypted.
    public let isSecure: Bool
    /// In small letters; an IPv6 address without its brackets.
    public let host: String

    /// nil for what is no such address: another scheme, no host, a user's name in it, blanks or control characters.
    public init?(_ text: String) {
        let lowered = text.prefix(8).lowercased()
        let scheme = lowered.hasPrefix("https://") ? "https://" : lowered.hasPrefix("http://") ? "http://" : nil
        guard let scheme, text.utf8.count <= HTTPAddress.limitBytes, text.utf8.allSatisfy(HTTPAddress.isPlain) else {
            return nil
        }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#\\".contains($0) }
        guard !authority.contains("@"), let host = HTTPAddress.host(authority) else { return nil }
        self.text = text
        isSecure = scheme == "https://"
        self.host = host.lowercased()
    }

    public static let limitBytes = 2_048

    /// Some take a backslash for a slash and others do not, and would see another host.
    private static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\") }

    /// What stands before the port; nil where that is nothing, or where the port is none.
    private static func host(_ authority: Substring) -> String? {
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
        }
        guard !host.isEmpty, rest.isEmpty || (rest.hasPrefix(":") && UInt16(rest.dropFirst()) != nil) else { return nil }
        return String(host)
    }

    /// Whether it is this machine, so that nothing leaves it.
    public var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    public var description: String { text }
}
