internal import Files
public import Identity
public import NetworkClient
public import Primitives
internal import Secrets
internal import Synchronization

/// Sends mails with a mail server.
public struct SMTPMailer: Mailer {
    private let server: SMTPAddress
    private let sender: MailSender
    private let login: SMTPLogin?
    private let pinnedKeyDigest: [UInt8]?
    private let clock: @Sendable () -> Instant

    /// - Parameters:
    ///   - server: the mail server. The connection must be encrypted, unless the server is this machine.
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

    public func send(_ message: MailMessage) throws(MailError) {
        do throws(SMTPClientError) { try SMTPClient.send(delivery(of: message)) } catch { throw MailError("\(error)") }
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

/// Writes mails to a folder, for development and tests. Nothing is sent.
///
/// Each mail is a file. The files are numbered in the order of the calls, from `00000001.eml` or the next free number. Mails
/// contain codes, so only the user that runs the process can read the files.
public final class FolderMailer: Mailer {
    private let folder: String
    private let sender: MailSender
    private let clock: @Sendable () -> Instant
    /// The number of the next file.
    private let next: Mutex<Int>

    /// - Parameters:
    ///   - folder: the folder, created if it does not exist; existing files remain.
    ///   - sender: the sender of the mails.
    ///   - clock: returns the date of a mail.
    /// - Throws: ``Identity/MailError`` if the folder cannot be created or read.
    public init(folder: String, sender: MailSender, clock: @escaping @Sendable () -> Instant) throws(MailError) {
        self.folder = folder
        self.sender = sender
        self.clock = clock
        do throws(FileError) {
            if !isFolder(folder) { try makePrivateFolder(folder) }
            next = Mutex(try fileNames(in: folder).compactMap { Int($0.prefix { $0 != "." }) }.max().map { $0 + 1 } ?? 1)
        } catch { throw MailError("the outbox: \(error)") }
    }

    public func send(_ message: MailMessage) throws(MailError) {
        let bytes = MailBytes.make(
            message, from: sender, at: clock(), identifier: Base64URL.encode(Secrets.randomBytes(16)))
        do throws(FileError) {
            try next.withLock { number throws(FileError) in
                // Another process may use the same folder.
                while try !createFile(path(number), with: bytes) { number += 1 }
                number += 1
            }
        } catch { throw MailError("the outbox: \(error)") }
    }

    private func path(_ number: Int) -> String {
        let digits = String(number)
        return folder + "/" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".eml"
    }
}
