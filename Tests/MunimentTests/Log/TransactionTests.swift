import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Several changes in one commit")
struct TransactionTests {
    @Test("E2: one transaction is one commit: one revision, one time, one actor, its events in order")
    func oneCommit() throws {
        try withStore { (fixture) throws in
            fixture.clock.advance(seconds: 5)
            let receipt = try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createObject("doc:1"), .grant("user:ann", on: "doc:1", ["read"]))
            let commits = try fixture.commits(from: Revision(1))
            #expect(commits.count == 1)
            let commit = try #require(commits.first)
            #expect(commit.revision == receipt.revision)
            #expect(commit.time == .newYear.later(seconds: 5))
            #expect(try fixture.store.read { try $0.principalID("user:root") } == commit.actor)
            #expect(commit.events.map(\.kind) == [.classDefined, .principalRegistered, .objectCreated, .accessGranted])
        }
    }

    @Test("E2, E9: if one change is refused, the whole transaction is refused, and the error has the index of the change")
    func allOrNothing() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .createObject("doc:old"))
            let refusal = try fixture.refusal(
                .createRole("role:r"), .addMember("user:ann", to: "role:r"), .createObject("doc:1", value: .integer(1)),
                .grant("role:r", on: "doc:1", ["read"]), .deleteObject("doc:old"), .grant("user:nobody", on: "doc:1", ["read"]))
            #expect(refusal?.code == .unknownPrincipal)
            #expect(refusal?.change == 5)
            #expect(try fixture.head == Revision(1))
            try fixture.store.read { (snapshot) throws in
                #expect(try snapshot.exists("role:r") == false)
                #expect(try snapshot.exists("doc:1") == false)
                #expect(try snapshot.exists("doc:old"))
            }
            // The names are free, and nothing from the rolled-back transaction remains.
            try fixture.commit(.createRole("role:r"), .createObject("doc:1"))
            #expect(try fixture.store.read { try $0.members(of: "role:r") }.isEmpty)
            #expect(try fixture.entries("doc:1").isEmpty)
            #expect(try fixture.store.read { try $0.value(of: "doc:1", as: "user:root") } == .null)
        }
    }

    @Test("E2: a later change sees the earlier changes, in their order")
    func laterChangesSeeEarlierOnes() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc", ClassSettings(inherits: .everything)), .register("user:ann"), .createRole("role:r"),
                .addMember("user:ann", to: "role:r"), .createObject("doc:top"), .createObject("doc:leaf", parent: "doc:top"),
                .definePermission("permission:p", subject: "role:r", ["read"]), .attachPermission("permission:p", to: "doc:top"))
            #expect(try fixture.head == Revision(1))
            #expect(try fixture.may("user:ann", "read", "doc:leaf"))
            #expect(try !fixture.may("user:ben", "read", "doc:leaf"))
        }
    }

    @Test("E2: privileges gained in a transaction apply to its later changes, not to the earlier ones")
    func authorisedInOrder() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .createRole("role:makers"), .register("user:ann"), .revoke(.everyone, on: .class("doc")),
                .grant("role:makers", on: .class("doc"), ["create"]))
            let join = Change.addMember("user:ann", to: "role:makers")
            let make = Change.createObject("doc:1")
            let refusal = try fixture.refusal(make, join, as: "user:ann")
            #expect(refusal?.code == .noPrivilege)
            #expect(refusal?.change == 0)
            #expect(try fixture.refusal(join, make, as: "user:ann") == nil)
        }
    }

    @Test("E2: privileges given up in a transaction are missing for its later changes")
    func lossIsSeenAtOnce() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .createObject("doc:1"), .grant(.everyone, on: "doc:1", Privileges.builtInNames))
            let refusal = try fixture.refusal(
                .revoke(.everyone, on: "doc:1", ["update"]), .writeObject("doc:1", .value(.integer(1))), as: "user:ann")
            #expect(refusal?.code == .noPrivilege)
            #expect(refusal?.change == 1)
        }
    }

    @Test("E2: an object can be deleted and recreated in one transaction, and starts empty")
    func deleteAndMakeAgain() throws {
        try withStore { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createObject("doc:1", value: .integer(1)),
                .grant("user:ann", on: "doc:1", ["read"]))
            let receipt = try fixture.commit(.deleteObject("doc:1"), .createObject("doc:1", value: .integer(2)))
            #expect(receipt.revision == Revision(2))
            #expect(try fixture.entries("doc:1").isEmpty)
            #expect(try fixture.store.read { try $0.value(of: "doc:1", as: "user:root") } == .integer(2))
            #expect(try fixture.store.read { try $0.lastChange(of: "doc:1") } == Revision(2))
        }
    }

    @Test("E2: a transaction that undoes its own changes creates no revision")
    func undone() throws {
        try withStore { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .createObject("doc:1"))
            let receipt = try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]), .revoke("user:ann", on: "doc:1"))
            #expect(receipt.revision == nil)
            #expect(receipt.head == Revision(1))
            #expect(try fixture.head == Revision(1))
        }
    }

    @Test("E2: many commits of an import keep their order, and refused ones leave no gap")
    func importedTransactions() throws {
        try withStore { (fixture) throws in
            let importer = try fixture.store.importer()
            for number in 0..<30 {
                let name = Name("role:\(number / 2)")
                let transaction = Transaction("user:root", [.createRole(name), .addMember("user:root", to: name)])
                if number % 2 == 0 {
                    #expect(try importer.add(transaction) == Revision(UInt64(number / 2) + 1))
                } else {
                    #expect(throws: Refusal.self) { try importer.add(transaction) }
                }
            }
            try importer.finish()
            #expect(try fixture.head == Revision(15))
            #expect(try fixture.commits(from: Revision(1)).allSatisfy { $0.events.count == 2 })
        }
    }

    @Test("E2: an object whose creation was refused before can be created, and the index has each of its rows once")
    func createdAgain() throws {
        try withStore { (fixture) throws in
            let importer = try fixture.store.importer()
            _ = try importer.add(
                Transaction("user:root", [.defineClass("doc", ClassSettings(properties: ["pages"])), .createRole("role:r")]))
            let creation = Change.createObject("doc:1", value: .object(["pages": .integer(3)]))
            #expect(throws: Refusal.self) { try importer.add(Transaction("user:root", [creation, .createRole("role:r")])) }
            _ = try importer.add(Transaction("user:root", [creation]))
            // The index is written as a whole: each row must come after all others.
            _ = try importer.add(Transaction("user:root", (0..<1000).map { .register(Name("user:\($0)")) }))
            try importer.finish()
            #expect(try fixture.head == Revision(3))
            try fixture.whileClosed {
                let report = try Store.verify(at: fixture.path)
                #expect(report.isSound, "\(report.problems)")
            }
        }
    }
}
