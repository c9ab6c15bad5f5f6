import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Shared objects: observing", .timeLimit(.minutes(60)))
struct SharedObjectObservingTests {
    private static let list: JSONValue = .object([
        "title": .string("Shopping"), "lines": .object(["bread": .integer(1), "milk": .integer(2)]),
    ])

    /// Returns all changes of an observation as text, until the object is deleted.
    private func words(of changes: ObservedChangeSequence) async throws -> [String] {
        var words: [String] = []
        do {
            for try await change in changes { words.append(inWords(change.kind)) }
        } catch ObservationError.objectDeleted {}
        return words
    }

    private func inWords(_ kind: ObservedChange.Kind) -> String {
        switch kind {
        case .childAdded(let name, _): "added \(name)"
        case .childChanged(let name, _, _): "changed \(name)"
        case .childRemoved(let name, _): "removed \(name)"
        case .valueChanged: "value"
        }
    }

    private func write(_ members: JSONObject, in notes: NoteBoard) throws {
        try notes.fixture.commit(.writeObject("note:list", .merge(.object(["lines": .object(members)]))), as: "user:ann")
    }

    /// Deletes the object, so that the observers end.
    private func deleteList(in notes: NoteBoard) throws { try notes.fixture.commit(.deleteObject("note:list"), as: "user:ann") }

