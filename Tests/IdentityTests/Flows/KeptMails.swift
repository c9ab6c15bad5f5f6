import Identity
import Permissions
import Synchronization

/// A mailer that keeps mails instead of sending them.
final class KeptMails: Mailer {
    private let kept = Mutex<[MailMessage]>([])
    private let failures = Mutex(0)

    func send(_ message: MailMessage) throws(MailError) {
        let fails = failures.withLock { failures in
            defer { failures = max(0, failures - 1) }
            return failures > 0
        }
        if fails { throw MailError("the server is not there") }
        kept.withLock { $0.append(message) }
    }

    /// Refuses the next `count` mails.
    func fail(_ count: Int) { failures.withLock { $0 = count } }

    var all: [MailMessage] { kept.withLock { $0 } }

    func sent(to address: String) -> [MailMessage] { all.filter { $0.to == EmailAddress(address) } }
}

/// Stores that record their users, and can refuse changes.
final class KeptUsers: AccountStores {
    private struct State {
        var enrolled: [[Name]] = []
        var withdrawn: [Name] = []
        var refusal: String?
        var duringWithdrawal: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func enroll(_ principals: [Name]) throws(DirectoryError) {
        let refusal = state.withLock { state in
            if state.refusal == nil { state.enrolled.append(principals) }
            return state.refusal
        }
        if let refusal { throw DirectoryError(refusal) }
    }

    func withdraw(_ principal: Name) throws(DirectoryError) {
        let (refusal, during) = state.withLock { ($0.refusal, $0.duringWithdrawal) }
        during?()
        if let refusal { throw DirectoryError(refusal) }
        state.withLock { $0.withdrawn.append(principal) }
    }

    /// Refuses to add or remove users, for this reason; nil accepts them again.
    func refuse(_ reason: String?) { state.withLock { $0.refusal = reason } }

    /// Sets the work that runs during the removal of a user.
    func during(_ body: (@Sendable () -> Void)?) { state.withLock { $0.duringWithdrawal = body } }

    var users: [Name] { enrolled.flatMap { $0 } }
    /// The added users, in the groups of each call.
    var enrolled: [[Name]] { state.withLock { $0.enrolled } }
    var withdrawn: [Name] { state.withLock { $0.withdrawn } }
}
