import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Bucket entries: listing")
struct ListingTests {
    @Test("K7: Without saved entries, the list has the default entries: the creator's and the bucket's")
    func defaults() async throws {
        try await withPosts { fixture in
            let entries = try fixture.entryList().list()
            #expect(entries.map(\.subject) == ["user:ann", "everyone", "user:owner"])
            #expect(entries.map(\.origin) == [.object, .bucket, .bucket])
            #expect(entries.map(\.isPermanent) == [true, false, true])
            #expect(entries.map(\.isDefault) == [true, true, true])
            #expect(entries.map(\.actions) == [[.read, .write], [], [.read, .write]])
            let all = ["delete", "query", "read", "setPermissions", "update"]
            #expect(entries.map(\.privileges) == [all, ["query"], all])
        }
    }

    @Test("K7: Saved entries are listed with their subjects, actions and expiries")
    func explicit() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put(.everyone, .read)
            list.put("user:bob", [.read, .write])
            try await list.save()
            let end = Instant.newYear.later(seconds: 60)
            try fixture.commit(.grant("thing:camera", on: "post:1", ["read"], until: end), as: "user:ann")
            let put = try fixture.entryList().list().filter { !$0.isDefault }
            #expect(put.map(\.subject) == ["everyone", "thing:camera", "user:bob"])
            #expect(put.map(\.actions) == [.read, .read, [.read, .write]])
            #expect(put.map(\.until) == [nil, end, nil])
        }
    }

    @Test("K7: A permission on the object is listed as a permission")
    func permissions() async throws {
        try await withPosts { fixture in
            try fixture.commit(
                .definePermission("permission:editing", subject: "role:staff", ["read", "update"]),
                .attachPermission("permission:editing", to: "post:1"))
            let entry = try #require(try fixture.entryList().list().first { $0.subject == "role:staff" })
            #expect(entry.origin == .permission("permission:editing"))
            #expect(!entry.isDefault)
        }
    }

    @Test("K7: A caller who can neither read the object nor set permissions on it does not see its entries")
    func hidden() async throws {
        try await withPosts { fixture in
            #expect { try fixture.entryList(as: "user:bob").list() } throws: { ($0 as? Refusal)?.code == .noPrivilege }
            #expect { try fixture.entryList(as: "anonymous").list() } throws: { ($0 as? Refusal)?.code == .notAuthenticated }
            #expect { try fixture.entryList(of: "post:9").list() } throws: { ($0 as? Refusal)?.code == .unknownObject }
        }
    }

    @Test("K7: A list at an earlier time shows the entries at that time")
    func earlier() async throws {
        try await withPosts { fixture in
            let before = try fixture.head
            var list = fixture.entryList()
            list.put("user:bob", .read)
            try await list.save()
            #expect(try fixture.entryList().list(.revision(before)).contains { $0.subject == "user:bob" } == false)
            #expect(try fixture.entryList().list().contains { $0.subject == "user:bob" })
        }
    }
}
