/// The host and the port of an address (RFC 3986, section 3.2), without a user name.
struct Authority: Hashable, Sendable {
    /// In lowercase; an IPv6 address without its brackets.
    let host: String

    /// - Parameter text: `host`, `host:port`, `[IPv6]` or `[IPv6]:port`. The result is nil for any other text.
    init?(_ text: Substring) {
        guard !text.contains("@") else { return nil }
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
        }
        guard !host.isEmpty, rest.isEmpty || (rest.hasPrefix(":") && UInt16(rest.dropFirst()) != nil) else { return nil }
        self.host = host.lowercased()
    }

    /// Whether it is this machine, so that nothing is sent over the network.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether a byte may occur in an address. A backslash may not: some programs read it as a slash and would see another host.
    static func isPlain(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\") }
}
