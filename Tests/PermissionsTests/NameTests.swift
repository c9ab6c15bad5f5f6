import Events
import Permissions
import Testing

@Suite("The format of names")
struct NameTests {
    typealias Form = (text: String, kind: NameKind?, className: String, id: String?)

    private static let forms: [Form] = [
        ("user:ann", .caller, "user", "ann"), ("thing:lamp", .caller, "thing", "lamp"), ("role:r", .role, "role", "r"),
        ("permission:p", .permission, "permission", "p"), ("class:doc", .class, "class", "doc"),
        ("doc:1", .object, "doc", "1"), ("doc:a:b", .object, "doc", "a:b"), ("doc::", .object, "doc", ":"),
        ("store", .store, "store", nil), ("everyone", .everyone, "everyone", nil), ("anonymous", .anonymous, "anonymous", nil),
        ("role:role:r", .role, "role", "role:r"), ("User:ann", .object, "User", "ann"),
        ("\u{E9}:\u{E9}", .object, "\u{E9}", "\u{E9}"), ("doc: ", .object, "doc", " "),
        // A combining mark after a colon combines with it on the screen, but not in the bytes.
        ("user:\u{301}", .caller, "user", "\u{301}"), ("role:\u{301}", .role, "role", "\u{301}"),
        ("thing:\u{301}", .caller, "thing", "\u{301}"), ("class:\u{301}", .class, "class", "\u{301}"),
        ("permission:\u{301}", .permission, "permission", "\u{301}"), ("store:\u{301}", nil, "store", "\u{301}"),
        ("user", nil, "user", nil), ("doc", nil, "doc", nil), ("", nil, "", nil), ("store:1", nil, "store", "1"),
    ]

    @Test("Names that look alike and differ in their bytes have different hashes")
    func hashes() {
        // Two marks above and below: every order of them is the same text to Swift.
        let names = (0..<256).map { number in
            Name("doc:e" + (0..<8).map { number >> $0 & 1 == 0 ? "\u{301}\u{323}" : "\u{323}\u{301}" }.joined())
        }
        #expect(Set(names).count == names.count)
        #expect(Set(names.map(\.hashValue)).count == names.count)
        #expect(Name("doc:1").hashValue == Name("doc:" + "1").hashValue)
    }

    @Test("The kind of a name is the text before its first colon", arguments: forms)
    func kinds(form: Form) {
        let name = Name(form.text)
        #expect(name.kind == form.kind)
        #expect(name.className == form.className)
        #expect(name.id.map { Array($0.utf8) } == form.id.map { Array($0.utf8) })
        #expect(name.isWellFormed == (form.kind != nil))
    }

    private static let problems: [(text: String, code: Refusal.Code?)] = [
        ("doc:1", nil), ("a:b", nil), (":b", .malformed), (":", .malformed), ("doc:", .malformed), ("doc", .malformed),
        ("", .malformed), ("doc:\u{0}", .malformed), ("d\noc:1", .malformed), ("doc:\u{7F}", .malformed),
        ("doc:\u{80}", .malformed), ("doc:\u{9F}", .malformed), ("doc:\u{A0}", nil), ("doc:\u{2028}", nil),
        ("doc:" + String(repeating: "x", count: 512), nil), ("doc:" + String(repeating: "x", count: 513), .tooLarge),
        ("doc:" + String(repeating: "\u{E9}", count: 256), nil), ("doc:" + String(repeating: "\u{E9}", count: 257), .tooLarge),
        (String(repeating: "c", count: 128) + ":1", nil), (String(repeating: "c", count: 129) + ":1", .tooLarge),
    ]

    @Test("An ill-formed name gives an error with the reason", arguments: problems)
    func wellFormed(text: String, code: Refusal.Code?) {
        #expect(Name(text).problem?.code == code)
        #expect(Name(text).isWellFormed == (code == nil))
    }

