internal import Dispatch
internal import Synchronization

/// Sends mails one after another from a thread of its own, so that nobody can tell from the time of an answer whether there was one
/// to send.
///
/// Codes go before notices, and each has room of its own: somebody waits for a code, and notices are made by whoever changes their
/// account, which must not keep others from signing up.
final class MailQueue: Sendable {
    /// What a mail is for.
    enum Kind: Hashable, Sendable {
        /// Somebody asked for it, and waits for what it says.
        case code
        /// It tells of what was done.
        case notice
    }

    private struct Waiting {
        /// Mails that were not tried yet, in order.
        var untried: [Kind: [MailMessage]] = [:]
        /// How many are neither sent nor given up.
        var counts: [Kind: Int] = [:]
    }

    private let mailer: any Mailer
    private let limit: Int
    private let pausesSeconds: [Int]
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "muniment.mail")
    private let waiting = Mutex(Waiting())
    private let allSent = DispatchGroup()

    /// - Parameters:
    ///   - mailer: what takes the mails.
    ///   - limit: how many of each kind may wait.
    ///   - pausesSeconds: how long to wait before each further try with a mail that was not taken.
    ///   - report: is told of a mail that is given up, without its address and text.
    init(_ mailer: any Mailer, limit: Int = 1_024, pausesSeconds: [Int] = [5, 60], report: @escaping @Sendable (String) -> Void) {
        self.mailer = mailer
        self.limit = limit
        self.pausesSeconds = pausesSeconds
        self.report = report
    }

    /// Whether there is room for another code. Asked before anything is promised; the same for every address.
    var hasRoom: Bool { waiting.withLock { $0.counts[.code, default: 0] < limit } }

    /// Sends a mail soon. One that finds no room is reported and not sent.
    func send(_ message: MailMessage, as kind: Kind) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.counts[kind, default: 0] < limit else { return false }
            waiting.counts[kind, default: 0] += 1
            waiting.untried[kind, default: []].append(message)
            return true
        }
        guard isTaken else { return report("a mail was not sent: \(limit) are waiting already") }
        allSent.enter()
        queue.async { self.sendNext() }
    }

    /// Waits until every mail is sent or given up, and no longer than so many seconds; what waits then is reported.
    func drain(seconds: Int = 10) {
        guard allSent.wait(timeout: .now() + .seconds(seconds)) == .timedOut else { return }
        let count = waiting.withLock { $0.counts.values.reduce(0, +) }
        report("mails that were not sent before the end, and never will be: \(count)")
    }

    /// Tries what is next: as often as mails were taken, so that none is left.
    private func sendNext() {
        let next = waiting.withLock { waiting -> (MailMessage, Kind)? in
            for kind in [Kind.code, .notice] {
                guard var mails = waiting.untried.removeValue(forKey: kind), !mails.isEmpty else { continue }
                defer { waiting.untried[kind] = mails }
                return (mails.removeFirst(), kind)
            }
            return nil
        }
        if let (message, kind) = next { attempt(message, as: kind, pauses: pausesSeconds[...]) }
    }

    private func attempt(_ message: MailMessage, as kind: Kind, pauses: ArraySlice<Int>) {
        do {
            try mailer.send(message)
        } catch {
            if let pause = pauses.first, !error.isFinal {
                // Others go out meanwhile.
                queue.asyncAfter(deadline: .now() + .seconds(pause)) {
                    self.attempt(message, as: kind, pauses: pauses.dropFirst())
                }
                return
            }
            report("a mail was not sent: \(error.description)")
        }
        waiting.withLock { $0.counts[kind, default: 0] -= 1 }
        allSent.leave()
    }
}
