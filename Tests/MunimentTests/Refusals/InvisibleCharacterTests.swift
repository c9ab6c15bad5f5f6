import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Names with invisible characters")
struct InvisibleCharacterTests {
    private static let unseen =
        ["\u{202E}", "\u{2066}", "\u{200B}", "\u{200D}", "\u{FEFF}", "\u{2028}", "\u{2029}", "\u{61C}"] + shapeless

    private static let shapeless = ["\u{2800}", "\u{FFFE}", "\u{378}", "\u{E000}", "\u{FFFC}", "\u{600}"]

    @Test("are refused for every new name, and nothing is written", arguments: unseen)
    func newNames(character: String) throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"))
            let head = try fixture.store.head
            let changes: [Change] = [
                .createObject(Name("doc:a\(character)")), .register(Name("user:ann\(character)")),
                .register(Name("thing:\(character)a")), .createRole(Name("role:a\(character)b")),
                .defineClass("c\(character)"), .definePermission(Name("permission:p\(character)"), subject: "user:ann", ["read"]),
                .changeClass("doc", ClassSettings(privileges: ["sign\(character)"])),
            ]
            for change in changes {
                #expect(try fixture.refusal(change)?.code == .malformed, "\(change)")
                #expect(try fixture.refusal(change)?.message.unicodeScalars.contains { $0.isInvisible } == false)
            }
            for caller in [Name("user:ann\(character)"), Name("thing:\(character)a"), "user:ann ", "thing: a"] {
                #expect(try fixture.refusal(.createObject("doc:a"), as: caller)?.code == .malformed)
            }
            #expect(try fixture.store.head == head)
        }
        try withTemporaryFolder { folder in
            _ = #expect(throws: Refusal.self) {
                try Store.create(at: folder + "/store", administrator: Name("user:root\(character)"))
            }
        }
    }

    @Test(
        "that a store already has can be queried, granted, changed, deleted, and recreated",
        arguments: unseen)
    func oldNames(character: String) throws {
        try withStore(.open) { (fixture) throws in
            let (user, doc) = (Name("user:a\(character)"), Name("doc:a\(character)"))
            // Creates the names as an earlier version did: an import accepts the names of its history.
            let history = Transaction(
                "user:root", [.defineClass("doc"), .register(user), .createObject(doc, value: .integer(1))], authority: .importer)
            _ = try fixture.store.commit(history)
            try fixture.commit(.grant(user, on: doc, ["read"]))
            for _ in 0..<2 {
                #expect(try fixture.may(user, "read", doc))
                #expect(try fixture.store.read { try $0.list(class: "doc", as: "user:root") } == [doc.text])
                try fixture.reopenWithoutIndex()
            }
            try fixture.commit(.deleteObject(doc))
            try fixture.commit(.createObject(doc))
            #expect(try fixture.store.read { try $0.exists(doc) })
        }
    }

    @Test("that look alike and are in use are listed together; deleted ones are omitted")
    func confusableNames() throws {
        try withStore(.open) { (fixture) throws in
            let cyrillic = Name("doc:pl\u{430}n")
            try fixture.commit(
                .defineClass("doc"), .register("user:bob"), .register("user:B0b"), .register("user:ann"), .createObject("doc:plan"),
                .createObject(cyrillic), .createObject("doc:PLAN"), .createObject("doc:plans"), .createObject("doc:caf\u{E9}"),
                .createObject("doc:cafe\u{301}"), .createObject("doc:cafe"))
            _ = try fixture.store.commit(
                Transaction("user:root", [.createObject(Name("doc:plan\u{200B}"))], authority: .importer))
            let plans: [Name] = ["doc:PLAN", "doc:plan", Name("doc:plan\u{200B}"), cyrillic]
            let others: [[Name]] = [["doc:cafe\u{301}", "doc:caf\u{E9}"], ["user:B0b", "user:bob"]]
            #expect(try fixture.store.read { try $0.confusableNames() } == [plans] + others)
            try fixture.commit(.deleteObject("doc:PLAN"), .deleteObject(cyrillic), .deleteObject(Name("doc:plan\u{200B}")))
            #expect(try fixture.store.read { try $0.confusableNames() } == others)
        }
    }

    @Test(
        "with blanks at an end of a part are refused if they are new, but accepted by an import",
        arguments: ["doc:a ", "doc:\u{3000}a"])
    func blankEnds(text: String) throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(.defineClass("doc"))
            #expect(try fixture.refusal(.createObject(Name(text)))?.code == .malformed)
            _ = try fixture.store.commit(Transaction("user:root", [.createObject(Name(text))], authority: .importer))
            try fixture.commit(.writeObject(Name(text), .value(.integer(1))), .deleteObject(Name(text)))
            try fixture.commit(.createObject(Name(text)))
            #expect(try fixture.store.read { try $0.exists(Name(text)) })
        }
    }

    @Test("that differ only in blanks are listed together")
    func blankLookAlikes() throws {
        try withStore(.open) { (fixture) throws in
            let gold = ["doc: gold", "doc:gold", "doc:gold ", "doc:gold\u{A0}", "doc:gold\u{2800}", "doc:gold\u{3164}"].map {
                Name($0)
            }
            let plans = ["doc:my  plan", "doc:my plan", "doc:my\u{A0}plan", "doc:my\u{2800}plan"].map { Name($0) }
            let changes = [.defineClass("doc"), .createObject("doc:myplan")] + (gold + plans).map { Change.createObject($0) }
            _ = try fixture.store.commit(Transaction("user:root", changes, authority: .importer))
            #expect(try fixture.store.read { try $0.confusableNames() } == [gold.sorted(), plans.sorted()])
        }
    }
}
