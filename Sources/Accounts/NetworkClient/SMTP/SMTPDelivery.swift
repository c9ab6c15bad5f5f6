/// A mail for a server, with timeouts.
public struct SMTPDelivery: Sendable {
    public var server: SMTPAddress
    /// The envelope sender, which receives delivery failures.
    public var sender: String
    public var recipient: String
    /// Header and text (RFC 5322), with CR LF at the end of every line.
    public var message: [UInt8]
    /// The credentials for the server; nil if it requires none.
    public var login: SMTPLogin?
    /// Whether encryption must start before any data is sent.
    public var isEncryptionRequired: Bool
    /// The connection timeout in seconds.
    public var connectSeconds = 10
    /// The timeout of the whole delivery in seconds.
    public var timeoutSeconds = 30
    /// The SHA-256 of the peer's public key, checked instead of a CA-signed certificate; nil to check the certificate.
    public var pinnedKeyDigest: [UInt8]?

    /// Creates a delivery without login, with a timeout of thirty seconds, and encrypted unless the server is this machine.
    public init(server: SMTPAddress, sender: String, recipient: String, message: [UInt8]) {
        self.server = server
        self.sender = sender
        self.recipient = recipient
        self.message = message
        isEncryptionRequired = !server.isLoopback
    }
}

/// The credentials for a mail server.
public struct SMTPLogin: Hashable, Sendable, CustomStringConvertible {
    public let user: String
    public let password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Does not contain the password.
    public var description: String { "login of `\(user)`" }
}

/// A mail that the server did not accept. The error contains neither the recipient nor the content.
public enum SMTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Connection refused, or unknown host.
    case unreachable(server: String, reason: String)
    case timedOut(server: String, seconds: Int)
    /// The server does not support encryption.
    case notEncrypted(server: String)
    /// The user is unknown, or the password is wrong.
    case loginDenied(server: String)
    /// A reply that rejects the sender, the recipient or the mail (RFC 5321, section 4.2).
    case refused(server: String, status: Int)
    /// The server would read this address as a different one, or as several.
    case malformedAddress
    case failed(server: String, reason: String)

    public var description: String {
        switch self {
        case .unreachable(let server, let reason): "the mail server `\(server)` cannot be reached: \(reason); check that it is up"
        case .timedOut(let server, let seconds):
            "the mail server `\(server)` accepted no mail within \(seconds) s; check that server"
        case .notEncrypted(let server):
            "the mail server `\(server)` does not encrypt, so nothing was sent; enable STARTTLS there, or write `smtps://`"
        case .loginDenied(let server): "the mail server `\(server)` refused the user or the password; check both"
        case .refused(let server, let status): "the mail server `\(server)` returned status \(status) and refused the mail"
        case .malformedAddress: "a mail address contains spaces, brackets or control characters; remove them"
        case .failed(let server, let reason): "the mail server `\(server)` did not accept a mail: \(reason)"
        }
    }
}
