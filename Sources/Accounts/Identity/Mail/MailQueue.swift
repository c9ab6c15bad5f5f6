internal import Dispatch
internal import Synchronization

/// Sends mails one after another on a separate thread, so that the response time does not show whether a mail was sent.
///
/// Codes are sent before notices, and each kind has a separate limit. A user waits for a code. Notices are caused by account
/// changes, which must not block the sign-ups of other users.
final class MailQueue: Sendable {
    /// The kind of a mail.
    enum Kind: Hashable, Sendable {
        /// A code that a user waits for.
        case code
        /// A notice about a change.
        case notice
    }

    private struct Waiting {
        /// Mails before their first attempt, in order.
        var untried: [Kind: [MailMessage]] = [:]
        /// The number of mails that are neither sent nor dropped.
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
    ///   - limit: the maximum number of waiting mails of each kind.
    ///   - pausesSeconds: the delays before each further attempt after a failure.
    ///   - report: called if a mail is dropped, without its address and text.
    init(_ mailer: any Mailer, limit: Int = 1_024, pausesSeconds: [Int] = [5, 60], report: @escaping @Sendable (String) -> Void) {
        self.mailer = mailer
        self.limit = limit
        self.pausesSeconds = pausesSeconds
        self.report = report
    }

    /// Whether there is room for another code. It is checked before a code is promised, in the same way for every address.
    var hasRoom: Bool { waiting.withLock { $0.counts[.code, default: 0] < limit } }

    /// Queues a mail. If the queue is full, the mail is reported and dropped.
    func send(_ message: MailMessage, as kind: Kind) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.counts[kind, default: 0] < limit else { return false }
            waiting.counts[kind, default: 0] += 1
            waiting.untried[kind, default: []].append(message)
            return true
        }
        guard isTaken else { return report("a mail was not sent: the queue already has \(limit) mails") }
        allSent.enter()
        queue.async { self.sendNext() }
    }

    /// Waits until every mail is sent or dropped, for at most this number of seconds. Mails that still wait then are reported.
    func drain(seconds: Int = 10) {
        guard allSent.wait(timeout: .now() + .seconds(seconds)) == .timedOut else { return }
        let count = waiting.withLock { $0.counts.values.reduce(0, +) }
        report("unsent mails dropped at the end: \(count)")
    }

    /// Tries the next mail. It runs once per queued mail, so that none remains.
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
                // Other mails are sent meanwhile.
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

/// A plain-text mail to one user.
public struct MailMessage: Hashable, Sendable {
    public let to: EmailAddress
    public let subject: String
    public let text: String

    public init(to: EmailAddress, subject: String, text: String) {
        self.to = to
        self.subject = subject
        self.text = text
    }
}

/// Sends mails.
public protocol Mailer: Sendable {
    /// Sends a mail; returns when the server has accepted it. May block for some seconds; not called on request threads.
    func send(_ message: MailMessage) throws(MailError)
}

/// A mail that was not accepted. For the operator; the caller is not told.
public struct MailError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, without the address and the text.
    public let description: String
    /// Whether another attempt would fail too.
    public let isFinal: Bool

    /// - Parameters:
    ///   - description: The cause, without the address and the text.
    ///   - isFinal: Whether another attempt would fail too, so that the mail is dropped at once.
    public init(_ description: String, isFinal: Bool = false) { (self.description, self.isFinal) = (description, isFinal) }
}
