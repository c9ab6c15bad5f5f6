import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Bucket entries: bucket access includes the bucket's objects")
struct BucketTests {
    @Test("K3: Read access to all objects of a bucket includes each object, with any entries")
    func readObjects() async throws {
        try await withPosts { fixture in
            try fixture.commit(.createObject("post:2", value: .string("second")), as: "user:carl")
            var bucket = fixture.entryList(of: "class:post", as: "user:owner")
            bucket.put("user:bob", bucket: .readObjects)
            try await bucket.save()
            for object: Name in ["post:1", "post:2"] { #expect(try fixture.actions("user:bob", object) == .read, "\(object)") }
            #expect(try fixture.store.read { try $0.list(class: "post", as: "user:bob") } == ["post:1", "post:2"])

            // Removing an entry from one object does not change this.
            var list = fixture.entryList()
            list.put("user:bob", .read)
            try await list.save()
            var removal = fixture.entryList()
            removal.put("user:bob", .read, grant: false)
            try await removal.save()
            #expect(try fixture.actions("user:bob") == .read)

            // Removing the entry from the bucket does.
            var back = fixture.entryList(of: "class:post", as: "user:owner")
            back.put("user:bob", bucket: .readObjects, grant: false)
            try await back.save()
            #expect(try fixture.actions("user:bob") == [])
        }
    }

    @Test("K3: Read access to all objects does not include write access")
    func readObjectsWritesNothing() async throws {
        try await withPosts { fixture in
            var bucket = fixture.entryList(of: "class:post", as: "user:owner")
            bucket.put(.anonymous, bucket: .readObjects)
            try await bucket.save()
            #expect(try fixture.actions("anonymous") == .read)
            #expect(try fixture.refusal(.writeObject("post:1", .value(.null)), as: "anonymous")?.code == .notAuthenticated)
            #expect(try fixture.refusal(.writeObject("post:1", .value(.null)), as: "user:bob")?.code == .noPrivilege)
        }
    }

    @Test("K3: Without that access, a query lists the objects that their own entries allow the caller to read")
    func query() async throws {
        try await withPosts { fixture in
            try fixture.commit(.createObject("post:2"), as: "user:bob")
            #expect(try fixture.store.read { try $0.list(class: "post", as: "user:bob") } == ["post:2"])
            var list = fixture.entryList()
            list.put("user:bob", .read)
            try await list.save()
            #expect(try fixture.store.read { try $0.list(class: "post", as: "user:bob") } == ["post:1", "post:2"])
        }
    }

    @Test("K3: In an open store a bucket gives only the access that it defines")
    func openStore() async throws {
        try await withPosts(.open) { fixture in
            #expect(try fixture.actions("user:bob") == [])
            try fixture.commit(.createObject("post:2"), as: "user:bob")
            #expect(try fixture.actions("user:bob", "post:2") == [.read, .write])
        }
    }
}
