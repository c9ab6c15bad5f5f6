public import Events
internal import Files
public import Identity
internal import Secrets
internal import Synchronization

/// Puts mails into a folder, for development and tests: nothing leaves the machine.
///
/// Every mail is a file, `00000001.eml` and so on in the order in which they came, readable by its owner alone since codes stand in
/// it.
public final class Outbox: Mailer {
    private let folder: String
    private let sender: MailSender
    private let clock: @Sendable () -> Instant
    /// The number of the next file.
    private let next: Mutex<Int>

    /// - Parameters:
    ///   - folder: made where it is not there; what is in it stays.
    ///   - sender: whom mails come from.
    ///   - clock: when they are written.
    /// - Throws: ``Identity/MailProblem`` where there can be no such folder.
    public init(folder: String, sender: MailSender, clock: @escaping @Sendable () -> Instant) throws(MailProblem) {
        self.folder = folder
        self.sender = sender
        self.clock = clock
        do throws(FileError) {
            if !isFolder(folder) { try makePrivateFolder(folder) }
            next = Mutex(try fileNames(in: folder).compactMap { Int($0.prefix { $0 != "." }) }.max().map { $0 + 1 } ?? 1)
        } catch { throw MailProblem("the outbox: \(error)") }
    }

    public func send(_ message: MailMessage) throws(MailProblem) {
        let bytes = MailBytes.make(
            message, from: sender, at: clock(), identifier: Base64URL.encode(Secrets.randomBytes(16)))
        do throws(FileError) {
            try next.withLock { number throws(FileError) in
                // Another process may put its mails here too.
                while try !createFile(path(number), with: bytes) { number += 1 }
                number += 1
            }
        } catch { throw MailProblem("the outbox: \(error)") }
    }

    private func path(_ number: Int) -> String {
        let digits = String(number)
        return folder + "/" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".eml"
    }
}
