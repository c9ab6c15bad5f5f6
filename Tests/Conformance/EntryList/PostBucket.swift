import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport

/// A bucket of posts, owned by `user:owner`, with `post:1` of `user:ann`. Also users, a thing and a group to share it with.
func withPosts(_ preset: Preset = .locked, _ body: (StoreFixture) async throws -> Void) async throws {
    try await withStore(preset) { fixture in
        try await Bucket.prepare(fixture.store, as: "user:root", owners: ["user:owner"])
        try await Bucket("post").define(in: fixture.store, as: "user:owner")
        try fixture.commit(
            .register("user:bob"), .register("user:carl"), .register("user:dora"), .register("thing:camera"),
            .createRole("role:staff"), .addMember("user:dora", to: "role:staff"))
        try fixture.commit(.createObject("post:1", value: .object(["title": .string("Bridge")])), as: "user:ann")
        try await body(fixture)
    }
}

extension StoreFixture {
    /// Returns the entry list of a post for its creator.
    func entryList(of object: Name = "post:1", as caller: Name = "user:ann") -> EntryList {
        EntryList(of: object, in: store, as: caller)
    }

    /// Returns the access of a user to a post, as bucket actions.
    func actions(_ subject: Name, _ object: Name = "post:1") throws -> ObjectActions {
        let held = Set(try privileges(subject, object))
        let read: ObjectActions = held.contains("read") ? .read : []
        return held.isSuperset(of: ["update", "delete"]) ? read.union(.write) : read
    }
}

/// Returns why an entry was refused, or nil if the list was saved.
func refusedEntry(_ body: () async throws -> Void) async throws -> EntryList.EntryError? {
    do {
        try await body()
        return nil
    } catch let refused as EntryList.EntryError {
        return refused
    }
}