    @Test("F14: An observer of a path gets each change: value changed, child added, child changed, child removed")
    func kinds() async throws {
        try await withNotes { notes in
            try await notes.ann.save(Self.list, id: "list", users: ["user:bob"])
            let lines = try notes.bob.observe("lines", of: "list")
            let title = try notes.bob.observe("title", of: "list")
            let bread = try notes.bob.observe("lines/bread", of: "list")
            let whole = try notes.bob.observe(of: "list")
            try write(["eggs": .integer(6)], in: notes)
            try write(["bread": .integer(3)], in: notes)
            try write(["milk": .null], in: notes)
            try notes.fixture.commit(.writeObject("note:list", .merge(.object(["title": .string("List")]))), as: "user:ann")
            try deleteList(in: notes)
            #expect(try await words(of: lines) == ["added eggs", "value", "changed bread", "value", "removed milk", "value"])
            #expect(try await words(of: title) == ["value"])
            #expect(try await words(of: bread) == ["value"])
            #expect(
                try await words(of: whole) == [
                    "changed lines", "value", "changed lines", "value", "changed lines", "value", "changed title", "value",
                ])
        }
    }

    @Test("F14: A change has the old and the new value, and a caller can select one kind")
    func oneKind() async throws {
        try await withNotes { notes in
            try await notes.ann.save(Self.list, id: "list", users: ["user:bob"])
            let lines = try notes.bob.observe("lines", of: "list")
            let title = try notes.bob.observe("title", of: "list")
            try write(["bread": .integer(3), "eggs": .integer(6), "milk": .null], in: notes)
            try await notes.ann.overwrite("list", with: .object(["title": .string("List")]))
            try deleteList(in: notes)
            for try await case .childAdded(let name, let value) in lines.map(\.kind) {
                #expect((name, value) == ("eggs", .integer(6)))
                break
            }
            for try await case .childChanged(let name, let before, let after) in lines.map(\.kind) {
                #expect((name, before, after) == ("bread", .integer(1), .integer(3)))
                break
            }
            for try await case .childRemoved(let name, let before) in lines.map(\.kind) {
                #expect((name, before) == ("milk", .integer(2)))
                break
            }
            for try await case .valueChanged(let before, let after) in title.map(\.kind) {
                #expect((before, after) == (.string("Shopping"), .string("List")))
                break
            }
        }
    }

    @Test("F14: An observer gets a change that is made while it waits")
    func waiting() async throws {
        try await withNotes { notes in
            try await notes.ann.save(Self.list, id: "list", users: ["user:bob"])
            let changes = try notes.bob.observe("lines", of: "list")
            async let heard = words(of: changes)
            try write(["eggs": .integer(6)], in: notes)
            try deleteList(in: notes)
            #expect(try await heard == ["added eggs", "value"])
        }
    }

    @Test("F14: Each observer can be removed, and the others continue")
    func removal() async throws {
        try await withNotes { notes in
            try await notes.ann.save(Self.list, id: "list", users: ["user:bob"])
            let changes = try notes.bob.observe("lines", of: "list")
            let removed = Task { try await words(of: changes) }
            let other = Task { try await words(of: changes) }
            removed.cancel()
            try write(["eggs": .integer(6)], in: notes)
            try deleteList(in: notes)
            // It ended without an error and without a change.
            #expect(try await removed.value == [])
            #expect(try await other.value == ["added eggs", "value"])
        }
    }

    static let losses: [(name: String, call: @Sendable (NoteBoard) async throws -> Void)] = [
        ("removed", { try await $0.ann.removeUser("user:bob", from: "list") }),
        ("made private", { try await $0.ann.setPublic("list", false) }),
        ("role lost", { try $0.fixture.commit(.removeMember("user:bob", from: "role:crew")) }),
    ]

    @Test("F14: An observer that loses read access gets an error, and no later changes", arguments: losses.indices)
    func accessLost(_ index: Int) async throws {
        try await withNotes { notes in
            try notes.fixture.commit(.createRole("role:crew"), .addMember("user:bob", to: "role:crew"))
            let (name, call) = Self.losses[index]
            let users: [String: Set<Name>] = ["removed": ["user:bob"], "role lost": ["role:crew"]]
            try await notes.ann.save(Self.list, id: "list", isPublic: name == "made private", users: users[name] ?? [])
            let changes = try notes.bob.observe("lines", of: "list")
            try write(["eggs": .integer(6)], in: notes)
            try await call(notes)
            let lost = try notes.fixture.head
            try write(["eggs": .integer(7)], in: notes)
            // After access is granted again, the changes in between are not delivered.
            try await notes.ann.addUser("user:bob", to: "list")
            try deleteList(in: notes)
            var heard: [String] = []
            let end = await #expect(throws: ObservationError.self) {
                for try await change in changes { heard.append(inWords(change.kind)) }
            }
            #expect(heard == ["added eggs", "value"])
            #expect(end == .accessEnded(at: lost))
        }
    }

    @Test("F14: A removed specified user of a public object keeps observing it; a deletion ends the observation")
    func stillPublic() async throws {
        try await withNotes { notes in
            try await notes.ann.save(Self.list, id: "list", isPublic: true, users: ["user:bob"])
            let changes = try notes.bob.observe("lines", of: "list")
            try await notes.ann.removeUser("user:bob", from: "list")
            try write(["eggs": .integer(6)], in: notes)
            try deleteList(in: notes)
            var heard: [String] = []
            let end = await #expect(throws: ObservationError.self) {
                for try await change in changes { heard.append(inWords(change.kind)) }
            }
            #expect(heard == ["added eggs", "value"])
            #expect(try end == .objectDeleted(at: notes.fixture.head))
        }
    }

    @Test("F14: A caller who cannot read an object cannot observe it; observing needs a signed-in user")
    func refused() async throws {
        try await withNotes { notes in
            try await notes.ann.save(Self.list, id: "list")
            #expect(try await refusalCode { _ = try notes.bob.observe(of: "list") } == .noPrivilege)
            #expect(try await refusalCode { _ = try notes.ann.observe(of: "nothing") } == .unknownObject)
            try await notes.ann.setCurrentUser(nil)
            #expect(try await refusalCode { _ = try notes.ann.observe(of: "list") } == .notAuthenticated)
        }
    }

    @Test("F14: Observing from the revision of a fetch misses no change")
    func since() async throws {
        try await withNotes { notes in
            try await notes.ann.save(Self.list, id: "list", users: ["user:bob"])
            let fetched = try notes.bob.fetchAllSharedWithMe()
            try write(["eggs": .integer(6)], in: notes)
            let changes = try notes.bob.observe("lines", of: "list", since: fetched.revision)
            #expect(changes.since == fetched.revision)
            try deleteList(in: notes)
            #expect(try await words(of: changes) == ["added eggs", "value"])
        }
    }
}
