import Dispatch
import Events
import Foundation
import Muniment
import Permissions
import StoreSupport
import Synchronization
import TestSupport
import Testing

@Suite("Closing a store in use", .timeLimit(.minutes(60))) struct StoreClosingTests {
    /// A thread that closes a store.
    private final class Closer: Sendable {
        let store: Store
        private let closed = Atomic(false)
        private let thread = Mutex<TestThread?>(nil)

        init(_ store: Store) { self.store = store }

        /// Starts to close the store, and returns when the store accepts no new work.
        func begin() {
            thread.withLock { thread in
                thread = TestThread { [self] in
                    try store.close()
                    closed.store(true, ordering: .releasing)
                }
            }
            while store.obstacleToWriting == nil { usleep(1_000) }
        }

        /// Returns whether closing has finished after a wait that is long enough for it.
        var isOverInAMoment: Bool {
            usleep(100_000)
            return closed.load(ordering: .acquiring)
        }

        func join() throws { try thread.withLock { $0 }?.join() }
    }

    @Test("Closing waits for active readers, and refuses new readers after it has begun")
    func reading() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            let closer = Closer(fixture.store)
            try fixture.store.read { snapshot in
                closer.begin()
                #expect(!closer.isOverInAMoment)
                #expect(throws: StoreError.closed) { try closer.store.read { _ in } }
                #expect(throws: StoreError.closed) { try closer.store.time(of: .genesis) }
                #expect(throws: StoreError.closed) { try closer.store.usage() }
                #expect(throws: StoreError.closed) { try closer.store.refusalCount }
                #expect(throws: StoreError.closed) { try closer.store.commit(Transaction("user:root", [.defineClass("other")])) }
                let isAllowed = try snapshot.check("user:root", ["read"], on: "doc:1").isAllowed
                #expect(isAllowed)
            }
            try closer.join()
        }
    }

    @Test("Closing waits for readers of the refused commands")
    func refusals() throws {
        try withStore(.open) { fixture in
            #expect(try fixture.refusal(.createObject("none:1")) != nil)
            let closer = Closer(fixture.store)
            var seen = 0
            try fixture.store.refusals { _, _ in
                closer.begin()
                #expect(!closer.isOverInAMoment)
                seen += 1
            }
            #expect(seen == 1)
            try closer.join()
        }
    }

    @Test("Verification of an open log stops if its observer cancels it or if the store is closed")
    func verification() throws {
        struct Left: Error {}
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"))
            #expect(throws: Left.self) { try fixture.store.verifyLog { _ in throw Left() } }
            #expect(try fixture.store.verifyLog { _ in }.isSound)
            let closer = Closer(fixture.store)
            #expect(throws: StoreError.closed) {
                try fixture.store.verifyLog { _ in
                    closer.begin()
                    #expect(!closer.isOverInAMoment)
                }
            }
            try closer.join()
        }
    }

    @Test("During closing, each pending commit is either written and acknowledged, or not written")
    func commits() async throws {
        for round in 0..<10 {
            try await withStore(.open) { (fixture) async throws in
                try fixture.commit(.defineClass("doc"))
                let (store, path) = (fixture.store, fixture.path)
                let made = try await withThrowingTaskGroup(of: Int.self) { group in
                    for writer in 0..<8 {
                        group.addTask {
                            var count = 0
                            while true {
                                let change = Change.createObject(Name("doc:\(writer)-\(count)"))
                                do { try await store.commit(Transaction("user:root", [change])) } catch StoreError.closed {
                                    return count
                                }
                                count += 1
                            }
                        }
                    }
                    try await Task.sleep(for: .milliseconds(5 * round))
                    try store.close()
                    return try await group.reduce(0, +)
                }
                let opened = try Store.open(at: path)
                defer { try? opened.close() }
                #expect(try opened.head.revision.rawValue == UInt64(made) + 1)
            }
        }
    }
}
