internal import Foundation

/// The address of a service: `https://host[:port]`, or `http://` on this machine only, because requests contain secrets.
public struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without a trailing slash.
    public let text: String

    private static let limitBytes = 2_048

    /// - Parameter text: the address, with or without a trailing slash.
    /// - Throws: ``AuthError/malformed(_:)`` if the address is invalid.
    public init(_ text: String) throws(AuthError) {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let parts = ServiceAddress.parts(trimmed) else {
            throw .malformed("`\(text.prefix(80))` is not the address of a service; write one like https://accounts.example.com")
        }
        guard parts.scheme == "https" || ServiceAddress.isLoopback(parts.host) else {
            throw .malformed("`\(text.prefix(80))` is not encrypted, but passwords are sent there; write https://")
        }
        self.text = trimmed
    }

    public var description: String { text }

    /// Returns scheme and host in lowercase; nil for another scheme, no host, a user name, a query, blanks or control characters.
    private static func parts(_ text: String) -> (scheme: String, host: String)? {
        // Some programs read a backslash as a slash, and would see another host.
        guard text.utf8.count <= limitBytes, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#"\?#@"#.utf8.contains($0) }),
            let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = parts.host?.lowercased(), !host.isEmpty, parts.port.map({ UInt16(exactly: $0) != nil }) ?? true
        else { return nil }
        return (scheme, host)
    }

    /// Whether the host is this machine, so that nothing is sent over the network.
    private static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
