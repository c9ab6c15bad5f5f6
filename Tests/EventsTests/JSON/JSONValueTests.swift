import Events
import Testing

private func json(_ text: String) throws -> JSONValue { try JSONText.decode(Array(text.utf8)) }

@Suite("JSON values")
struct JSONValueTests {
    /// The appendix of RFC 7396: original, patch, result.
    static let merges: [(original: String, patch: String, result: String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, #"null"#, #"null"#),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test("A merge gives the results in the appendix of RFC 7396", arguments: merges)
    func merging(original: String, patch: String, result: String) throws {
        #expect(try json(original).merging(json(patch)) == json(result))
    }

    static let values: [(value: String, links: [String], depth: Int)] = [
        (#"null"#, [], 0),
        (#""doc:1""#, [], 0),
        (#"{"$ref":"doc:1"}"#, ["doc:1"], 1),
        (#"[{"$ref":"doc:2"},{"$ref":"doc:1"},{"$ref":"doc:2"}]"#, ["doc:1", "doc:2"], 2),
        (#"{"a":[{"b":{"$ref":"doc:a:b","c":{"$ref":"role:x"}}}]}"#, ["doc:a:b", "role:x"], 5),
        (#"{"$ref":1}"#, [], 1),
        (#"{"$ref":["doc:1"]}"#, [], 2),
        (#"{"$ref":{"$ref":"doc:1"}}"#, ["doc:1"], 2),
        (#"{"ref":"doc:1","$REF":"doc:2"}"#, [], 1),
        (
            #"[{"$ref":"doc:\#u{1D11E}"},{"$ref":"doc:\#u{FFFD}"},{"$ref":"doc:Z"},{"$ref":"doc:a"}]"#,
            ["doc:Z", "doc:a", "doc:\u{FFFD}", "doc:\u{1D11E}"], 2
        ),
        (#"[[[]]]"#, [], 3),
        (#"{}"#, [], 1),
    ]

    @Test("R12: links are found anywhere in a value, and the nesting depth is counted", arguments: values)
    func linksAndDepth(value: String, links: [String], depth: Int) throws {
        var found: Set<Name> = []
        try json(value).forEachLink { found.insert(Name($0)) }
        #expect(found.sorted() == links.map { Name($0) })
        #expect(try json(value).depth == depth)
    }

    static let equalities: [(left: String, right: String, areEqual: Bool)] = [
        ("1", "1", true), ("1", "1.0", true), ("1", "1.5", false), ("0.0", "-0.0", true), ("1", "true", false),
        ("0", "false", false), ("0", "null", false), ("\"1\"", "1", false), ("null", "null", true), ("null", "{}", false),
        ("[1,2]", "[1,2]", true), ("[1,2]", "[2,1]", false), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1.0}"#, true),
        (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
        ("9007199254740993", "9007199254740992", false), ("9223372036854775807", "9223372036854775807", true),
        (#""\u00e9""#, #""e\u0301""#, false),
    ]

    @Test("Equality compares numbers by value, texts by bytes, and members in any order", arguments: equalities)
    func equality(left: String, right: String, areEqual: Bool) throws {
        let (left, right) = (try json(left), try json(right))
        #expect((left == right) == areEqual)
        if areEqual { #expect(left.hashValue == right.hashValue) }
    }

    @Test(
        "A value reads back equal from its text",
        arguments: [
            "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "2.5", "1e300", #""""#,
            #""a\"b\u0000""#,
            "[]", "{}", #"[null,true,[1,{"a":[]}]]"#, #"{"":{"$ref":"doc:1"},"é":"\ud834\udd1e"}"#,
        ])
    func roundTrip(text: String) throws {
        let value = try json(text)
        #expect(try JSONText.decode(JSONText.encode(value)) == value)
    }

    @Test("A member is found only in an object")
    func members() throws {
        #expect(try json(#"{"a":1}"#)["a"] == .integer(1))
        #expect(try json(#"{"a":1}"#)["b"] == nil)
        #expect(try json("[1]")["a"] == nil)
    }

    /// An `é` in one code point and in two.
    static let (one, two) = ("\u{E9}", "e\u{301}")

    @Test("A merge treats names as the same only if their bytes are equal, at any depth")
    func mergeOfLookalikes() throws {
        let (one, two) = (Self.one, Self.two)
        let value = try json(#"{"\#(one)":1,"in":{"\#(one)":1}}"#)
        let both = try json(#"{"\#(one)":1,"\#(two)":2,"in":{"\#(one)":1,"\#(two)":2}}"#)
        #expect(try value.merging(json(#"{"\#(two)":2,"in":{"\#(two)":2}}"#)) == both)
        #expect(try both.merging(json(#"{"\#(two)":null,"in":{"\#(two)":null}}"#)) == value)
        #expect(try value.merging(json(#"{"\#(two)":null,"in":{"\#(two)":null}}"#)) == value)
        #expect(try both[one] == json("1"))
        #expect(try both[two] == json("2"))
        #expect(try json(#"{"\#(one)":1}"#) != json(#"{"\#(two)":1}"#))
    }
}
