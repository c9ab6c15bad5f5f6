package import Identity
import Synchronization

/// A mailer that keeps its mails, so that tests can wait for them.
package final class KeptMails: Mailer {
    private let mails = Mutex<[MailMessage]>([])

    package init() {}

    package func send(_ message: MailMessage) throws(MailError) { mails.withLock { $0.append(message) } }

    /// All sent mails, in order.
    package var all: [MailMessage] { mails.withLock { $0 } }

    /// Returns the code in the next mail to an address that has one, after the first `count` mails. Waits for it if necessary.
    ///
    /// The service sends mails from a queue. A notice of an earlier change can therefore arrive after `count` was taken; it has no code.
    ///
    /// - Parameter timeoutSeconds: The maximum wait, so that a faulty test ends.
    /// - Throws: ``NoMail`` if no such mail arrives in that time.
    package func nextCode(to email: String, after count: Int, timeoutSeconds: Int = 300) async throws -> String {
        let end = ContinuousClock.now + .seconds(timeoutSeconds)
        while true {
            let codes = all.dropFirst(count).lazy.filter { $0.to.text == email.lowercased() }.map(\.code)
            if let code = codes.first(where: { !$0.isEmpty }) { return code }
            guard .now < end else { throw NoMail(email: email) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// An expected mail with a code was not sent.
    package struct NoMail: Error { package let email: String }
}

extension MailMessage {
    /// The code that the user copies from the mail, or an empty text if the mail contains none.
    package var code: String {
        text.firstMatch(of: /code is: +([A-Z0-9-]+)/).map { String($0.1) } ?? ""
    }
}
