internal import NetworkClient

/// The address of a service: `https://host[:port]`, or `http://` on this machine only, because requests contain secrets.
public struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without a trailing slash.
    public let text: String

    /// - Parameter text: the address, with or without a trailing slash.
    /// - Throws: ``AuthError/malformed(_:)`` if the address is invalid.
    public init(_ text: String) throws(AuthError) {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let address = HTTPAddress(trimmed), !trimmed.contains("?"), !trimmed.contains("#") else {
            throw .malformed("`\(text.prefix(80))` is not the address of a service; write one like https://accounts.example.com")
        }
        guard address.isSecure || address.isLoopback else {
            throw .malformed("`\(text.prefix(80))` is not encrypted, but passwords are sent there; write https://")
        }
        self.text = trimmed
    }

    public var description: String { text }
}
