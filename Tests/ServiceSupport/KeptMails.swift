package import Identity
import Synchronization

/// A mailer that keeps its mails, so that tests can wait for them.
package final class KeptMails: Mailer {
    private let mails = Mutex<[MailMessage]>([])

    package init() {}

    package func send(_ message: MailMessage) throws(MailError) { mails.withLock { $0.append(message) } }

    /// All sent mails, in order.
    package var all: [MailMessage] { mails.withLock { $0 } }

    /// Returns the next mail to an address after the first `count` mails, and waits for it if necessary.
    ///
    /// - Parameter timeoutSeconds: The maximum wait, so that a faulty test ends.
    /// - Throws: ``NoMail`` if no mail arrives in that time.
    package func next(to email: String, after count: Int, timeoutSeconds: Int = 30) async throws -> MailMessage {
        let end = ContinuousClock.now + .seconds(timeoutSeconds)
        while true {
            if let found = all.dropFirst(count).first(where: { $0.to.text == email.lowercased() }) { return found }
            guard .now < end else { throw NoMail(email: email) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// An expected mail was not sent.
    package struct NoMail: Error { package let email: String }
}

extension MailMessage {
    /// The code that the user copies from the mail, or an empty text if the mail contains none.
    package var code: String {
        text.firstMatch(of: /code is: +([A-Z0-9-]+)/).map { String($0.1) } ?? ""
    }
}
