import Events
import Muniment
import MunimentRecipes
import Permissions
import StoreSupport
import Testing

@Suite("Shared objects: saving")
struct SavingTests {
    @Test("F2: Saving creates the object and its access in one transaction; the saver is always a specified user")
    func savedAtOnce() async throws {
        try await withNotes { notes in
            let before = try notes.fixture.head
            let receipt = try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            #expect(receipt.revision == before.next)
            #expect(try notes.fixture.head == before.next)
            let specified = SharedObjects.specifiedUserPrivileges.sorted()
            #expect(
                try notes.fixture.entries("note:letter").map { [$0.subject: $0.privileges] } == [
                    ["everyone": ["query", "read"]], ["user:ann": specified], ["user:bob": specified],
                ])
            #expect(try notes.fixture.store.read { try $0.owner(of: "note:letter") } == "user:ann")
            #expect(try notes.ann.fetch("letter") == text("Hello"))
            // At the earlier revision, the object did not exist.
            #expect(try notes.fixture.store.read(at: .revision(before)) { try $0.exists("note:letter") } == false)
            #expect(try notes.fixture.privileges("user:bob", "note:letter", at: .revision(before)) == [])
        }
    }

    @Test(
        "F2: The saver can be named or omitted, and keeps access if no user is named",
        arguments: [
            [], ["user:ann"], ["user:ann", "user:bob"],
        ])
    func saverIsSpecified(_ users: Set<Name>) async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", users: users)
            #expect(
                try notes.fixture.privileges("user:ann", "note:letter") == SharedObjects.specifiedUserPrivileges.sorted())
            #expect(try notes.fixture.entries("note:letter").map { Name($0.subject) } == users.union(["user:ann"]).sorted())
        }
    }

    @Test("F2: The saver is a specified user, independent of the class's creator privileges")
    func classWithoutCreatorPrivileges() async throws {
        try await withNotes { notes in
            try notes.fixture.commit(.changeClass("note", ClassSettings(creatorPrivileges: [])))
            try await notes.ann.save(text("Hello"), id: "letter")
            #expect(
                try notes.fixture.privileges("user:ann", "note:letter") == SharedObjects.specifiedUserPrivileges.sorted())
        }
    }

    @Test("F2: An id in use is refused, even if the saver cannot see that object")
    func takenID() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            let errors = try await saveErrors { try await notes.bob.save(text("Mine"), id: "letter", users: ["user:cleo"]) }
            #expect(errors.map(\.code) == [.alreadyExists])
            #expect(errors.first?.message.contains("`note:letter`") == true)
            #expect(try notes.ann.fetch("letter") == text("Hello"))
            #expect(try notes.fixture.privileges("user:cleo", "note:letter") == [])
        }
    }

    static let malformed: [(value: JSONValue, code: Refusal.Code)] = [
        (.number(.nan), .malformed), (.number(.infinity), .malformed),
        (.array([.object(["a": .number(-.infinity)])]), .malformed),
        ((0..<65).reduce(.null) { inner, _ in .array([inner]) }, .tooLarge),
        (.string(String(repeating: "x", count: 1 << 20)), .tooLarge),
        (.array((0...1024).map { .object(["$ref": .string("note:\($0)")]) }), .tooLarge),
    ]

    @Test("F2: An invalid value is refused, and nothing is saved", arguments: malformed.indices)
    func malformedValue(_ index: Int) async throws {
        try await withNotes { notes in
            let before = try notes.fixture.head
            let (value, code) = Self.malformed[index]
            let errors = try await saveErrors { try await notes.ann.save(value, id: "letter", users: ["user:bob"]) }
            #expect(errors.map(\.code) == [code])
            #expect(try notes.ann.exists("letter") == false)
            #expect(try notes.fixture.head == before)
        }
    }

    @Test("F2: All errors are listed, and nothing is saved partially")
    func everyError() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            let before = try notes.fixture.store.head
            let errors = try await saveErrors {
                try await notes.bob.save(
                    .number(.nan), id: "letter", isPublic: true, users: ["user:zoe", "user:cleo", "user:yan", "role:crew", "user:"])
            }
            #expect(
                errors.map(\.code) == [
                    .malformed, .alreadyExists, .unknownPrincipal, .malformed, .unknownPrincipal, .unknownPrincipal,
                ])
            #expect(errors.map(\.change) == [0, 0, 2, 3, 5, 6])
            for (error, word) in zip(errors, ["value", "`note:letter`", "`role:crew`", "`user:`", "`user:yan`", "`user:zoe`"]) {
                #expect(error.message.contains(word))
            }
            #expect(try notes.fixture.store.head == before)
            #expect(try notes.fixture.entries("note:letter").map(\.subject) == ["user:ann"])
            // It was one attempt, and is recorded as one.
            #expect(try notes.fixture.store.refusalCount == 1)
        }
    }

    @Test("F2: An unknown user is refused: neither the object nor any access to it exists afterwards")
    func unknownUser() async throws {
        try await withNotes { notes in
            let errors = try await saveErrors {
                try await notes.ann.save(text("Hello"), id: "letter", users: ["user:bob", "user:zoe"])
            }
            #expect(errors.map(\.code) == [.unknownPrincipal])
            #expect(errors.first?.message.contains("`user:zoe`") == true)
            #expect(try notes.ann.exists("letter") == false)
            #expect(try notes.fixture.entries("note:letter") == [])
        }
    }

    @Test("F2: Without the right to create, a save is refused with the other errors, but reveals nothing about users")
    func mayNotCreate() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            try notes.fixture.commit(.revoke(.everyone, on: "class:note", ["create"]))
            let errors = try await saveErrors { try await notes.bob.save(text("Mine"), id: "letter", users: ["user:zoe"]) }
            #expect(errors.map(\.code) == [.alreadyExists, .noPrivilege])
            let alone = try await saveErrors { try await notes.bob.save(text("Mine"), id: "mine", users: ["user:zoe"]) }
            #expect(alone.map(\.code) == [.noPrivilege])
        }
    }

    @Test("F2: An invalid id and an unknown class are refused")
    func malformedID() async throws {
        try await withNotes { notes in
            let errors = try await saveErrors { try await notes.ann.save(.number(.nan), id: "two\nlines") }
            #expect(errors.map(\.code) == [.malformed, .malformed])
            let strange = SharedObjects(in: notes.fixture.store, class: "stamp")
            try await strange.setCurrentUser("user:ann")
            #expect(try await saveErrors { try await strange.save(text("Hello"), id: "1") }.map(\.code) == [.unknownClass])
        }
    }

    @Test("F2: `everyone` and `anonymous` are not specified users", arguments: [Name.everyone, .anonymous])
    func everyoneIsPublic(_ name: Name) async throws {
        try await withNotes { notes in
            let errors = try await saveErrors {
                try await notes.ann.save(text("Hello"), id: "letter", users: [name, "user:zoe"])
            }
            #expect(errors.map(\.code) == [.malformed, .unknownPrincipal])
            #expect(try notes.ann.exists("letter") == false)
            try await notes.ann.save(text("Hello"), id: "letter")
            #expect(try await refusalCode { try await notes.ann.addUser(name, to: "letter") } == .malformed)
            #expect(try await refusalCode { try await notes.ann.removeUser(name, from: "letter") } == .malformed)
        }
    }

    @Test("F3: Overwriting needs an existing object, and a caller who is a specified user of it")
    func overwriting() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            try await notes.bob.overwrite("letter", with: text("Hello, says Bob"))
            #expect(try notes.ann.fetch("letter") == text("Hello, says Bob"))
            // Cleo reads it because it is public. She is not a specified user.
            #expect(try notes.cleo.fetch("letter") == text("Hello, says Bob"))
            #expect(try await refusalCode { try await notes.cleo.overwrite("letter", with: text("Mine")) } == .noPrivilege)
            #expect(try notes.ann.fetch("letter") == text("Hello, says Bob"))
            #expect(try await refusalCode { try await notes.ann.overwrite("nothing", with: text("Hello")) } == .unknownObject)
            #expect(try notes.ann.exists("nothing") == false)
            #expect(try await refusalCode { try await notes.ann.overwrite("letter", with: .number(.nan)) } == .malformed)
        }
    }
}
