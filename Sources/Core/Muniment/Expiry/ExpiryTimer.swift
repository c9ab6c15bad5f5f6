internal import Dispatch
internal import Events
internal import Synchronization

/// Records expired access in time. It knows the earliest time of the next expiry and checks the store's clock until then. If
/// nothing expires, it does nothing.
///
/// It does not rely on the waiting time, because clocks are set and machines sleep. Each check reads the clock again.
final class ExpiryTimer: Sendable {
    /// The longest time between two checks while an expiry is pending, in microseconds. A clock jump is noticed within this time.
    private static let longestWait: Int64 = 500_000

    private let clock: @Sendable () -> Instant
    private let record: @Sendable () -> Bool
    /// Runs the checks one at a time.
    private let queue = DispatchQueue(label: "muniment.ends")
    private let state = Mutex(State())

    private struct State {
        /// No access expires before this time.
        var next = Instant.forever
        var isLooking = false
        var isStopped = false
    }

    /// - Parameters:
    ///   - clock: returns the current time.
    ///   - record: records due expiries and reports the earliest next expiry with ``expect(_:)``. Returns whether the store can
    ///     still record.
    init(clock: @escaping @Sendable () -> Instant, record: @escaping @Sendable () -> Bool) {
        self.clock = clock
        self.record = record
    }

    /// Notes that nothing expires before an instant. A scheduled check keeps its time, because it is due soon.
    func expect(_ end: Instant) {
        let isFirst = state.withLock { state in
            state.next = end
            guard end < .forever, !state.isLooking, !state.isStopped else { return false }
            state.isLooking = true
            return true
        }
        if isFirst { lookAgain(in: wait(until: end, due: 0)) }
    }

    /// Checks now, and returns after due expiries are recorded.
    func lookNow() { queue.sync { look() } }

    /// Stops the checks, and returns after a running check has ended.
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
            // An expiry that is still due could not be recorded yet, for example during an import.
            if let next { lookAgain(in: wait(until: next, due: Self.longestWait)) }
        }
    }

    /// Returns how long to wait for an instant.
    ///
    /// - Parameter due: the waiting time if the instant has passed.
    private func wait(until end: Instant, due: Int64) -> Int64 {
        let now = clock()
        if end <= now { return due }
        // The distance between two instants can overflow a number.
        guard end < now.advanced(byMicroseconds: Self.longestWait) else { return Self.longestWait }
        return end.microseconds - now.microseconds
    }
}
