import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("The log is append-only")
struct AppendOnlyTests {
    /// Changes that remove something, and other changes that a store could implement by rewriting.
    private static let later: [[Change]] = [
        [.revoke("user:ann", on: "doc:1")], [.writeObject("doc:1", .value(.integer(2)))],
        [.removeMember("user:ann", from: "role:r")], [.deleteRole("role:r")],
        [.moveObject("doc:2", parent: nil)], [.deleteObject("doc:1")], [.createObject("doc:1")],
        [.changeClass("doc", ClassSettings(objectACL: ObjectACL.none))], [.dismissAdministrator("user:ben")],
    ]

    private func fill(_ fixture: StoreFixture) throws {
        try fixture.commit(
            .defineClass("doc"), .register("user:ann"), .register("user:ben"), .createRole("role:r"),
            .addMember("user:ann", to: "role:r"), .appointAdministrator("user:ben"))
        try fixture.commit(
            .createObject("doc:1", value: .integer(1)), .createObject("doc:2", parent: "doc:1"),
            .grant("user:ann", on: "doc:1", ["read"]), .grant("role:r", on: "doc:2", ["read"], until: .newYear.later(seconds: 60)))
    }

    @Test("E1: later commits never change earlier bytes of the log")
    func recordsNeverChange() throws {
        try withStore { (fixture) throws in
            try fill(fixture)
            var known = try fixture.whileClosed { try logRecords(ofStoreAt: fixture.path) }
            #expect(known.count == 3)
            fixture.clock.advance(seconds: 3600)
            for changes in Self.later {
                #expect(try fixture.refusal(of: changes) == nil)
                let records = try fixture.whileClosed { try logRecords(ofStoreAt: fixture.path) }
                #expect(records.count > known.count)
                for (old, new) in zip(known, records) { #expect(old == new) }
                known = records
            }
        }
    }

    @Test("E1: refusals, queries, opening, verifying and rebuilding the index append nothing")
    func onlyCommitsAppend() throws {
        try withStore { (fixture) throws in
            try fill(fixture)
            let before = try fixture.whileClosed { try logRecords(ofStoreAt: fixture.path) }
            #expect(try fixture.refusal(.deleteObject("doc:9"))?.code == .unknownObject)
            #expect(try fixture.may("user:ann", "read", "doc:1", at: .revision(Revision(1))) == false)
            try fixture.reopenWithoutIndex()
            let after = try fixture.whileClosed {
                #expect(try Store.verify(at: fixture.path).isSound)
                try Store.rebuild(at: fixture.path)
                return try logRecords(ofStoreAt: fixture.path)
            }
            #expect(before.elementsEqual(after) { $0 == $1 })
        }
    }

    @Test("E1: one hash covers the whole history: it changes with every commit, and earlier hashes stay the same")
    func hashesChain() throws {
        try withStore { (fixture) throws in
            try fill(fixture)
            func hashes() throws -> [String] {
                var hashes: [String] = []
                try fixture.store.log(from: .genesis, to: fixture.head) { hashes.append($0.hash) }
                return hashes
            }
            let before = try hashes()
            try fixture.commit(.deleteObject("doc:1"))
            let after = try hashes()
            #expect(Array(after.prefix(before.count)) == before)
            #expect(Set(after).count == after.count)
            #expect(try fixture.store.head.hash == after.last)
        }
    }

    @Test("E1: two stores with the same history have the same head hash; a different history has a different one")
    func hashesTellHistoriesApart() throws {
        func hash(_ privilege: String) throws -> String {
            var hash = ""
            try withStore { (fixture) throws in
                try fill(fixture)
                try fixture.commit(.grant("user:ben", on: "doc:1", [privilege]))
                hash = try fixture.store.head.hash
            }
            return hash
        }
        #expect(try hash("read") == hash("read"))
        #expect(try hash("read") != hash("update"))
    }
}
