import Synchronization
import TestSupport
import Testing

@testable import Identity

@Suite("The mail queue")
struct MailQueueTests {
    private final class RefusingMailer: Mailer {
        let isFinal: Bool
        private let count = Mutex(0)
        var tries: Int { count.withLock { $0 } }

        init(isFinal: Bool) { self.isFinal = isFinal }

        func send(_ message: MailMessage) throws(MailError) {
            count.withLock { $0 += 1 }
            throw MailError("refused", isFinal: isFinal)
        }
    }

    @Test("A mail with a final problem is dropped immediately, and any other waits for its next attempt", arguments: [true, false])
    func finalProblem(isFinal: Bool) throws {
        let (mailer, reports) = (RefusingMailer(isFinal: isFinal), Reports())
        let queue = MailQueue(mailer, pausesSeconds: [3_600], report: reports.add)
        let address = try #require(EmailAddress("ann@example.com"))
        queue.send(MailMessage(to: address, subject: "s", text: "t"), as: .notice)
        queue.drain(seconds: isFinal ? 60 : 1)
        #expect(
            reports.lines == [
                isFinal ? "a mail was not sent: refused" : "unsent mails dropped at the end: 1"
            ])
        #expect(mailer.tries <= 1)
    }
}
