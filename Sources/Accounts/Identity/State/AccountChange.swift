internal import Primitives

/// A change of accounts in progress: the state, including the events that this change has recorded so far.
struct AccountChange {
    /// The state, including the recorded events.
    private(set) var state: AccountState
    /// The current time. Sessions are checked and dated with it, so that they continue to work if the clock was ahead for some
    /// time.
    let now: Instant
    /// The recorded time of the change, never earlier than that of the previous change.
    let time: Instant
    private(set) var events: [IdentityEvent] = []
    /// A recorded event that is impossible or exceeds a limit. The change is then rejected.
    private(set) var problem: String?

    /// The maximum number of events of one change: enough for all sessions of an account.
    static let eventLimit = 10_000

    init(_ state: AccountState, at now: Instant) {
        self.state = state
        self.now = now
        time = max(now, state.time)
    }

    mutating func record(_ event: IdentityEvent) {
        guard problem == nil else { return }
        if let excess = event.excess {
            problem = excess
            return
        }
        guard events.count < AccountChange.eventLimit else {
            problem = "more than \(AccountChange.eventLimit) events"
            return
        }
        do throws(AccountFoldingError) { try state.apply(event, at: time) } catch {
            problem = error.text
            return
        }
        events.append(event)
    }

    /// Returns the state after this change.
    consuming func outcome() -> AccountState {
        state.time = time
        return state
    }
}
