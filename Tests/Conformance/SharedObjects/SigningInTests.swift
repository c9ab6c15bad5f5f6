import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Shared objects: the current user")
struct SigningInTests {
    /// Every call of the interface that needs a current user.
    static let calls: [(name: String, changes: Bool, call: @Sendable (SharedObjects) async throws -> Void)] = [
        ("save", true, { try await $0.save(text("new"), id: "new") }),
        ("overwrite", true, { try await $0.overwrite("letter", with: text("other")) }),
        ("overwrite what is not there", true, { try await $0.overwrite("nothing", with: text("other")) }),
        ("make public", true, { try await $0.setPublic("letter", true) }),
        ("make private", true, { try await $0.setPublic("letter", false) }),
        ("add a user", true, { try await $0.addUser("user:cleo", to: "letter") }),
        ("remove a user", true, { try await $0.removeUser("user:bob", from: "letter") }),
        ("exists", false, { _ = try $0.exists("letter") }),
        ("fetch", false, { _ = try $0.fetch("letter") }),
        ("observe", false, { _ = try $0.observe(of: "letter") }),
        ("fetch all public", false, { _ = try $0.fetchAllPublic() }),
        ("fetch all shared", false, { _ = try $0.fetchAllSharedWithMe() }),
    ]

    @Test("F1: Without a current user each call is refused, and nothing changes", arguments: calls.indices)
    func signedOut(_ index: Int) async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            let before = try notes.fixture.store.head
            let call = Self.calls[index].call
            let nobody = SharedObjects(in: notes.fixture.store, class: "note")
            #expect(try await refusalCode { try await call(nobody) } == .notAuthenticated)
            try await notes.ann.setCurrentUser(nil)
            #expect(notes.ann.currentUser == nil)
            #expect(try await refusalCode { try await call(notes.ann) } == .notAuthenticated)
            #expect(try notes.fixture.store.head == before)
        }
    }

    @Test("F1: Without a current user each call is refused, even with access for `anonymous`", arguments: calls.indices)
    func generousStore(_ index: Int) async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            let everything = ["create", "read", "query", "update", "delete", "setPermissions"]
            for object: Name in ["store", "class:note", "note:letter"] {
                try notes.fixture.commit(.grant(.anonymous, on: object, everything))
            }
            let before = try notes.fixture.store.head
            let nobody = SharedObjects(in: notes.fixture.store, class: "note")
            #expect(try await refusalCode { try await Self.calls[index].call(nobody) } == .notAuthenticated)
            #expect(try notes.fixture.store.head == before)
        }
    }

    @Test("F1: Attempts without a current user are recorded as refused commands; queries are not")
    func recorded() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", users: ["user:bob"])
            let nobody = SharedObjects(in: notes.fixture.store, class: "note")
            for (_, _, call) in Self.calls { _ = try await refusalCode { try await call(nobody) } }
            var recorded: [RecordedRefusal] = []
            try notes.fixture.store.refusals { refusal, _ in recorded.append(refusal) }
            #expect(recorded.count == Self.calls.filter(\.changes).count)
            for refusal in recorded {
                #expect(refusal.caller == "anonymous")
                #expect(refusal.origin.comment == "no current user")
                #expect(["notAuthenticated", "unknownObject"].contains(refusal.code))
            }
        }
    }

    @Test(
        "F1: A current user can make each call", arguments: calls.indices.filter { calls[$0].name != "overwrite what is not there" }
    )
    func signedIn(_ index: Int) async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            #expect(try await refusalCode { try await Self.calls[index].call(notes.ann) } == nil)
        }
    }

    @Test("F1: A user who has signed in once can be named by others; an unknown user cannot")
    func firstConnection() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            #expect(try await refusalCode { try await notes.ann.addUser("user:dev", to: "letter") } == .unknownPrincipal)
            _ = try await notes.signedIn("user:dev")
            #expect(try await refusalCode { try await notes.ann.addUser("user:dev", to: "letter") } == nil)
        }
    }

    @Test(
        "F1: A role, `everyone` and an invalid name cannot sign in, and then no user is signed in",
        arguments: [
            "role:friends", "everyone", "anonymous", "note:letter", "ann", "user:",
        ])
    func notACaller(_ text: String) async throws {
        try await withNotes { notes in
            if text == "anonymous" {
                // It can make the calls that every signed-out caller can make.
                try await notes.ann.setCurrentUser(nil)
            } else {
                #expect(try await refusalCode { try await notes.ann.setCurrentUser(Name(text)) } == .malformed)
            }
            #expect(notes.ann.currentUser == nil)
        }
    }
}
