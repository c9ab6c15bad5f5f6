import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Cancellation of queries") struct CancellationTests {
    private func withUsers(_ body: (StoreFixture) throws -> Void) throws {
        try withStore(.open) { fixture in
            let users = (0..<600).map { Name("user:u\($0)") }
            try fixture.store.commit(
                Transaction(
                    "user:root",
                    [.defineClass("doc"), .createObject("doc:1")] + users.map { .register($0) }
                        + users.map { .grant($0, on: "doc:1", ["read"]) }))
            try body(fixture)
        }
    }

    @Test("A query does not start if it is cancelled or if its deadline has passed")
    func notBegun() throws {
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(throws: Cancellation.StoppedError.self) { try cancellation.perform { Issue.record("it was begun") } }
        let late = Cancellation(after: .zero)
        #expect(late.reason == .deadlinePassed)
        #expect(throws: Cancellation.StoppedError.self) { try late.perform { Issue.record("it was begun") } }
    }

    @Test("A running query stops when it is cancelled, and the store answers the next one completely")
    func stops() throws {
        try withUsers { fixture in
            let cancellation = Cancellation()
            var hasReturned = false
            #expect(throws: Cancellation.StoppedError.self) {
                try cancellation.perform {
                    try fixture.store.read { snapshot in
                        cancellation.cancel()
                        _ = try snapshot.subjects(with: ["read"], on: "doc:1")
                        hasReturned = true
                    }
                }
            }
            #expect(!hasReturned)
            let users = try fixture.store.read { try $0.subjects(with: ["read"], on: "doc:1") }
            #expect(users.count == 600)
        }
    }

    @Test("The result of an interrupted read is never returned")
    func swallowed() throws {
        try withUsers { fixture in
            let cancellation = Cancellation()
            #expect(throws: Cancellation.StoppedError.self) {
                try cancellation.perform {
                    try fixture.store.read { snapshot in
                        cancellation.cancel()
                        return (try? snapshot.subjects(with: ["read"], on: "doc:1")) ?? []
                    }
                }
            }
        }
    }

    @Test("A commit that has begun is written even if its caller cancels")
    func commits() throws {
        try withUsers { fixture in
            let cancellation = Cancellation()
            let changes = (0..<600).map { Change.revoke(Name("user:u\($0)"), on: "doc:1") }
            let receipt = try cancellation.perform {
                cancellation.cancel()
                return try fixture.store.commit(Transaction("user:root", changes))
            }
            #expect(try fixture.store.head.revision == receipt.revision)
        }
    }
}
