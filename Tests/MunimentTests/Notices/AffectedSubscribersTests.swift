import Events
import Notices
import Permissions
import Projections
import StoreSupport
import TestSupport
import Testing

@testable import Muniment

/// Subscribers sleep during commits that do not affect them. A subscriber that sleeps too long would lose notices.
@Suite("Waking subscribers")
struct AffectedSubscribersTests {
    /// Applies a random history to a store, as far as the store's rules allow it.
    private static func write(_ seed: UInt64, steps: Int, _ fixture: StoreFixture) throws {
        var history = RandomHistory(seed: seed)
        try fixture.store.commit(Transaction("user:root", [.appointAdministrator(history.administrator)], authority: .importer))
        for _ in 0..<steps {
            let next = history.next()
            fixture.clock.now = max(fixture.clock.now, next.time)
            let isRefused = try fixture.refusal(of: next.changes, as: next.caller) != nil
            if isRefused { history.takeBack() }
        }
    }

    @Test(
        "E6: Every subscriber with a notice of a commit is in the set of subscribers that the commit may affect",
        arguments: 0..<12)
    func nobodySleepsThroughANotice(number: UInt64) throws {
        let seed = number == 0 ? 1 : TestSettings.firstSeed &+ number
        try withStore(number % 2 == 0 ? .open : .locked, clock: ManualClock()) { (fixture) throws in
            try Self.write(seed, steps: 60, fixture)
            let store = fixture.store
            let head = try store.head.revision
            var names: Set<Name> = ["everyone", "anonymous", "user:never-seen"]
            try store.withReader { reader in
                for classID in [ClassID.user, .thing, .role] {
                    names.formUnion(try reader.objects(of: classID).map { Name(try reader.name(of: $0)) })
                }
            }
            var told = 0
            for name in names.sorted() {
                let notices = try store.notices(for: name, after: .genesis, through: head)
                for revision in Set(notices.map(\.revision)) {
                    told += 1
                    let commit = try #require(try fixture.commits(from: revision).first)
                    try store.withReader { reader in
                        let concerned = try AffectedSubscribers.subjects(of: commit, reader)
                        var subscriber = NamedSubscriber(name)
                        reader.move(to: Revision(revision.rawValue - 1))
                        let keys = try AffectedSubscribers.keys(of: &subscriber, reader)
                        #expect(
                            concerned?.isDisjoint(with: keys) != true,
                            "MUNIMENT_SEED=\(seed): \(name) has notices of revision \(revision) and would sleep through it")
                    }
                }
            }
            // Some histories produce no notices. This history must produce at least one.
            if number == 0 { #expect(told > 0) }
        }
    }

    @Test("E6: A commit that affects no subscriber wakes only the subscribers that it names")
    func othersSleepOn() throws {
        try withStore(.open) { (fixture) throws in
            let store = fixture.store
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .register("user:bob"), .createObject("doc:1"))
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            let commit = try #require(try fixture.commits(from: fixture.head).first)
            try store.withReader { reader in
                let concerned = try #require(try AffectedSubscribers.subjects(of: commit, reader))
                var (ann, bob) = (NamedSubscriber("user:ann"), NamedSubscriber("user:bob"))
                #expect(try !concerned.isDisjoint(with: AffectedSubscribers.keys(of: &ann, reader)))
                #expect(try concerned.isDisjoint(with: AffectedSubscribers.keys(of: &bob, reader)))
            }
        }
    }

    /// Changes to a document in a folder, or between two folders. Ann has access to the second folder.
    private static let changes: [(what: String, changes: [Change])] = [
        ("moved to where she may read", [.moveObject("doc:1", parent: "folder:2")]),
        ("moved from where she may read", [.moveObject("doc:2", parent: "folder:1")]),
        (
            "linked to by what she may read",
            [.writeObject("folder:2", .value(.object(["to": .object(["$ref": .string("page:1")])])))]
        ),
        ("of a class that inherits no more", [.changeClass("doc", ClassSettings(inherits: .nothing))]),
        ("deleted with the folder above it", [.deleteObject("folder:2")]),
        (
            "below a permission that is deleted with the role it was changed to",
            [.changePermission("permission:p", subject: "role:crew", ["read"]), .deleteRole("role:crew")]
        ),
        (
            "with an entry of her role, which is deleted and created again",
            [.deleteRole("role:guards"), .createRole("role:guards"), .addMember("user:ann", to: "role:guards")]
        ),
    ]

    @Test("E6: A waiting subscriber wakes for a document that affects it", arguments: changes.indices)
    func wakes(index: Int) throws {
        let (what, changes) = Self.changes[index]
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("folder"), .defineClass("doc", ClassSettings(inherits: .everything)),
                .defineClass("page", ClassSettings(readThroughLinks: index == 2)), .register("user:ann"), .register("user:bob"),
                .createObject("folder:1"), .createObject("folder:2"), .createObject("doc:1", parent: "folder:1"),
                .createObject("doc:2", parent: "folder:2"), .createObject("page:1"),
                .grant("user:ann", on: "folder:2", ["read"]), .createRole("role:crew"),
                .definePermission("permission:p", subject: "user:bob", ["read"]), .createObject("doc:3", parent: "permission:p"),
                .grant("user:ann", on: "permission:p", ["read"]), .createRole("role:guards"),
                .addMember("user:ann", to: "role:guards"), .createObject("doc:4"), .grant("role:guards", on: "doc:4", ["read"]))
            let before = try fixture.head
            try fixture.store.commit(Transaction("user:root", changes))
            let after = try fixture.head
            #expect(try !fixture.store.notices(for: "user:ann", after: before, through: after).isEmpty, "\(what)")
            let commit = try #require(try fixture.commits(from: after).first)
            try fixture.store.withReader { reader in
                let concerned = try AffectedSubscribers.subjects(of: commit, reader)
                var ann = NamedSubscriber("user:ann")
                reader.move(to: before)
                #expect(try concerned?.isDisjoint(with: AffectedSubscribers.keys(of: &ann, reader)) != true, "\(what)")
            }
        }
    }
}