    /// U+FDD0, which no literal can have.
    private static let noncharacter = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)

    private static let unseen: [(text: String, isNew: Bool)] = [
        ("doc:1", true), ("doc:caf\u{E9}", true), ("doc:e\u{301}", true), ("doc:\u{6F22}\u{1F600}", true), ("doc:my plan", true),
        // Bidirectional controls.
        ("doc:\u{61C}", false), ("doc:\u{200E}", false), ("doc:\u{200F}", false), ("doc:a\u{202A}", false),
        ("doc:a\u{202E}cod", false), ("doc:\u{2066}a", false), ("doc:a\u{2069}", false),
        // Characters without a width, a shape or a meaning.
        ("doc:a\u{200B}", false), ("doc:a\u{200C}b", false), ("doc:a\u{200D}b", false), ("doc:\u{2060}", false),
        ("doc:\u{FEFF}a", false), ("doc:a\u{AD}b", false), ("doc:\u{34F}", false), ("doc:\u{3164}", false),
        ("doc:\u{FE0F}", false), ("doc:\u{E0041}", false), ("doc:\u{FFF9}", false),
        // Separators of lines, in the class too.
        ("doc:\u{2028}", false), ("doc:\u{2029}", false), ("d\u{200B}oc:1", false),
        // Blank or without a shape: Braille, noncharacters, unassigned and private-use characters, object replacement, formats.
        ("doc:a\u{2800}b", false), ("doc:\u{FFFE}", false), ("doc:" + noncharacter, false),
        ("doc:\u{378}", false), ("doc:\u{E000}", false), ("doc:\u{F0000}", false), ("doc:\u{FFFC}", false),
        ("doc:\u{600}1", false), ("doc:\u{13430}", false), ("doc:\u{110BD}", false), ("doc:\u{1BCA0}", false),
    ]

    private static let misleading = [
        " doc:a", "doc :a", "doc: a", "doc:a ", "doc:a\u{A0}", "doc:\u{2003}a", "doc:a\u{3000}", "\u{A0}doc:a", "doc:\u{A0}",
        "sign ", "doc:e" + String(repeating: "\u{301}", count: 9), "doc:e" + String(repeating: "\u{20DD}", count: 9),
    ]

    @Test("A new name must not have blanks at an end of a part, or many marks on a character", arguments: misleading)
    func misleadingNames(text: String) {
        #expect(Name.problem(asNew: text)?.code == .malformed)
        #expect(Name("doc:x").problem == nil && (Name(text).kind == nil || Name(text).isWellFormed))
    }

    @Test(
        "A new name may have blanks inside, and the marks that a script needs",
        arguments: [
            "doc:my plan", "doc:my\u{A0}plan", "doc:a: b", "my doc:a", "doc:e" + String(repeating: "\u{301}", count: 8),
            "doc:\u{E01}\u{E33}\u{E49}", "doc:\u{5E9}\u{5C1}\u{5B8}\u{591}", "doc:\u{6F22}\u{1F600}", "sign",
        ])
    func seenNames(text: String) { #expect(Name.problem(asNew: text) == nil) }

    @Test("Blanks are written as escapes if names differ only in them")
    func blanks() {
        #expect("doc:a b\u{A0}\u{2800}".showingBlanks == "doc:a\\u{20}b\\u{a0}\\u{2800}")
        #expect("doc:a b\u{A0}".escapingInvisible() == "doc:a b\u{A0}")
    }

    @Test("An old name with an invisible character is well-formed, but a new name cannot have one", arguments: unseen)
    func unseenCharacters(text: String, isNew: Bool) {
        #expect(Name(text).isWellFormed)
        #expect((Name(text).problemAsNew == nil) == isNew)
        #expect(Name(text).problemAsNew?.code == (isNew ? nil : .malformed))
        #expect(Name(text).problemAsNew?.message.unicodeScalars.allSatisfy { !$0.isInvisible } != false)
        #expect((text.escapingInvisible() == text) == isNew)
    }

    @Test("A message about a name is short and has no control characters in it")
    func messages() {
        let problem = Name("doc:" + String(repeating: "\u{1B}[31m", count: 200)).problem
        #expect((problem?.message.count ?? 0) < 300)
        #expect(problem?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    }

    @Test("A role and a permission may be named with or without their class")
    func shortForms() {
        #expect(Name.role("r") == "role:r")
        #expect(Name.role("role:r") == "role:r")
        #expect(Name.role("role:\u{301}") == "role:\u{301}")
        #expect(Name.permission("p") == "permission:p")
        #expect(Name.permission("permission:p") == "permission:p")
        #expect(Name.class("doc") == "class:doc")
    }

    @Test("Names are compared and ordered by their bytes")
    func bytes() {
        #expect(Name("doc:\u{E9}") != Name("doc:e\u{301}"))
        #expect(Set<Name>(["doc:\u{E9}", "doc:e\u{301}", "doc:\u{E9}"]).count == 2)
        #expect(Name("doc:\u{FFFD}") < Name("doc:\u{1D11E}"))
        #expect(Name("doc:Z") < Name("doc:a"))
    }

    @Test("The names of custom privileges are equal by their bytes")
    func privilegeNames() {
        var names = PrivilegeNames(custom: ["\u{E9}"])
        #expect(names.privilege("\u{E9}") == .custom(0))
        #expect(names.privilege("e\u{301}") == nil)
        #expect(names.define("e\u{301}") == .custom(1))
    }
}
