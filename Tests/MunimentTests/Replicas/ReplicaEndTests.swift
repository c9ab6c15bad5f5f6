import Events
import Permissions
import StoreSupport
import TestSupport
import Testing

@testable import Muniment

@Suite("Replicas: privileges that end, and wake-ups")
struct ReplicaEndTests {
    /// Returns the objects of a new replica of Ann.
    private func filled(_ fixture: StoreFixture) throws -> ReceivedReplica {
        var replica = ReceivedReplica()
        var subscriber = try fixture.store.replica(of: "user:ann", classes: ["doc"]).start
        try advance(&replica, &subscriber, fixture)
        return replica
    }

    private func advance(_ replica: inout ReceivedReplica, _ subscriber: inout ReplicaSubscriber, _ fixture: StoreFixture) throws {
        while case .parts(let parts, _) = try fixture.store.look(&subscriber).get() {
            for part in parts { _ = try replica.take(part) }
        }
    }

    private func ends(_ replica: ReceivedReplica, _ object: Name) -> [String: Instant] {
        Dictionary(uniqueKeysWithValues: (replica.objects[object]?.privileges ?? []).map { ($0.name, $0.until ?? .forever) })
    }

    @Test("R17: each privilege has the end of the last entry that gives it, through roles, parents and the levels above")
    func ends() throws {
        try withStore(.locked) { (fixture) throws in
            let (soon, late) = (fixture.clock.now.advanced(bySeconds: 60), fixture.clock.now.advanced(bySeconds: 600))
            try fixture.commit(
                .defineClass("doc", ClassSettings(inherits: .only(["read"]))), .register("user:ann"), .createRole("role:crew"),
                .addMember("user:ann", to: "role:crew"), .grant("everyone", on: "store", ["read", "update", "delete"]),
                .grant("everyone", on: "class:doc", ["read", "update", "delete"]), .createObject("doc:folder"),
                .createObject("doc:plan", parent: "doc:folder"))
            try fixture.commit(
                .grant("user:ann", on: "doc:plan", ["read", "update"], until: soon),
                .grant("role:crew", on: "doc:plan", ["update"]), .grant("role:crew", on: "doc:folder", ["read"], until: late))
            #expect(try ends(filled(fixture), "doc:plan") == ["read": late, "update": .forever])
            // The level of the class ends before all of them.
            let first = fixture.clock.now.advanced(bySeconds: 5)
            try fixture.commit(
                .revoke("everyone", on: "class:doc", ["update"]), .grant("everyone", on: "class:doc", ["update"], until: first))
            let replica = try filled(fixture)
            #expect(ends(replica, "doc:plan") == ["read": late, "update": first])
            let privileges = try #require(replica.end?.classes.first?.privileges)
            #expect(privileges.first { $0.name == "update" }?.until == first)
        }
    }

    @Test("E15: a step waits while access has ended and no commit records the end yet")
    func unsettled() throws {
        try withStore(.open) { (fixture) throws in
            let end = fixture.clock.now.advanced(bySeconds: 60)
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createObject("doc:1"),
                .grant("user:ann", on: "doc:1", ["read"], until: end))
            var subscriber = try fixture.store.replica(of: "user:ann", classes: ["doc"]).start
            fixture.clock.now = end
            var replica = ReceivedReplica()
            try advance(&replica, &subscriber, fixture)
            #expect(replica.steps.count == 1 && replica.end == nil)
            try fixture.commit(.register("user:bob"))
            try advance(&replica, &subscriber, fixture)
            #expect(replica.end?.revision == (try fixture.head) && replica.objects.isEmpty)
        }
    }

    @Test("R17: a write wakes the replicas of users who may read the object, and no others")
    func wakes() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .register("user:bob"), .createObject("doc:1"),
                .grant("user:ann", on: "doc:1", ["read"]))
            try fixture.commit(.writeObject("doc:1", .value(.integer(1))))
            let commit = try #require(try fixture.commits(from: fixture.head).first)
            try fixture.store.withReader { reader in
                let affected = try #require(try AffectedSubscribers.subjects(of: commit, readsValues: true, reader))
                var (ann, bob, root) = (NamedSubscriber("user:ann"), NamedSubscriber("user:bob"), NamedSubscriber("user:root"))
                #expect(try !affected.isDisjoint(with: AffectedSubscribers.keys(of: &ann, reader)))
                #expect(try affected.isDisjoint(with: AffectedSubscribers.keys(of: &bob, reader)))
                #expect(try !affected.isDisjoint(with: AffectedSubscribers.keys(of: &root, reader)))
                // A feed of notices sleeps through it.
                #expect(try AffectedSubscribers.subjects(of: commit, reader)?.isEmpty == true)
            }
        }
    }

    @Test(
        "R17: the last change of an object is right after a role or permission above it was deleted and created again in one commit",
        arguments: [
            [Change.deleteRole("role:crew"), .createRole("role:crew")],
            [
                .deleteRole("role:crew"), .createRole("role:crew"),
                .definePermission("permission:p", subject: "role:crew", ["read"]),
            ],
            [
                .changePermission("permission:p", subject: "role:other", ["read"]), .deleteRole("role:other"),
                .definePermission("permission:p", subject: "role:crew", ["read"]),
            ],
        ])
    func createdAgain(changes: [Change]) throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createRole("role:crew"), .createRole("role:other"),
                .definePermission("permission:p", subject: "role:crew", ["read"]))
            try fixture.commit(
                .createObject("doc:1", parent: "role:crew"), .createObject("doc:2", parent: "permission:p"),
                .grant("user:ann", on: "doc:1", ["read"]), .grant("user:ann", on: "doc:2", ["read"]))
            var replica = ReceivedReplica()
            var subscriber = try fixture.store.replica(of: "user:ann", classes: ["doc"]).start
            try advance(&replica, &subscriber, fixture)
            try fixture.store.commit(Transaction("user:root", changes))
            let commit = try #require(try fixture.commits(from: fixture.head).first)
            // The commit wakes every replica.
            #expect(try fixture.store.withReader { try AffectedSubscribers.subjects(of: commit, readsValues: true, $0) } == nil)
            try advance(&replica, &subscriber, fixture)
            let expected = try fixture.store.read { snapshot in
                try replica.objects.keys.sorted().map { try snapshot.lastChange(of: $0) }
            }
            #expect(expected.contains(commit.revision) && replica.objects.count == 2)
            #expect(replica.objects.keys.sorted().map { replica.objects[$0]?.changed } == expected)
        }
    }
}
