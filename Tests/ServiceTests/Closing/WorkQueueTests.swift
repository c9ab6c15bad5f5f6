import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import Work

@Suite("Work queues", .timeLimit(.minutes(60))) struct WorkQueueTests {
    private final class Held: Sendable {}
    private final class Weak: @unchecked Sendable {
        weak var held: Held?
        init(_ held: Held) { self.held = held }
    }

    @Test("A work item releases its objects when it finishes, while others still wait")
    func letsGo() async {
        let queue = WorkQueue(WorkLimits(running: 1, waiting: 8))
        let (first, last) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let seen = await withCheckedContinuation { continuation in
            let weak: [Weak] = (0..<2).map { place in
                let held = Held()
                #expect(queue.add(WorkOrigin()) { withExtendedLifetime(held) { if place == 0 { first.wait() } } } == .accepted)
                return Weak(held)
            }
            #expect(
                queue.add(WorkOrigin()) {
                    // The thread of the previous item may still be releasing it.
                    for _ in 0..<1_200_000 where weak.contains(where: { $0.held != nil }) { usleep(1_000) }
                    continuation.resume(returning: weak.map { $0.held == nil })
                    last.wait()
                } == .accepted)
            #expect(queue.add(WorkOrigin()) {} == .accepted)
            first.signal()
        }
        #expect(seen == [true, true])
        last.signal()
    }

    /// A queue with all threads occupied until ``release()``.
    private struct Occupied {
        let queue: WorkQueue
        private let goOn = DispatchSemaphore(value: 0)
        private let pieces: Int

        init(_ limits: WorkLimits, by origins: [WorkOrigin]) {
            queue = WorkQueue(limits)
            pieces = origins.count
            let begun = DispatchSemaphore(value: 0)
            for origin in origins {
                let admission = queue.add(origin) { [goOn] in
                    begun.signal()
                    goOn.wait()
                }
                #expect(admission == .accepted)
            }
            for _ in origins { begun.wait() }
        }

        func release() { for _ in 0..<pieces { goOn.signal() } }
    }

    private final class Order: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test("Stores take turns, and callers take turns within a store")
    func turns() async throws {
        let occupied = Occupied(WorkLimits(running: 1, waiting: 8), by: [WorkOrigin()])
        let order = Order()
        for (name, store, caller) in [("a1", "s", "a"), ("a2", "s", "a"), ("a3", "s", "a"), ("b1", "s", "b"), ("c1", "t", "c")] {
            #expect(occupied.queue.add(WorkOrigin(store: store, caller: caller)) { order.add(name) } == .accepted)
        }
        occupied.release()
        try await until("all pieces have run") { order.all.count == 5 }
        #expect(order.all == ["a1", "c1", "b1", "a2", "a3"])
    }

    @Test("A caller runs and queues at most its share, and a store runs at most its share")
    func shares() async throws {
        let limits = WorkLimits(running: 4, waiting: 8, runningOfCaller: 2, waitingOfCaller: 1, runningOfStore: 3)
        let (first, second) = (WorkOrigin(store: "s", caller: "a"), WorkOrigin(store: "s", caller: "b"))
        let occupied = Occupied(limits, by: [first, first, second])
        let order = Order()
        // One thread is free. The test uses up the caller's share first, then the store's share.
        #expect(occupied.queue.add(first) { order.add("a3") } == .accepted)
        #expect(occupied.queue.add(first) { order.add("a4") } == .callerLimit)
        #expect(occupied.queue.add(second) { order.add("b2") } == .accepted)
        #expect(occupied.queue.load == (3, 2))
        #expect(occupied.queue.add(WorkOrigin(store: "t", caller: "c")) { order.add("c1") } == .accepted)
        try await until("the piece about the other store has run") { order.all == ["c1"] }
        occupied.release()
        try await until("all pieces have run") { order.all.count == 3 }
        try await until("the queue is idle") { occupied.queue.load == (0, 0) }
    }

    @Test("Obsolete work items of a caller are dropped before their turn, and make room for others")
    func obsolete() async throws {
        let occupied = Occupied(WorkLimits(running: 1, waiting: 2), by: [WorkOrigin()])
        let (origin, flag, order) = (WorkOrigin(store: "s", caller: "a"), Flag(), Order())
        for _ in 0..<2 {
            let admission = occupied.queue.add(origin) {
                flag.isSet
            } _: {
                order.add("obsolete")
            }
            #expect(admission == .accepted)
        }
        #expect(occupied.queue.add(origin) { order.add("refused") } == .full)
        flag.set()
        occupied.queue.dropObsolete(of: origin)
        #expect(occupied.queue.load == (1, 0))
        #expect(occupied.queue.add(origin) { order.add("kept") } == .accepted)
        occupied.release()
        try await until("the kept piece has run") { order.all == ["kept"] }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}
