import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Shared objects: fetching", .timeLimit(.minutes(60)))
struct SharedObjectFetchingTests {
    @Test("F7: A signed-in user can see whether an object exists, and only a reader can see its content")
    func existence() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            #expect(try notes.cleo.exists("letter"))
            #expect(try notes.cleo.exists("nothing") == false)
            #expect(try await refusalCode { _ = try notes.cleo.fetch("letter") } == .noPrivilege)
            #expect(try notes.ann.fetch("letter") == text("Hello"))
            #expect(try await refusalCode { _ = try notes.ann.fetch("nothing") } == .unknownObject)
            #expect(try await refusalCode { _ = try notes.ann.exists("") } == .malformed)
            try notes.fixture.commit(.deleteObject("note:letter"), as: "user:ann")
            #expect(try notes.cleo.exists("letter") == false)
        }
    }

    /// The results of a fetch, each as `id progress`.
    private func all(_ objects: FetchedObjectSequence) async throws -> [String] {
        var found: [String] = []
        for try await object in objects {
            #expect(object.value == text(object.id))
            found.append("\(object.id) \(object.progress)")
        }
        return found
    }

    @Test("F8: Each public and each shared object is returned once, and each counts equally for the progress")
    func fetchAll() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("secret"), id: "secret")
            try await notes.ann.save(text("poster"), id: "poster", isPublic: true)
            try await notes.ann.save(text("both"), id: "both", isPublic: true, users: ["user:bob"])
            try await notes.cleo.save(text("letter"), id: "letter", users: ["user:bob", "user:ann"])
            try await notes.bob.save(text("mine"), id: "mine")
            #expect(try await all(notes.bob.fetchAllPublic()) == ["both 0.5", "poster 1.0"])
            #expect(try await all(notes.ann.fetchAllPublic()) == ["both 0.5", "poster 1.0"])
            #expect(
                try await all(notes.bob.fetchAllSharedWithMe()) == ["both \(1.0 / 3)", "letter \(2.0 / 3)", "mine 1.0"])
            #expect(try await all(notes.cleo.fetchAllSharedWithMe()) == ["letter 1.0"])
            #expect(try notes.ann.fetchAllSharedWithMe().count == 4)
        }
    }

    @Test("F8: Without objects, a fetch returns nothing")
    func nothing() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("letter"), id: "letter", users: ["user:bob"])
            #expect(try await all(notes.cleo.fetchAllPublic()) == [])
            #expect(try await all(notes.cleo.fetchAllSharedWithMe()) == [])
        }
    }

    @Test("F8: Access through a role is shared; access through a role that contains everyone is public")
    func roles() async throws {
        try await withNotes { notes in
            try notes.fixture.commit(
                .createRole("role:crew"), .createRole("role:ship"), .createRole("role:world"),
                .addMember("role:crew", to: "role:ship"), .addMember("user:bob", to: "role:crew"),
                .addMember(.everyone, to: "role:world"), .addMember("user:bob", to: "role:world"))
            try await notes.ann.save(text("log"), id: "log", users: ["role:ship"])
            try await notes.ann.save(text("map"), id: "map", users: ["role:world"])
            #expect(try await all(notes.bob.fetchAllSharedWithMe()) == ["log 1.0"])
            #expect(try await all(notes.bob.fetchAllPublic()) == ["map 1.0"])
            #expect(try await all(notes.cleo.fetchAllSharedWithMe()) == [])
            try notes.fixture.commit(.removeMember("user:bob", from: "role:crew"))
            #expect(try await all(notes.bob.fetchAllSharedWithMe()) == [])
        }
    }

    @Test("F8: All values are of the revision at the start of the fetch, despite later changes")
    func oneRevision() async throws {
        try await withNotes { notes in
            for id in ["a", "b", "c", "d"] { try await notes.ann.save(text(id), id: id, users: ["user:bob"]) }
            let objects = try notes.bob.fetchAllSharedWithMe()
            var iterator = objects.makeAsyncIterator()
            #expect(try await iterator.next() == FetchedObject(id: "a", value: text("a"), progress: 0.25))
            try await notes.ann.overwrite("b", with: text("changed"))
            try await notes.ann.removeUser("user:bob", from: "c")
            try notes.fixture.commit(.deleteObject("note:d"), as: "user:ann")
            try await notes.ann.save(text("aa"), id: "aa", users: ["user:bob"])
            #expect(try await iterator.next() == FetchedObject(id: "b", value: text("b"), progress: 0.5))
            #expect(try await iterator.next() == FetchedObject(id: "c", value: text("c"), progress: 0.75))
            #expect(try await iterator.next() == FetchedObject(id: "d", value: text("d"), progress: 1))
            #expect(try await iterator.next() == nil)
            #expect(try await iterator.next() == nil)
            // A second iteration gives the same result. A new fetch gives the current result.
            #expect(try await all(objects).count == 4)
            #expect(try notes.bob.fetchAllSharedWithMe().count == 3)
        }
    }

    @Test("F8: A cancelled fetch throws an error, so that a partial result is not used as the whole")
    func cancelled() async throws {
        try await withNotes { notes in
            for id in ["a", "b"] { try await notes.ann.save(text(id), id: id) }
            let objects = try notes.ann.fetchAllSharedWithMe()
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                for try await _ in objects {}
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("F8: An object with read and without query is not listed, and a caller who may not query the class is refused")
    func unlisted() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("hint"), id: "hint")
            try notes.fixture.commit(
                .grant(.everyone, on: "note:hint", ["read"]), .grant("user:bob", on: "note:hint", ["read"]), as: "user:ann")
            #expect(try notes.bob.fetch("hint") == text("hint"))
            #expect(try await all(notes.bob.fetchAllPublic()) == [])
            #expect(try await all(notes.bob.fetchAllSharedWithMe()) == [])
            try notes.fixture.commit(.revoke(.everyone, on: "class:note", ["query"]))
            #expect(try await refusalCode { _ = try notes.bob.fetchAllPublic() } == .noPrivilege)
            #expect(try await refusalCode { _ = try notes.bob.fetchAllSharedWithMe() } == .noPrivilege)
        }
    }

    @Test("F8: All objects are shared with an administrator, and the administrator's access does not make them public")
    func administrator() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("secret"), id: "secret")
            let root = try await notes.signedIn("user:root")
            #expect(try await all(root.fetchAllSharedWithMe()) == ["secret 1.0"])
            #expect(try await all(root.fetchAllPublic()) == [])
        }
    }

    @Test("F8: An object with expired access is not fetched, even before the log records the expiry")
    func ended() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("offer"), id: "offer")
            try notes.fixture.commit(
                .grant("user:bob", on: "note:offer", ["read", "query"], until: notes.fixture.clock.now.later(seconds: 60)),
                as: "user:ann")
            #expect(try notes.bob.fetchAllSharedWithMe().count == 1)
            notes.fixture.clock.advance(seconds: 60)
            #expect(try notes.bob.fetchAllSharedWithMe().count == 0)
        }
    }
}
