import Credentials
import Dispatch
import Events
import Foundation
import Muniment
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Work

@testable import Service

@Suite("Closing a service during work", .timeLimit(.minutes(60))) struct ServiceClosingTests {
    /// Returns whether an operation on a separate thread finishes within 100 ms, before the other work is released.
    private func isOver(_ closing: @escaping @Sendable () throws -> Void, before goOn: DispatchSemaphore) throws -> Bool {
        let over = DispatchSemaphore(value: 0)
        let thread = TestThread {
            try closing()
            over.signal()
        }
        let isOver = over.wait(timeout: .now() + .milliseconds(100)) == .success
        goOn.signal()
        try thread.join()
        return isOver
    }

    /// Queues a work item that waits until it is released.
    private func occupy(_ queue: WorkQueue, until goOn: DispatchSemaphore, _ body: @escaping @Sendable () -> Void = {}) {
        let begun = DispatchSemaphore(value: 0)
        let admission = queue.add(WorkOrigin(caller: "test")) {
            begun.signal()
            goOn.wait()
            body()
        }
        #expect(admission == .accepted)
        begun.wait()
    }

    @Test("A closing queue waits for running work and drops queued work")
    func queue() throws {
        let (queue, goOn) = (WorkQueue(WorkLimits(running: 1, waiting: 8)), DispatchSemaphore(value: 0))
        let noted = Noted()
        occupy(queue, until: goOn) { noted.add(1) }
        #expect(queue.add(WorkOrigin()) { noted.add(2) } == .accepted)
        #expect(try !isOver({ queue.close() }, before: goOn))
        #expect(noted.all == [1])
        #expect(queue.add(WorkOrigin()) { noted.add(3) } == .full)
    }

    private final class Noted: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test("A service keeps its stores open for running work, and tells later requests that they are closed")
    func service() throws {
        let fixture = try ServiceFixture()
        defer { fixture.end() }
        let service = fixture.service
        let store = try #require(service.data.openStore("default")).store
        let goOn = DispatchSemaphore(value: 0)
        let noted = Noted()
        occupy(service.streams, until: goOn) { if (try? store.head) != nil { noted.add(1) } }
        #expect(try !isOver({ try service.close() }, before: goOn))
        #expect(noted.all == [1])
        #expect(throws: StoreError.closed) { try store.head }
    }

    @Test("Closing the feeds waits for running authorization checks of listeners")
    func feeds() throws {
        let feeds = LiveFeedRegistry(LiveFeedLimits(), counts: ServiceCounts(routeCount: 0))
        let (asked, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let caller = Caller(id: "somebody", stores: .all, right: .ask, credential: nil)
        _ = try feeds.open(from: FeedCursor(.genesis), for: caller, at: "127.0.0.1") {
            asked.signal()
            goOn.wait()
            return true
        }
        asked.wait()
        #expect(try !isOver({ feeds.end() }, before: goOn))
    }
}
