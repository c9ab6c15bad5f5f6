import Events
import Foundation
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Idempotency keys and expected revisions")
struct IdempotencyTests {
    private let origin = Origin(idempotencyKey: "order 66")

    @Test("E8: a repeated request with the same key gets the first result and changes nothing", arguments: [0, 1, 2, 3])
    func repetition(way: Int) throws {
        try withStore { (fixture) throws in
            let first = try fixture.commit(.createRole("role:r"), .addMember("user:root", to: "role:r"), origin: origin)
            try fixture.commit(.deleteRole("role:r"))
            switch way {
            case 1: try fixture.reopen()
            case 2: try fixture.reopenWithoutIndex()
            case 3: try fixture.whileClosed { try Store.rebuild(at: fixture.path) }
            default: break
            }
            fixture.clock.advance(seconds: 1_000_000)
            let again = try fixture.commit(.createRole("role:r"), .addMember("user:root", to: "role:r"), origin: origin)
            #expect(again.revision == first.revision)
            #expect(try fixture.head == Revision(2))
            #expect(try !fixture.store.read { try $0.exists("role:r") })
            #expect(try fixture.refusal(.createRole("role:other"), origin: origin)?.code == .keyReused)
            #expect(try fixture.head == Revision(2))
        }
    }

    /// Requests that are not `grant(ann, read)`.
    private static let others: [[Change]] = [
        [], [.grant("user:ann", on: "doc:1", ["update"])], [.grant("user:ben", on: "doc:1", ["read"])],
        [.grant("user:ann", on: "doc:2", ["read"])], [.grant("user:ann", on: "doc:1", ["read"], strict: true)],
        [.grant("user:ann", on: "doc:1", ["read"], until: .forever)], [.setAccess("user:ann", on: "doc:1", ["read"])],
        [.grant("user:ann", on: "doc:1", ["read"]), .grant("user:ann", on: "doc:1", ["read"])],
    ]

