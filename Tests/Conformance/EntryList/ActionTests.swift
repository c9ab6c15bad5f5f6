import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Bucket entries: actions and subjects")
struct ActionTests {
    @Test("K1: The action read gives only read access")
    func read() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:bob", .read)
            try await list.save()
            #expect(try fixture.store.read { try $0.value(of: "post:1", as: "user:bob") } == .object(["title": .string("Bridge")]))
            #expect(try fixture.refusal(.writeObject("post:1", .value(.null)), as: "user:bob")?.code == .noPrivilege)
            #expect(try fixture.refusal(.deleteObject("post:1"), as: "user:bob")?.code == .noPrivilege)
        }
    }

    @Test("K1: The action write gives update and delete, but neither read access nor changes of the entries")
    func write() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("user:bob", .write)
            try await list.save()
            #expect(throws: Refusal.self) { try fixture.store.read { try $0.value(of: "post:1", as: "user:bob") } }
            var onward = fixture.entryList(as: "user:bob")
            onward.put("user:carl", .write)
            #expect(try await refusedEntry { try await onward.save() }?.reason.code == .noPrivilege)
            try fixture.commit(.writeObject("post:1", .value(.string("new"))), as: "user:bob")
            try fixture.commit(.deleteObject("post:1"), as: "user:bob")
            #expect(try fixture.store.read { try $0.exists("post:1") } == false)
        }
    }

    /// Each subject of the document, with the callers that it includes and excludes.
    static let subjects: [(subject: Name, allowed: [Name], denied: [Name])] = [
        ("user:bob", ["user:bob"], ["user:carl", "user:dora", "thing:camera", "anonymous"]),
        ("role:staff", ["user:dora"], ["user:bob", "thing:camera", "anonymous"]),
        ("thing:camera", ["thing:camera"], ["user:bob", "user:dora", "anonymous"]),
        ("everyone", ["user:bob", "user:dora", "thing:camera", "user:never-seen"], ["anonymous"]),
        ("anonymous", ["user:bob", "user:dora", "thing:camera", "anonymous"], []),
    ]

    @Test("K2: A user, a group's members, a thing, any authenticated caller and the anonymous caller", arguments: subjects)
    func subject(_ subject: Name, allowed: [Name], denied: [Name]) async throws {
        try await withPosts { fixture in
            for caller in allowed + denied { #expect(try fixture.actions(caller) == [], "\(caller) at first") }
            var list = fixture.entryList()
            list.put(subject, [.read, .write])
            try await list.save()
            for caller in allowed { #expect(try fixture.actions(caller) == [.read, .write], "\(caller)") }
            for caller in denied { #expect(try fixture.actions(caller) == [], "\(caller)") }
        }
    }

    @Test("K2: A new member of a group gets the access of the group, and loses it on leaving")
    func groups() async throws {
        try await withPosts { fixture in
            var list = fixture.entryList()
            list.put("role:staff", .read)
            try await list.save()
            try fixture.commit(.addMember("user:carl", to: "role:staff"))
            #expect(try fixture.actions("user:carl") == .read)
            try fixture.commit(.removeMember("user:carl", from: "role:staff"))
            #expect(try fixture.actions("user:carl") == [])
        }
    }
}
