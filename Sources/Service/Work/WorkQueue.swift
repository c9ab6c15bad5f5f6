internal import Dispatch
internal import Foundation
internal import Synchronization

/// The origin of a piece of work.
package struct WorkOrigin: Hashable, Sendable {
    /// The store of the work; empty for work without a store.
    package var store: String
    /// The caller: its credential's id, or its address.
    package var caller: String

    package init(store: String = "", caller: String = "") { (self.store, self.caller) = (store, caller) }
}

/// The limits of a queue in total, per caller and per store.
package struct WorkLimits: Sendable {
    /// Pieces that run at once.
    var running: Int
    /// Pieces that wait.
    var waiting: Int
    /// Pieces of one caller that run at once; nil for the limit of all.
    var runningOfCaller: Int?
    /// Pieces of one caller that wait; nil for the limit of all.
    var waitingOfCaller: Int?
    /// Pieces of one store that run at once; nil for the limit of all.
    var runningOfStore: Int?
    /// Pieces of one store that wait; nil for the limit of all.
    var waitingOfStore: Int?

    package init(
        running: Int, waiting: Int, runningOfCaller: Int? = nil, waitingOfCaller: Int? = nil, runningOfStore: Int? = nil,
        waitingOfStore: Int? = nil
    ) {
        self.waitingOfStore = waitingOfStore
        (self.running, self.waiting) = (running, waiting)
        (self.runningOfCaller, self.waitingOfCaller, self.runningOfStore) = (runningOfCaller, waitingOfCaller, runningOfStore)
    }
}

/// Runs long work, a bounded number of pieces at a time. Stores take turns, and callers take turns within a store.
///
/// The queue has its own threads, which it starts when they are first needed. If all threads of the system's shared pool are
/// blocked, the system adds only one per second, so blocked work would delay the rest.
package final class WorkQueue: Sendable {
    private let lane: WorkLane

    /// The result of adding a piece of work.
    package enum Admission: Hashable {
        /// It runs, or waits for its turn.
        case accepted
        /// Its caller has reached its limit.
        case callerLimit
        /// The queue is full or closed.
        case full
    }

    /// - Parameters:
    ///   - limits: the limits of the queue.
    ///   - prepare: runs first on each thread of the queue.
    package init(_ limits: WorkLimits, prepare: @escaping @Sendable () -> Void = {}) { lane = WorkLane(limits, prepare) }

    deinit { lane.endThreads() }

    /// Adds a piece of work.
    ///
    /// - Parameters:
    ///   - origin: the store and the caller of the work.
    ///   - isObsolete: whether it can be dropped before it starts.
    ///   - work: the work to run.
    package func add(
        _ origin: WorkOrigin, isObsolete: @escaping @Sendable () -> Bool = { false }, _ work: @escaping @Sendable () -> Void
    ) -> Admission {
        lane.add(WorkPiece(origin: origin, isObsolete: isObsolete, work: work))
    }

    /// Drops the waiting pieces of an origin that are obsolete.
    package func dropObsolete(of origin: WorkOrigin) { lane.dropObsolete(of: origin) }

    /// The number of running and of waiting pieces.
    package var load: (running: Int, waiting: Int) { lane.load }

    /// Drops the waiting pieces, and returns after all running ones have ended. Must not be called by a piece of work.
    package func close() { lane.close() }
}

private struct WorkPiece: Sendable {
    let origin: WorkOrigin
    let isObsolete: @Sendable () -> Bool
    let work: @Sendable () -> Void
}

/// The waiting pieces, by store and caller, in the order of their turns.
private struct WaitingWork {
    private(set) var count = 0
    private(set) var ofCaller: [String: Int] = [:]
    private(set) var ofStore: [String: Int] = [:]
    private var stores: [String: [(caller: String, pieces: [WorkPiece])]] = [:]
    /// The stores in the order of their turns.
    private var order: [String] = []

