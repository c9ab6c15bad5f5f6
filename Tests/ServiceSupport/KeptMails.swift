package import Identity
import Synchronization

/// A mailer that keeps what it is given, for tests to wait for.
package final class KeptMails: Mailer {
    private struct State {
        var mails: [MailMessage] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func send(_ message: MailMessage) throws(MailProblem) {
        let waiters = state.withLock { state in
            state.mails.append(message)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Everything that was sent, in order.
    package var all: [MailMessage] { state.withLock { $0.mails } }

    /// The next mail to somebody behind so many of all, once it is there.
    package func next(to email: String, after count: Int) async -> MailMessage {
        while true {
            let seen = all
            if let found = seen.dropFirst(count).first(where: { $0.to.text == email.lowercased() }) { return found }
            await withCheckedContinuation { waiter in
                let isNewer = state.withLock { state in
                    if state.mails.count == seen.count { state.waiters.append(waiter) }
                    return state.mails.count > seen.count
                }
                if isNewer { waiter.resume() }
            }
        }
    }
}

extension MailMessage {
    /// The code that a person copies out of it; empty where there is none.
    package var code: String {
        text.firstMatch(of: /code is: +([A-Z0-9-]+)/).map { String($0.1) } ?? ""
    }
}
