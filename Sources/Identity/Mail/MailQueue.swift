internal import Dispatch
internal import Synchronization

/// Sends mails one after another from a thread of its own, so that nobody can tell from the time of an answer whether there was one
/// to send.
final class MailQueue: Sendable {
    private let mailer: any Mailer
    private let limit: Int
    private let pausesSeconds: [Int]
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "muniment.mail")
    private let waiting = Mutex(0)
    private let allSent = DispatchGroup()

    /// - Parameters:
    ///   - mailer: what takes the mails.
    ///   - limit: how many may wait.
    ///   - pausesSeconds: how long to wait before each further try with a mail that was not taken.
    ///   - report: is told of a mail that is given up, without its address and text.
    init(_ mailer: any Mailer, limit: Int = 1_024, pausesSeconds: [Int] = [5, 60], report: @escaping @Sendable (String) -> Void) {
        self.mailer = mailer
        self.limit = limit
        self.pausesSeconds = pausesSeconds
        self.report = report
    }

    /// Whether there is room for another mail. Asked before anything is promised; the same for every address.
    var hasRoom: Bool { waiting.withLock { $0 < limit } }

    /// Sends a mail soon. One that finds no room is reported and not sent.
    func send(_ message: MailMessage) {
        let isTaken = waiting.withLock { waiting in
            guard waiting < limit else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return report("a mail was not sent: \(limit) are waiting already") }
        allSent.enter()
        queue.async { self.attempt(message, pauses: self.pausesSeconds[...]) }
    }

    /// Waits until every mail is sent or given up, and no longer than so many seconds; what waits then is reported.
    func drain(seconds: Int = 10) {
        guard allSent.wait(timeout: .now() + .seconds(seconds)) == .timedOut else { return }
        report("mails that were not sent before the end, and never will be: \(waiting.withLock { $0 })")
    }

    private func attempt(_ message: MailMessage, pauses: ArraySlice<Int>) {
        do {
            try mailer.send(message)
        } catch {
            if let pause = pauses.first {
                // Others go out meanwhile.
                queue.asyncAfter(deadline: .now() + .seconds(pause)) { self.attempt(message, pauses: pauses.dropFirst()) }
                return
            }
            report("a mail was not sent: \(error.description)")
        }
        waiting.withLock { $0 -= 1 }
        allSent.leave()
    }
}