    @Test("E8: a different request with a used key is refused, and changes nothing", arguments: others)
    func otherContent(changes: [Change]) throws {
        try withStore { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .register("user:ben"), .createObject("doc:1"), .createObject("doc:2"))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]), origin: origin)
            #expect(try fixture.refusal(of: changes, origin: origin)?.code == .keyReused)
            #expect(try fixture.head == Revision(2))
        }
    }

    @Test("E8: the order of listed privileges does not change the hash of a request")
    func orderOfPrivileges() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            let first = try fixture.commit(.grant("user:root", on: "doc:1", ["read", "update"]), origin: origin)
            let again = try fixture.commit(.grant("user:root", on: "doc:1", ["update", "read"]), origin: origin)
            #expect(again.revision == first.revision)
        }
    }

    @Test("E8: a key belongs to its caller; another caller may use the same key")
    func keysOfOthers() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.createRole("role:a"), origin: origin)
            #expect(try fixture.refusal(.createRole("role:b"), as: "user:ann", origin: origin) == nil)
            #expect(try fixture.refusal(.createRole("role:c"), as: "user:ann", origin: origin)?.code == .keyReused)
        }
    }

    @Test("E8: a refused request leaves its key to a request with other content")
    func refusedRequest() throws {
        try withStore { (fixture) throws in
            #expect(try fixture.refusal(.addMember("user:root", to: "role:r"), origin: origin)?.code == .unknownObject)
            #expect(try fixture.refusal(.createRole("role:r"), origin: origin) == nil)
            // The key now belongs to the commit. The first request still has its own answer.
            #expect(try fixture.refusal(.addMember("user:root", to: "role:r"), origin: origin)?.code == .unknownObject)
            #expect(try fixture.refusal(.deleteRole("role:r"), origin: origin)?.code == .keyReused)
        }
    }

    @Test(
        "E8, R17: a refused request with a key is refused in the same way after access was granted",
        arguments: ["at once", "after it is opened again", "without its index", "rebuilt", "restored from a backup"])
    func repeatedRefusal(way: String) throws {
        try withStore { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createObject("doc:1"),
                .grant("everyone", on: "store", ["read", "update"]), .grant("everyone", on: "class:doc", ["read", "update"]))
            let write = Change.writeObject("doc:1", .value(.integer(1)))
            let first = try #require(try fixture.refusal(write, as: "user:ann", origin: origin))
            #expect(first.code == .noPrivilege)
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read", "update"]))
            switch way {
            case "after it is opened again": try fixture.reopen()
            case "without its index": try fixture.reopenWithoutIndex()
            case "rebuilt": try fixture.whileClosed { try Store.rebuild(at: fixture.path) }
            case "restored from a backup":
                let copy = fixture.path + ".backup"
                _ = try fixture.store.backup(to: copy)
                try fixture.whileClosed {
                    try FileManager.default.removeItem(atPath: fixture.path)
                    _ = try Store.restore(copy, to: fixture.path)
                }
            default: break
            }
            let records = try fixture.refusals().count
            #expect(try fixture.refusal(write, as: "user:ann", origin: origin) == first)
            #expect(try fixture.refusals().count == records, "the answer of an earlier request is not another refusal")
            // The same request with another key, and another caller with the same key.
            #expect(try fixture.refusal(write, as: "user:ann", origin: Origin(idempotencyKey: "other")) == nil)
            #expect(try fixture.refusal(write, origin: origin) == nil)
            #expect(try fixture.whileClosed { try Store.verify(at: fixture.path).problems } == [])
        }
    }

    @Test("E8, R17: two requests with one key in one group get one refusal")
    func repeatedRefusalInAGroup() async throws {
        try await withStore { (fixture) async throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .createObject("doc:1"))
            let store = fixture.store
            let transaction = Transaction("user:ann", [.deleteObject("doc:1")], origin: origin)
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<20 { tasks.addTask { _ = try? await store.commit(transaction) } }
            }
            #expect(try fixture.refusals().count == 1)
        }
    }

    @Test("E8, R17: a refusal with an expected revision is the answer to its request, and not to one with another revision")
    func refusalWithExpectedRevision() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            func write(_ expected: Revision) -> Transaction {
                Transaction(
                    "user:root", [.writeObject("doc:1", .value(.integer(1)))], origin: origin, expectedRevision: expected)
            }
            try fixture.commit(.writeObject("doc:1", .value(.integer(2))))
            #expect(throws: Refusal.self) { try fixture.store.commit(write(Revision(1))) }
            #expect(throws: Refusal.self) { try fixture.store.commit(write(Revision(1))) }
            #expect(try fixture.store.commit(write(Revision(2))).revision == Revision(3))
            // A late copy of the first request.
            #expect(throws: Refusal.self) { try fixture.store.commit(write(Revision(1))) }
            #expect(try fixture.store.commit(write(Revision(2))).revision == Revision(3))
        }
    }

    @Test("E8: an anonymous request that needs a sign-in does not bind its key")
    func anonymousRefusal() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            let write = Change.writeObject("doc:1", .value(.integer(1)))
            #expect(try fixture.refusal(write, as: "anonymous", origin: origin)?.code == .notAuthenticated)
            try fixture.commit(
                .grant("anonymous", on: "doc:1", ["read", "update"]), .grant("anonymous", on: "class:doc", ["update"]))
            try fixture.commit(.grant("anonymous", on: "store", ["read", "update"]))
            #expect(try fixture.refusal(write, as: "anonymous", origin: origin)?.code != .notAuthenticated)
        }
    }

    @Test("R17: a receipt has the hash of its commit, which the log has too, also for a repeated request")
    func hashOfReceipt() throws {
        try withStore { (fixture) throws in
            let first = try fixture.commit(.createRole("role:r"), origin: origin)
            let hash = try #require(first.hash)
            try fixture.commit(.createRole("role:s"))
            #expect(try fixture.commit(.createRole("role:r"), origin: origin).hash == hash)
            #expect(try fixture.commit(.createRole("role:t")).hash == fixture.store.head.hash)
            #expect(try fixture.commit(.addMember("user:root", to: "role:r")).hash != nil)
            #expect(try fixture.commit(.addMember("user:root", to: "role:r")).hash == nil)
        }
    }

    @Test("E8: keys are recognized within a batch that is not on disk yet")
    func keysWithinABatch() throws {
        try withStore { (fixture) throws in
            let importer = try fixture.store.importer()
            let transaction = Transaction("user:root", [.createRole("role:r")], origin: origin)
            let first = try importer.add(transaction)
            #expect(try importer.add(transaction) == first)
            #expect(throws: Refusal.self) { try importer.add(Transaction("user:root", [.createRole("role:s")], origin: origin)) }
            try importer.finish()
            #expect(try fixture.head == first)
        }
    }

    @Test("E8: the origin of a commit is stored in the log with the commit")
    func originIsKept() throws {
        try withStore { (fixture) throws in
            let origin = Origin(requestID: "request 1", idempotencyKey: "key", comment: "why", importLine: 7)
            try fixture.commit(.createRole("role:r"), origin: origin)
            try fixture.reopen()
            let kept = try #require(try fixture.commits().last?.origin)
            #expect((kept.requestID, kept.idempotencyKey, kept.comment) == ("request 1", "key", "why"))
            #expect(kept.importLine == 7)
            #expect(kept.requestDigest.count == 32)
        }
    }

    @Test("E8: a deletion with an expected revision is refused after the object has changed, and the object stays")
    func expectedRevisionOfDeletion() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"))
            try fixture.commit(.writeObject("doc:1", .value(.integer(1))))
            #expect(try fixture.refusal(.deleteObject("doc:1", expectedRevision: Revision(1)))?.code == .conflict)
            #expect(try fixture.refusal(.deleteObject("doc:1", expectedRevision: Revision(3)))?.code == .conflict)
            #expect(try fixture.store.read { try $0.exists("doc:1") })
            #expect(try fixture.refusal(.deleteObject("doc:1", expectedRevision: Revision(2))) == nil)
            #expect(try fixture.store.read { try !$0.exists("doc:1") })
        }
    }

    @Test("E8: a write with an expected revision is refused after a change of value, parent or owner, but not of anything else")
    func expectedRevision() throws {
        try withStore { (fixture) throws in
            func write(_ expected: UInt64) throws -> Refusal.Code? {
                let number = Int64(try fixture.head.rawValue)
                return try fixture.refusal(
                    .writeObject("doc:1", .value(.integer(number)), expectedRevision: Revision(expected)))?.code
            }
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .createObject("doc:2"), .createObject("doc:1"))
            #expect(try write(0) == .conflict)
            #expect(try write(1) == nil)
            #expect(try write(1) == .conflict)
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            #expect(try write(2) == nil)
            try fixture.commit(.moveObject("doc:1", parent: "doc:2"))
            #expect(try write(4) == .conflict)
            #expect(try write(5) == nil)
            try fixture.commit(.setOwner("doc:1", owner: "user:ann"))
            #expect(try write(6) == .conflict)
            try fixture.reopenWithoutIndex()
            #expect(try write(6) == .conflict)
            #expect(try write(7) == nil)
            #expect(try fixture.store.read { try $0.lastChange(of: "doc:1") } == Revision(8))
        }
    }
}
