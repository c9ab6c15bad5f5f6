package import Identity
import Synchronization

/// A mailer that keeps what it is given, for tests to wait for.
package final class KeptMails: Mailer {
    private let mails = Mutex<[MailMessage]>([])

    package init() {}

    package func send(_ message: MailMessage) throws(MailProblem) { mails.withLock { $0.append(message) } }

    /// Everything that was sent, in order.
    package var all: [MailMessage] { mails.withLock { $0 } }

    /// The next mail to somebody behind so many of all, once it is there.
    ///
    /// - Parameter patienceSeconds: how long it is waited for, so that a test that is wrong ends.
    /// - Throws: ``NoMail`` where none comes in that time.
    package func next(to email: String, after count: Int, patienceSeconds: Int = 30) async throws -> MailMessage {
        let end = ContinuousClock.now + .seconds(patienceSeconds)
        while true {
            if let found = all.dropFirst(count).first(where: { $0.to.text == email.lowercased() }) { return found }
            guard .now < end else { throw NoMail(email: email) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Nothing was sent to somebody who was to get something.
    package struct NoMail: Error { package let email: String }
}

extension MailMessage {
    /// The code that a person copies out of it; empty where there is none.
    package var code: String {
        text.firstMatch(of: /code is: +([A-Z0-9-]+)/).map { String($0.1) } ?? ""
    }
}
