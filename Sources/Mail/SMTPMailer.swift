public import Events
public import Identity
public import NetworkClient
internal import Secrets

/// Hands mails to a mail server.
public struct SMTPMailer: Mailer {
    private let server: SMTPAddress
    private let sender: MailSender
    private let login: SMTPLogin?
    private let pinnedKeyDigest: [UInt8]?
    private let clock: @Sendable () -> Instant

    /// - Parameters:
    ///   - server: encrypted, unless it is this machine.
    ///   - sender: whom mails come from, and where the server tells that one could not be delivered.
    ///   - login: whom to sign in to the server as; nil where it asks nobody who they are.
    ///   - pinnedKeyDigest: the SHA-256 of the server's public key, in place of a certificate that somebody vouches for; nil for that.
    ///   - clock: when mails are written.
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

    /// A mail as the server is to get it, and how that has to be spoken to.
    package func delivery(of message: MailMessage) -> SMTPDelivery {
        let bytes = MailBytes.make(message, from: sender, at: clock(), identifier: Base64URL.encode(Secrets.randomBytes(16)))
        var delivery = SMTPDelivery(server: server, sender: sender.address.text, recipient: message.to.text, message: bytes)
        delivery.login = login
        delivery.pinnedKeyDigest = pinnedKeyDigest
        return delivery
    }
}
