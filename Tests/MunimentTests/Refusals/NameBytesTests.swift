import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Names are equal byte for byte")
struct NameBytesTests {
    /// Two texts that look the same: one code point, and a letter with a combining accent.
    private let composed = "\u{E9}"
    private let combined = "e\u{301}"

    @Test("Two spellings of one text are two objects, users, roles, classes and permissions", arguments: [false, true])
    func spellings(folded: Bool) throws {
        try withStore(.open) { (fixture) throws in
            for spelling in [composed, combined] {
                #expect(
                    try fixture.refusal(
                        .defineClass("c" + spelling), .createRole(.role(spelling)), .register(Name("user:" + spelling)),
                        .definePermission(.permission(spelling), subject: Name("user:" + spelling), ["read"]),
                        .createObject(Name("c\(spelling):\(spelling)"), value: .string(spelling))) == nil)
            }
            try fixture.commit(.grant(Name("user:" + composed), on: Name("c\(composed):\(composed)"), ["update"]))
            try fixture.commit(.addMember(Name("user:" + combined), to: .role(combined)))
            if folded { try fixture.reopenWithoutIndex() }
            #expect(try fixture.privileges(Name("user:" + composed), Name("c\(composed):\(composed)")) == ["update"])
            #expect(try fixture.privileges(Name("user:" + combined), Name("c\(composed):\(composed)")) == [])
            #expect(try fixture.privileges(Name("user:" + composed), Name("c\(combined):\(combined)")) == [])
            #expect(try fixture.store.read { try $0.members(of: .role(composed)) }.isEmpty)
            #expect(try fixture.store.read { try $0.members(of: .role(combined)) }.count == 1)
            #expect(
                try fixture.store.read { try $0.list(class: "c" + combined, as: "user:root") }.map { Array($0.utf8) }
                    == [Array("c\(combined):\(combined)".utf8)])
            #expect(try !fixture.store.read { try $0.exists(Name("c\(composed):\(combined)")) })
        }
    }

    @Test("Two spellings of a custom privilege are two privileges")
    func privileges() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc", ClassSettings(privileges: [composed])), .createObject("doc:1"))
            try fixture.commit(.grant(.everyone, on: "doc:1", [composed]))
            #expect(try fixture.may("user:ann", composed, "doc:1"))
            #expect(try !fixture.may("user:ann", combined, "doc:1"))
            #expect(try fixture.refusal(.grant(.everyone, on: "doc:1", [combined]))?.code == .malformed)
        }
    }

    @Test("A link leads to the object with exactly the same name bytes")
    func links() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc", ClassSettings(readThroughLinks: true)), .createObject(Name("doc:" + composed)),
                .createObject(Name("doc:" + combined)),
                .createObject("doc:from", value: .object(["$ref": .string("doc:" + combined)])),
                .grant(.everyone, on: "doc:from", ["read"]))
            #expect(try fixture.may("user:ann", "read", Name("doc:" + combined)))
            #expect(try !fixture.may("user:ann", "read", Name("doc:" + composed)))
        }
    }

    @Test("Lists are sorted by UTF-8 bytes, not alphabetically and not by UTF-16")
    func order() throws {
        try withStore(.open) { (fixture) throws in
            let ids = ["A", "Z", "a", "e\u{301}", "z", "\u{E9}", "\u{FFFD}", "\u{1D11E}"]
            try fixture.commit(.defineClass("doc"))
            #expect(try fixture.refusal(of: ids.shuffled().map { .createObject(Name("doc:" + $0)) }) == nil)
            let listed = try fixture.store.read { try $0.objects(for: "user:root", with: ["read"]) }
            #expect(listed.map { Array($0.utf8) } == ids.map { Array("doc:\($0)".utf8) })
        }
    }

    /// Ids that begin with a mark that combines with the colon before it, or contain more colons.
    private static let oddIDs = ["\u{301}x", "a:b", ":", "::", "a b", "a\u{A0}b", "role:x", "#1", "\"", "\\", "/", "..", "*"]

    @Test("An id is any text after the first colon without invisible characters", arguments: oddIDs)
    func anyID(id: String) throws {
        try withStore(.open) { (fixture) throws in
            let names = ["doc", "user", "thing", "role", "permission"].map { Name("\($0):\(id)") }
            try fixture.commit(
                .defineClass("doc"), .createObject(names[0]), .register(names[1]), .register(names[2]), .createRole(names[3]),
                .definePermission(names[4], subject: names[2], ["read"]), .addMember(names[2], to: names[3]),
                .grant(names[3], on: names[0], ["read"]), .attachPermission(names[4], to: names[0]))
            try fixture.reopenWithoutIndex()
            #expect(try fixture.may(names[2], "read", names[0]))
            #expect(try fixture.store.read { try $0.members(of: names[3]) } == [names[2].text])
            #expect(try fixture.store.read { try $0.subjects(with: ["read"], on: names[0]) } == [names[2].text])
            #expect(try fixture.store.statistics().principals == 3)
            try fixture.commit(.changeClass("thing", ClassSettings(objectACL: .required)))
            #expect(try fixture.privileges("user:ann", names[2]) == [])
            #expect(try fixture.privileges("user:ann", names[1]).contains("read"))
        }
    }
}
