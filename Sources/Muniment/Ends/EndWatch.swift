internal import Dispatch
internal import Events
internal import Synchronization

/// Sees to it that access that comes to its end is recorded in time. It is told by when the next end can come, and looks at the
/// store's clock until then; while nothing is to end it does nothing.
///
/// It never counts on the time that it waited: clocks are set, and machines sleep. Each look asks the clock anew.
final class EndWatch: Sendable {
    /// The longest time between two looks while something is to end, so that a clock that jumps is noticed within it.
    private static let longestWait: Int64 = 500_000

    private let clock: @Sendable () -> Instant
    private let record: @Sendable () -> Bool
    /// Looks take place here, one at a time.
    private let queue = DispatchQueue(label: "muniment.ends")
    private let state = Mutex(State())

    private struct State {
        /// Nothing ends before this.
        var next = Instant.forever
        /// Whether a look is to come.
        var isLooking = false
        var isStopped = false
    }

    /// - Parameters:
    ///   - clock: what time it is.
    ///   - record: records what is due and says by when the next end can come (``expect(_:)``); answers whether the store can
    ///     record anything more.
    init(clock: @escaping @Sendable () -> Instant, record: @escaping @Sendable () -> Bool) {
        self.clock = clock
        self.record = record
    }

    /// Takes up that nothing ends before an instant. A look that is to come stays where it is: it is never far.
    func expect(_ end: Instant) {
        let isFirst = state.withLock { state in
            state.next = end
            guard end < .forever, !state.isLooking, !state.isStopped else { return false }
            state.isLooking = true
            return true
        }
        if isFirst { lookAgain(in: wait(until: end, due: 0)) }
    }

    /// Looks now, and returns when what is due is recorded.
    func lookNow() { queue.sync { look() } }

    /// Ends all looking, and returns when no look goes on any more.
    func stop() {
        state.withLock { $0.isStopped = true }
        queue.sync {}
    }

    private func look() {
        let next = state.withLock { $0.isStopped ? .forever : $0.next }
        if next <= clock(), !record() { state.withLock { $0.isStopped = true } }
    }

    private func lookAgain(in microseconds: Int64) {
        queue.asyncAfter(deadline: .now() + .microseconds(Int(microseconds))) { [weak self] in
            guard let self else { return }
            look()
            let next: Instant? = state.withLock { state in
                state.isLooking = state.next < .forever && !state.isStopped
                return state.isLooking ? state.next : nil
            }
            // What is due still could not be recorded yet, such as during an import.
            if let next { lookAgain(in: wait(until: next, due: Self.longestWait)) }
        }
    }

    /// How long to wait for an instant.
    ///
    /// - Parameter due: how long where it has come.
    private func wait(until end: Instant, due: Int64) -> Int64 {
        let now = clock()
        if end <= now { return due }
        // Instants can lie further apart than a number holds.
        guard end < now.advanced(byMicroseconds: Self.longestWait) else { return Self.longestWait }
        return end.microseconds - now.microseconds
    }
}