    mutating func append(_ piece: WorkPiece) {
        let (store, caller) = (piece.origin.store, piece.origin.caller)
        count += 1
        ofCaller[caller, default: 0] += 1
        ofStore[store, default: 0] += 1
        if stores[store] == nil { order.append(store) }
        if let place = stores[store]?.firstIndex(where: { $0.caller == caller }) {
            stores[store]?[place].pieces.append(piece)
        } else {
            stores[store, default: []].append((caller, [piece]))
        }
    }

    /// Removes and returns the next piece. Its caller and its store are then last in the order.
    ///
    /// - Parameter mayRun: whether a piece of an origin may run now.
    mutating func takeNext(_ mayRun: (WorkOrigin) -> Bool) -> WorkPiece? {
        for (turn, store) in order.enumerated() {
            let callers = stores[store] ?? []
            guard let place = callers.firstIndex(where: { mayRun(WorkOrigin(store: store, caller: $0.caller)) }) else { continue }
            var line = callers[place]
            let piece = line.pieces.removeFirst()
            stores[store]?.remove(at: place)
            if !line.pieces.isEmpty { stores[store]?.append(line) }
            order.remove(at: turn)
            if stores[store]?.isEmpty ?? true { stores[store] = nil } else { order.append(store) }
            forget(1, of: WorkOrigin(store: store, caller: line.caller))
            return piece
        }
        return nil
    }

    /// Removes the obsolete pieces of an origin.
    ///
    /// - Returns: all pieces that the origin had, so that the caller decides where the removed ones are released.
    mutating func removeObsolete(of origin: WorkOrigin) -> [WorkPiece] {
        guard let place = stores[origin.store]?.firstIndex(where: { $0.caller == origin.caller }),
            let pieces = stores[origin.store]?[place].pieces
        else { return [] }
        let kept = pieces.filter { !$0.isObsolete() }
        forget(pieces.count - kept.count, of: origin)
        stores[origin.store]?[place].pieces = kept
        if kept.isEmpty { stores[origin.store]?.remove(at: place) }
        if stores[origin.store]?.isEmpty ?? false {
            stores[origin.store] = nil
            order.removeAll { $0 == origin.store }
        }
        return pieces
    }

    private mutating func forget(_ number: Int, of origin: WorkOrigin) {
        count -= number
        ofCaller.subtract(number, for: origin.caller)
        ofStore.subtract(number, for: origin.store)
    }
}

extension [String: Int] {
    /// Subtracts from a count, and removes one that becomes 0.
    fileprivate mutating func subtract(_ number: Int, for key: String) {
        guard let count = self[key] else { return }
        self[key] = count > number ? count - number : nil
    }
}

/// The state shared by a queue and its threads. The threads end after the queue is released and all work is done.
private final class WorkLane: Sendable {
    private let state = Mutex(State())
    /// Signalled for each piece that an idle thread should start, and for each thread that should end.
    private let isCalled = DispatchSemaphore(value: 0)
    /// Entered by each thread that works.
    private let busy = DispatchGroup()
    private let limits: WorkLimits
    private let prepare: @Sendable () -> Void

    private struct State {
        /// Pieces that idle threads should start.
        var called: [WorkPiece] = []
        var waiting = WaitingWork()
        /// Threads that work, or that are called to.
        var running = 0
        var ofCaller: [String: Int] = [:]
        var ofStore: [String: Int] = [:]
        var threads = 0
        var isClosed = false
    }

    init(_ limits: WorkLimits, _ prepare: @escaping @Sendable () -> Void) { (self.limits, self.prepare) = (limits, prepare) }

    func add(_ piece: WorkPiece) -> WorkQueue.Admission {
        let (admission, calls) = state.withLock { state -> (WorkQueue.Admission, Calls) in
            guard !state.isClosed else { return (.full, Calls()) }
            if state.running < limits.running, mayRun(piece.origin, state) {
                begin(piece.origin, &state)
                return (.accepted, callThread(for: piece, &state))
            }
            let caller = piece.origin.caller
            if let limit = limits.waitingOfCaller, state.waiting.ofCaller[caller, default: 0] >= limit {
                return (.callerLimit, Calls())
            }
            if let limit = limits.waitingOfStore, state.waiting.ofStore[piece.origin.store, default: 0] >= limit {
                return (.callerLimit, Calls())
            }
            guard state.waiting.count < limits.waiting else {
                let isShareUsed = limits.runningOfCaller.map { state.ofCaller[caller, default: 0] >= $0 } ?? false
                return (isShareUsed ? .callerLimit : .full, Calls())
            }
            state.waiting.append(piece)
            return (.accepted, Calls())
        }
        start(calls)
        return admission
    }

