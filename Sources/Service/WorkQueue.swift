internal import Dispatch
internal import Synchronization

/// Does what takes long, a bounded number of pieces at a time.
final class WorkQueue: Sendable {
    private let queue = DispatchQueue(label: "muniment.work", attributes: .concurrent)
    private let state = Mutex(State())
    /// Entered by each piece that begins while another may; the pieces behind it are in it, too.
    private let busy = DispatchGroup()
    private let width: Int
    private let backlogLimit: Int

    private struct State {
        /// From `next` on, what waits; before it, nothing any more.
        var waiting: [(@Sendable () -> Void)?] = []
        var next = 0
        var running = 0
        var isClosed = false
    }

    /// - Parameters:
    ///   - width: how many pieces go on at once at most.
    ///   - backlogLimit: how many may wait.
    init(width: Int, backlogLimit: Int) {
        self.width = width
        self.backlogLimit = backlogLimit
    }

    /// Does a piece of work soon. False where too many wait already, or the queue is closed.
    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, begins) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed else { return (false, false) }
            if state.running < width {
                state.running += 1
                busy.enter()
                return (true, true)
            }
            guard state.waiting.count - state.next < backlogLimit else { return (false, false) }
            state.waiting.append(work)
            return (true, false)
        }
        if begins { begin(work) }
        return isTaken
    }

    /// Drops what waits, and returns when nothing is being done any more. Not to be called by a piece of work.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { (state.waiting, state.next) = ([], 0) }
            return state.waiting
        }
        // What these hold is let go outside of the lock.
        withExtendedLifetime(dropped) { busy.wait() }
    }

    /// Does a piece of work and hands on to the next. What a piece holds is let go with it.
    private func begin(_ work: @escaping @Sendable () -> Void) {
        queue.async {
            work()
            if let next = self.takeNext() { self.begin(next) }
        }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.next < state.waiting.count else {
                state.running -= 1
                busy.leave()
                state.waiting.removeAll(keepingCapacity: true)
                state.next = 0
                return nil
            }
            if state.next >= 1024 {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            defer { state.next += 1 }
            return state.waiting[state.next].take()
        }
    }
}
