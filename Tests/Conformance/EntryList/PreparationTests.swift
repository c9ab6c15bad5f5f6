import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Bucket entries: preparing and saving")
struct PreparationTests {
    @Test("K4: Adding an entry to the list, or removing one, does not change the store; saving does")
    func preparing() async throws {
        try await withPosts { fixture in
            let before = try fixture.store.head
            var list = fixture.entryList()
            list.put("user:bob", [.read, .write])
            list.put(.everyone, .read)
            list.put(.everyone, .read)
            let bobWrites = EntryList.Entry("user:bob", privileges: ["update", "delete"])
            #expect(list.changes.map(\.description) == ["+ user:bob: read", "+ user:bob: delete, update", "+ everyone: read"])
            let removed = [list.remove(bobWrites), list.remove(bobWrites)]
            #expect(removed == [true, false])
            #expect(try fixture.store.head == before)

            try await list.save()
            #expect(try fixture.actions("user:bob") == .read)
            #expect(try fixture.head.rawValue == before.revision.rawValue + 1)
        }
    }

    @Test("K4: Removing an entry from the list keeps the entry on the object")
    func removingLocally() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:bob", .read)
            try await list.save()
            list.remove(EntryList.Entry("user:bob", privileges: ["read"]))
            #expect(list.changes.isEmpty)
            try await list.save()
            #expect(try fixture.actions("user:bob") == .read)
        }
    }

    @Test("K5: Saving is atomic by default: one refused entry, and nothing is saved")
    func together() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:bob", .read)
            list.put("user:nobody", .read)
            list.put("user:carl", .read)
            let before = try fixture.store.head
            let refused = try #require(try await refusedEntry { try await list.save() })
            #expect(refused.entry.subject == "user:nobody")
            #expect(refused.reason.code == .unknownPrincipal)
            #expect(refused.description.contains("`user:nobody`"))
            #expect(try fixture.store.head == before)
            #expect(try fixture.actions("user:bob") == [])
        }
    }

    @Test("K5: Saving one by one returns the saved and the refused entries, each refusal with its reason")
    func oneByOne() async throws {
        try await withPosts { fixture in
            var first = fixture.entryList()
            first.put("user:carl", .read)
            try await first.save()

            var list = fixture.entryList()
            list.put("user:bob", .read)
            list.put("user:nobody", .read)
            list.put("user:carl", .read)
            list.put("user:dora", .write, grant: false)
            list.put(.everyone, .read)
            let outcome = try await list.save(.oneByOne)
            #expect(outcome.succeeded.map(\.subject) == ["user:bob", "everyone"])
            #expect(outcome.failed.map(\.entry.subject) == ["user:nobody", "user:carl", "user:dora"])
            #expect(outcome.failed.map(\.reason.code) == [.unknownPrincipal, .alreadyExists, .notThere])
            #expect(try fixture.actions("user:bob") == .read)
            #expect(try fixture.actions("user:never-seen") == .read)
        }
    }

    @Test("K5: Each refused entry is recorded as a refused command, with caller and rule")
    func recorded() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList(as: "user:bob")
            list.put(.everyone, .read)
            list.put("user:ann", .read, grant: false)
            _ = try await list.save(.oneByOne)
            _ = try await refusedEntry { try await list.save() }
            var removal = fixture.entryList()
            removal.put("user:owner", .read, grant: false)
            _ = try await refusedEntry { try await removal.save(repetition: .isAllowed) }
            var recorded: [String] = []
            try fixture.store.refusals { refusal, _ in recorded.append("\(refusal.caller) \(refusal.code)") }
            #expect(
                recorded == ["user:bob noPrivilege", "user:bob noPrivilege", "user:bob noPrivilege", "user:ann notThere"])
        }
    }

    @Test("K6: An entry saved with grant = false removes that entry from the object, and keeps the others")
    func removing() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:bob", [.read, .write])
            list.put(.everyone, .read)
            try await list.save()
            var removal = fixture.entryList()
            removal.put("user:bob", .write, grant: false)
            removal.put(.everyone, .read, grant: false)
            try await removal.save()
            #expect(try fixture.actions("user:bob") == .read)
            #expect(try fixture.actions("user:carl") == [])
        }
    }

    @Test("K6: Prepared changes are applied in order: put, removed, put again")
    func order() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:bob", .read)
            list.put("user:bob", .read, grant: false)
            try await list.save()
            #expect(try fixture.actions("user:bob") == [])
        }
    }

    @Test("K1: Privileges can be named directly, also those without a matching action")
    func rawPrivileges() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put(EntryList.Entry("user:bob", privileges: ["setPermissions", "read", "read"]))
            try await list.save()
            #expect(list.changes.first?.privileges == ["read", "setPermissions"])
            var onward = fixture.entryList(as: "user:bob")
            onward.put("user:carl", .read)
            try await onward.save()
            #expect(try fixture.actions("user:carl") == .read)
        }
    }
}
