internal import Events

/// A change of accounts that is being decided: what there is, with what this change has recorded so far.
struct AccountChange {
    /// What there is, with what this change has recorded.
    private(set) var state: AccountState
    /// What the clock shows. Sessions are judged and dated by this: they go on where the clock was ahead for a while.
    let now: Instant
    /// The time that the change is recorded with: never before that of the one before.
    let time: Instant
    private(set) var events: [IdentityEvent] = []
    /// What was recorded that cannot happen, or is over a limit: the change comes to nothing then.
    private(set) var problem: String?

    /// Events of one change: all sessions of an account, and some.
    static let eventLimit = 10_000

    init(_ state: AccountState, at now: Instant) {
        self.state = state
        self.now = now
        time = max(now, state.time)
    }

    /// Says that something happens with this change.
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
        do throws(Misfit) { try state.apply(event, at: time) } catch {
            problem = error.text
            return
        }
        events.append(event)
    }

    /// What there will be behind this change.
    consuming func outcome() -> AccountState {
        state.time = time
        return state
    }
}
