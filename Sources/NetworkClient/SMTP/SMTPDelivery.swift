/// A mail for a server to take, and how long that may take.
public struct SMTPDelivery: Sendable {
    public var server: SMTPAddress
    /// Where the server tells that it could not be delivered.
    public var sender: String
    public var recipient: String
    /// Head and text as they go out (RFC 5322), with CR LF at the end of every line.
    public var message: [UInt8]
    /// Whom to sign in to the server as; nil where it asks nobody who they are.
    public var login: SMTPLogin?
    /// Whether nothing is said before the connection is encrypted.
    public var isEncryptionRequired: Bool
    /// Seconds until there has to be a connection.
    public var connectSeconds: Int
    /// Seconds until the mail has to be taken.
    public var timeoutSeconds: Int
    /// The SHA-256 of the key that the other side has to have, in place of a certificate that somebody vouches for; nil for that.
    public var pinnedKeyDigest: [UInt8]?

    /// Without signing in, within thirty seconds, and encrypted unless the server is this machine.
    public init(server: SMTPAddress, sender: String, recipient: String, message: [UInt8]) {
        self.server = server
        self.sender = sender
        self.recipient = recipient
        self.message = message
        login = nil
        isEncryptionRequired = !server.isLoopback
        connectSeconds = 10
        timeoutSeconds = 30
        pinnedKeyDigest = nil
    }
}

/// Whom a mail server knows.
public struct SMTPLogin: Hashable, Sendable, CustomStringConvertible {
    public let user: String
    public let password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Without the password.
    public var description: String { "login of `\(user)`" }
}

/// A mail that the server did not take. Says nothing of whom it was for and what was in it.
public enum SMTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody listens there, or no such host.
    case unreachable(server: String, why: String)
    case timedOut(server: String, seconds: Int)
    /// The server does not encrypt.
    case notEncrypted(server: String)
    /// It does not know the user, or the password is another.
    case loginDenied(server: String)
    /// A reply by which it does not take the sender, the recipient or the mail (RFC 5321, section 4.2).
    case refused(server: String, status: Int)
    /// An address that would be another one, or several, in what the server is told.
    case malformedAddress
    case failed(server: String, why: String)

    public var description: String {
        switch self {
        case .unreachable(let server, let why): "the mail server `\(server)` cannot be reached: \(why); check that it is up"
        case .timedOut(let server, let seconds): "the mail server `\(server)` took no mail within \(seconds) s; look there"
        case .notEncrypted(let server):
            "the mail server `\(server)` does not encrypt, so it was told nothing; have it offer STARTTLS, or write `smtps://`"
        case .loginDenied(let server): "the mail server `\(server)` refuses user or password; check both"
        case .refused(let server, let status): "the mail server `\(server)` answers \(status) and does not take the mail"
        case .malformedAddress: "an address for a mail has blanks, brackets or control characters in it; leave them out"
        case .failed(let server, let why): "the mail server `\(server)` did not take a mail: \(why)"
        }
    }
}
