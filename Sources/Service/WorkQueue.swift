internal import Dispatch
internal import Foundation
internal import Synchronization

/// Does what takes long, a bounded number of pieces at a time.
///
/// On threads of its own, begun when they are first needed: those that the system shares among all queues come one a second where the
/// others are blocked, so that a queue whose work waits for somebody would hold up the rest.
final class WorkQueue: Sendable {
    private let lane: WorkLane

    /// - Parameters:
    ///   - width: how many pieces go on at once at most.
    ///   - backlogLimit: how many may wait.
    init(width: Int, backlogLimit: Int) { lane = WorkLane(width: width, backlogLimit: backlogLimit) }

    deinit { lane.endThreads() }

    /// Does a piece of work soon. False where too many wait already, or the queue is closed.
    func add(_ work: @escaping @Sendable () -> Void) -> Bool { lane.add(work) }

    /// Drops what waits, and returns when nothing is being done any more. Not to be called by a piece of work.
    func close() { lane.close() }
}

/// What a queue and its threads share. The threads end when the queue is gone and nothing is left to do.
private final class WorkLane: Sendable {
    private let state = Mutex(State())
    /// Signalled for each piece that a thread at rest is to begin with, and for each thread that is to end.
    private let isCalled = DispatchSemaphore(value: 0)
    /// Entered by each piece that begins while another may; the pieces behind it are in it, too.
    private let busy = DispatchGroup()
    private let width: Int
    private let backlogLimit: Int

    private struct State {
        /// What threads are called to begin with.
        var called: [@Sendable () -> Void] = []
        /// From `next` on, what waits until one of them is done; before it, nothing any more.
        var waiting: [(@Sendable () -> Void)?] = []
        var next = 0
        /// Threads that are at work, or called to it.
        var running = 0
        var threads = 0
        var isClosed = false
    }

    init(width: Int, backlogLimit: Int) {
        self.width = width
        self.backlogLimit = backlogLimit
    }

    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, isCall, isNewThread) = state.withLock { state -> (Bool, Bool, Bool) in
            guard !state.isClosed else { return (false, false, false) }
            guard state.running < width else {
                guard state.waiting.count - state.next < backlogLimit else { return (false, false, false) }
                state.waiting.append(work)
                return (true, false, false)
            }
            state.running += 1
            busy.enter()
            state.called.append(work)
            guard state.running > state.threads else { return (true, true, false) }
            state.threads += 1
            return (true, true, true)
        }
        if isNewThread { Thread.detachNewThread { self.run() } }
        if isCall { isCalled.signal() }
        return isTaken
    }

    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { (state.waiting, state.next) = ([], 0) }
            return state.waiting
        }
        // What these hold is let go outside of the lock.
        withExtendedLifetime(dropped) { busy.wait() }
    }

    func endThreads() {
        let threads = state.withLock { $0.threads }
        for _ in 0..<threads { isCalled.signal() }
    }

    private func run() {
        while begin() { while goOn() {} }
    }

    /// Does what it is called to begin with; false where it is called to end. What a piece holds is let go with it.
    private func begin() -> Bool {
        isCalled.wait()
        guard let piece = state.withLock({ $0.called.popLast() }) else { return false }
        piece()
        return true
    }

    /// Does what waits longest; false where nothing does, and the thread rests.
    private func goOn() -> Bool {
        guard let piece = takeNext() else { return false }
        piece()
        return true
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
