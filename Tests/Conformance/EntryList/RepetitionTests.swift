import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

/// The document's section about errors, unchanged.
@Suite("Bucket entries: errors and repetitions")
struct RepetitionTests {
    private func setUp(_ fixture: StoreFixture) -> EntryList {
        var list = fixture.entryList()
        list.put(.everyone, .read)
        list.put("role:staff", [.read, .write])
        return list
    }

    @Test("K8: A second run of the set-up throws an error that names the entry, and changes nothing")
    func twice() async throws {
        try await withPosts { fixture in
            let list = setUp(fixture)
            try await list.save()
            let before = try fixture.store.head
            let refused = try #require(try await refusedEntry { try await list.save() })
            #expect(refused.entry == EntryList.Entry(.everyone, privileges: ["read"]))
            #expect(refused.reason.code == .alreadyExists)
            #expect(refused.description.contains("`everyone`") && refused.description.contains("`post:1`"))
            #expect(try fixture.store.head == before)
        }
    }

    @Test("K8: With repetitions allowed, the set-up can run several times, and only the first run creates a revision")
    func idempotent() async throws {
        try await withPosts { fixture in
            let list = setUp(fixture)
            try await list.save(repetition: .isAllowed)
            let before = try fixture.store.head
            try await list.save(repetition: .isAllowed)
            #expect(try await list.save(.oneByOne, repetition: .isAllowed).failed.isEmpty)
            #expect(try fixture.store.head == before)

            var removal = fixture.entryList()
            removal.put(.everyone, .read, grant: false)
            try await removal.save()
            #expect(try await refusedEntry { try await removal.save() }?.reason.code == .notThere)
            try await removal.save(repetition: .isAllowed)
            #expect(try fixture.actions("user:bob") == [])
        }
    }

    @Test("K8: After a partial save, listing the existing entries and skipping repetitions saves the rest")
    func recovery() async throws {
        try await withPosts { fixture in
            // The administrator removed a group meanwhile, so that only some of the entries are saved.
            try fixture.commit(.deleteRole("role:staff"))
            let list = setUp(fixture)
            let outcome = try await list.save(.oneByOne)
            #expect(outcome.succeeded.map(\.subject) == ["everyone"])
            #expect(outcome.failed.map(\.reason.code) == [.unknownPrincipal, .unknownPrincipal])

            try fixture.commit(.createRole("role:staff"), .addMember("user:dora", to: "role:staff"))
            #expect(try await refusedEntry { try await list.save() }?.reason.code == .alreadyExists)
            let rest = try list.withoutRepetitions()
            #expect(rest.changes.map(\.subject) == ["role:staff", "role:staff"])
            try await rest.save()
            #expect(try fixture.actions("user:dora") == [.read, .write])
            #expect(try list.withoutRepetitions().changes.isEmpty)
        }
    }

    @Test("K8: Removing an entry that does not exist is skipped as a repetition")
    func recoveryOfRemovals() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:bob", .read)
            try await list.save()
            var removal = fixture.entryList()
            removal.put("user:bob", .read, grant: false)
            removal.put("user:carl", .read, grant: false)
            #expect(try removal.withoutRepetitions().changes.map(\.subject) == ["user:bob"])
        }
    }

    @Test("K9: No caller can remove the creator's entry, in part or completely, with or without repetitions allowed")
    func creatorsEntry() async throws {
        try await withPosts { fixture in
            for caller: Name in ["user:ann", "user:owner", "user:root"] {
                for repetition in [EntryList.DuplicateHandling.isRefused, .isAllowed] {
                    for actions in [ObjectActions.read, .write] {
                        var list = fixture.entryList(as: caller)
                        list.put("user:ann", actions, grant: false)
                        let refused = try #require(try await refusedEntry { try await list.save(repetition: repetition) })
                        #expect(refused.reason.code == .permanentEntry)
                        #expect(refused.reason.message.contains("`user:ann`") && refused.reason.message.contains("`post:1`"))
                    }
                }
            }
            #expect(try fixture.actions("user:ann") == [.read, .write])
        }
    }

    @Test("K9: No caller can remove the bucket owner's entry, on an object or on the bucket")
    func ownersEntry() async throws {
        try await withPosts { fixture in
            for repetition in [EntryList.DuplicateHandling.isRefused, .isAllowed] {
                var list = fixture.entryList()
                list.put("user:bob", .read)
                list.put("user:owner", .read, grant: false)
                let refused = try #require(try await refusedEntry { try await list.save(repetition: repetition) })
                #expect(refused.reason.code == .permanentEntry)
                #expect(refused.reason.message.contains("`user:owner`") && refused.reason.message.contains("`post`"))
                #expect(try fixture.actions("user:bob") == [])

                var bucket = fixture.entryList(of: "class:post", as: "user:root")
                bucket.put("user:owner", bucket: .readObjects, grant: false)
                #expect(
                    try await refusedEntry { try await bucket.save(repetition: repetition) }?.reason.code == .permanentEntry)
            }
            #expect(try fixture.actions("user:owner") == [.read, .write])
        }
    }

    @Test("K9: An entry that was added for the bucket's owner on an object can be removed again")
    func ownersOtherEntry() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:owner", .read)
            try await list.save()
            var removal = fixture.entryList()
            removal.put("user:owner", .read, grant: false)
            try await removal.save()
            #expect(try fixture.actions("user:owner") == [.read, .write])
        }
    }
}