    func dropObsolete(of origin: WorkOrigin) {
        // The removed pieces are released outside of the lock.
        _ = state.withLock { $0.waiting.removeObsolete(of: origin) }
    }

    var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting.count) } }

    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = WaitingWork() }
            return state.waiting
        }
        // The dropped pieces are released outside of the lock.
        withExtendedLifetime(dropped) { busy.wait() }
    }

    func endThreads() {
        let threads = state.withLock { $0.threads }
        for _ in 0..<threads { isCalled.signal() }
    }

    // MARK: Limits

    private func mayRun(_ origin: WorkOrigin, _ state: borrowing State) -> Bool {
        state.ofCaller[origin.caller, default: 0] < limits.runningOfCaller ?? limits.running
            && state.ofStore[origin.store, default: 0] < limits.runningOfStore ?? limits.running
    }

    private func begin(_ origin: WorkOrigin, _ state: inout State) {
        state.ofCaller[origin.caller, default: 0] += 1
        state.ofStore[origin.store, default: 0] += 1
    }

    private func takeNext(_ state: inout State) -> WorkPiece? {
        var waiting = WaitingWork()
        swap(&waiting, &state.waiting)
        let next = waiting.takeNext { mayRun($0, state) }
        swap(&waiting, &state.waiting)
        if let next { begin(next.origin, &state) }
        return next
    }

    // MARK: Threads

    /// The number of threads to wake, and how many of them must be started first.
    private struct Calls {
        var called = 0
        var new = 0
    }

    /// Assigns a piece to an idle thread or a new one.
    private func callThread(for piece: WorkPiece, _ state: inout State) -> Calls {
        state.running += 1
        busy.enter()
        state.called.append(piece)
        guard state.running > state.threads else { return Calls(called: 1, new: 0) }
        state.threads += 1
        return Calls(called: 1, new: 1)
    }

    private func start(_ calls: Calls) {
        for _ in 0..<calls.new { Thread.detachNewThread { self.run() } }
        for _ in 0..<calls.called { isCalled.signal() }
    }

    private func run() {
        prepare()
        while var origin = runCalled() {
            while let next = runNext(after: origin) { origin = next }
        }
    }

    /// Runs the piece that this thread was woken for; nil if it was woken to end. Releases everything that the piece holds.
    private func runCalled() -> WorkOrigin? {
        isCalled.wait()
        guard let piece = state.withLock({ $0.called.popLast() }) else { return nil }
        piece.work()
        return piece.origin
    }

    /// Runs the next piece; nil if none can run, and the thread becomes idle.
    private func runNext(after origin: WorkOrigin) -> WorkOrigin? {
        guard let piece = takeNext(after: origin) else { return nil }
        piece.work()
        return piece.origin
    }

    private func takeNext(after origin: WorkOrigin) -> WorkPiece? {
        let (next, calls) = state.withLock { state -> (WorkPiece?, Calls) in
            state.ofCaller.subtract(1, for: origin.caller)
            state.ofStore.subtract(1, for: origin.store)
            guard let next = takeNext(&state) else {
                state.running -= 1
                busy.leave()
                return (nil, Calls())
            }
            // The end of one piece allows the next one of its caller and of its store.
            var calls = Calls()
            while state.running < limits.running, let further = takeNext(&state) {
                let more = callThread(for: further, &state)
                calls = Calls(called: calls.called + more.called, new: calls.new + more.new)
            }
            return (next, calls)
        }
        start(calls)
        return next
    }
}
