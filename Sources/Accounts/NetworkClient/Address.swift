internal import Primitives

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

    /// Reads the authority of an address. The result is nil for another scheme, no host, a user name, blanks or control characters.
    ///
    /// - Parameters:
    ///   - schemes: the valid schemes, the encrypted one first.
    ///   - hasPath: whether a path may follow.
    /// - Returns: the authority, and whether the scheme is the encrypted one.
    static func parse(_ text: String, _ schemes: [String], hasPath: Bool) -> (authority: Authority, isSecure: Bool)? {
        let lowered = text.prefix(8).lowercased()
        guard let scheme = schemes.first(where: { lowered.hasPrefix($0) }), text.utf8.count <= HTTPAddress.limitBytes,
            // Some programs read a backslash as a slash, and would see another host.
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let host = rest.prefix { !"/?#".contains($0) }
        guard hasPath || host.endIndex == rest.endIndex, let authority = Authority(host) else { return nil }
        return (authority, scheme == schemes[0])
    }
}

/// The address of a request: `https://host[:port][/path]`, or `http://`.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    /// Whether the connection is encrypted.
    public let isSecure: Bool
    private let authority: Authority

    public static let limitBytes = 2_048

    /// Returns nil if the address is invalid: another scheme, no host, a user name, blanks or control characters.
    public init?(_ text: String) {
        guard let parsed = Authority.parse(text, ["https://", "http://"], hasPath: true) else { return nil }
        (self.text, authority, isSecure) = (text, parsed.authority, parsed.isSecure)
    }

    /// In lowercase; an IPv6 address without its brackets.
    public var host: String { authority.host }

    /// Whether it is this machine, so that nothing is sent over the network.
    public var isLoopback: Bool { authority.isLoopback }

    /// Whether the host is written as an address of this machine or of a private network. A name can still have such an address.
    public var isPrivate: Bool { isLoopback || PrivateAddress.bytes(of: host).map(PrivateAddress.contains) ?? false }

    public var description: String { text }
}

/// The address of a mail server: `smtps://host[:port]`, encrypted from the first byte, or `smtp://host[:port]`, which must start
/// encryption (STARTTLS) before it receives any data.
public struct SMTPAddress: Hashable, Sendable, CustomStringConvertible {
    public let text: String
    /// Whether the connection is encrypted from the start.
    public let isSecure: Bool
    private let authority: Authority

    /// Returns nil if the address is invalid: another scheme, no host, a path, a user name, blanks or control characters.
    public init?(_ text: String) {
        guard let parsed = Authority.parse(text, ["smtps://", "smtp://"], hasPath: false) else { return nil }
        (self.text, authority, isSecure) = (text, parsed.authority, parsed.isSecure)
    }

    /// Whether it is this machine, so that nothing is sent over the network.
    public var isLoopback: Bool { authority.isLoopback }

    public var description: String { text }
}

/// Encodes names and values of a form (`application/x-www-form-urlencoded`).
public enum FormText {
    /// Returns all fields, joined.
    public static func make(_ fields: [(name: String, value: String)]) -> String {
        fields.map { $0.name.percentEncoded + "=" + $0.value.percentEncoded }.joined(separator: "&")
    }
}
