public import Identity
public import NetworkClient
public import Primitives
internal import Secrets

/// Sends mails with a mail server.
public struct SMTPMailer: Mailer {
    private let server: SMTPAddress
    private let sender: MailSender
    private let login: SMTPLogin?
    private let pinnedKeyDigest: [UInt8]?
    private let clock: @Sendable () -> Instant

    /// - Parameters:
    ///   - server: the server; encrypted unless it is this machine.
    ///   - sender: the sender of the mails, who also receives delivery failures.
    ///   - login: the credentials for the server; nil if it requires none.
    ///   - pinnedKeyDigest: the SHA-256 of the server's public key, checked instead of a CA-signed certificate; nil to check the
    ///     certificate.
    ///   - clock: returns the date of a mail.
    public init(
        server: SMTPAddress, sender: MailSender, login: SMTPLogin? = nil, pinnedKeyDigest: [UInt8]? = nil,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.server = server
        self.sender = sender
        self.login = login
        self.pinnedKeyDigest = pinnedKeyDigest
        self.clock = clock
    }

    public func send(_ message: MailMessage) throws(MailProblem) {
        do throws(SMTPClientError) { try SMTPClient.send(delivery(of: message)) } catch { throw MailProblem("\(error)") }
    }

    /// Returns the encoded mail with the connection settings.
    package func delivery(of message: MailMessage) -> SMTPDelivery {
        let bytes = MailBytes.make(message, from: sender, at: clock(), identifier: Base64URL.encode(Secrets.randomBytes(16)))
        var delivery = SMTPDelivery(server: server, sender: sender.address.text, recipient: message.to.text, message: bytes)
        delivery.login = login
        delivery.pinnedKeyDigest = pinnedKeyDigest
        return delivery
    }
}
