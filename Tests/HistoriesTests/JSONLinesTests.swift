import Events
import Histories
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("A JSON line that would lose data throws an error with a byte offset")
struct JSONLinesTests {
    /// Invalid values, the error message, and the offset of the error from the start of the value.
    static let faults: [(value: String, says: String, offset: Int)] = [
        (#"{"a":1,"a":2}"#, "the name `a` appears twice in one object", 7),
        (#"[{"é":1,"\u00e9":2}]"#, "the name `é` appears twice in one object", 9),
        ("9223372036854775808", "the number `9223372036854775808` does not fit 64 bits", 0),
        ("[1,18446744073709551616]", "the number `18446744073709551616` does not fit 64 bits", 3),
        ("1e400", "the number `1e400` is beyond the range", 0), (#""\ud800""#, "`\\ud800` is half of a surrogate pair", 1),
        ("\"a\u{1}\"", "a string contains an unescaped control character", 2), ("[1,]", "expected a value, but found `]`", 3),
        (String(repeating: "[", count: 100_000), "nest more than \(Limits.jsonDepth) levels deep", Limits.jsonDepth - 3),
    ]

    @Test("The error of an invalid value names the byte in the line and the problem", arguments: faults)
    func values(value: String, says: String, offset: Int) {
        let beginning = #"{"as":"user:a","do":[{"op":"writeObject","object":"doc:1","value":"#
        for indent in ["", " \t "] {
            let line = indent + beginning + value + "}]}"
            let error = #expect(throws: FormatError.self) {
                try ScenarioRunner().run(text: #"{"format":"scenario/1"}"# + "\n" + line, named: "file.jsonl")
            }
            let byte = indent.utf8.count + beginning.utf8.count + offset
            #expect(error?.line == 2)
            #expect(error?.key == nil)
            #expect(error?.description.hasPrefix("file.jsonl:2: the line cannot be read, at byte \(byte): ") == true)
            #expect(error?.problem.contains(says) == true, "\(error?.description ?? "")")
        }
    }

    @Test("A repeated key throws an error on every kind of line")
    func keys() {
        for line in [
            #"{"as":"user:a","as":"user:b","do":[]}"#, #"{"as":"user:a","do":[{"op":"createRole","role":"a","role":"b"}]}"#,
            #"{"ask":"members","role":"a","role":"b","answer":[]}"#, #"{"mark":"a","mark":"b"}"#,
        ] {
            let error = #expect(throws: FormatError.self) {
                try ScenarioRunner().run(text: #"{"format":"scenario/1"}"# + "\n" + line, named: "file.jsonl")
            }
            #expect(error?.problem.contains("appears twice") == true)
        }
        #expect(throws: FormatError.self) {
            try ScenarioRunner().run(text: #"{"format":"scenario/1","title":"a","title":"b"}"#, named: "file.jsonl")
        }
        #expect(throws: FormatError.self) {
            try ScenarioRunner().run(text: #"{"format":"scenario/1","levels":{"a":[],"a":["read"]}}"#, named: "file.jsonl")
        }
    }

    @Test("A value within the reader's nesting limit is passed to the store, which refuses it as tooLarge")
    func depth() throws {
        for depth in [65, 100, 511, 512, 513, 1000] {
            let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let result = try ScenarioRunner().run(
                text: #"{"format":"scenario/1","store":"open"}"#
                    + "\n" + #"{"as":"user:a","do":[{"op":"defineClass","class":"doc"},{"op":"createObject","object":"doc:1"}]}"#
                    + "\n"
                    + #"{"as":"user:a","do":[{"op":"writeObject","object":"doc:1","value":\#(value)}],"expect":{"refused":"tooLarge"}}"#,
                named: "file.jsonl")
            #expect(result.failures.isEmpty, "\(depth)")
        }
    }

    @Test("Levels with canonically equivalent names are two levels, in a header, in its store and in questions")
    func levels() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        try withTemporaryFolder { folder in
            let file = HistoryFile(in: folder)
            try file.write([
                #"{"format":"permission-history/1","levels":{"\#(one)":["read"],"\#(two)":["read","update"]}}"#,
                #"{"time":"2026-01-01T00:00:00Z","actor":"user:a","changes":[{"op":"createObject","object":"doc:1"},"#
                    + #"{"op":"grant","subject":"user:b","object":"doc:1","level":"\#(one)"},"#
                    + #"{"op":"grant","subject":"user:c","object":"doc:1","level":"\#(two)"}]}"#,
            ])
            try file.load()
            try file.withStore { (store) throws in
                #expect(try (store.levels ?? []).map { Array($0.name.utf8) } == [Array(one.utf8), Array(two.utf8)])
                try store.read { (snapshot) throws in
                    #expect(try snapshot.privileges(of: "user:b", on: "doc:1") == ["read"])
                    #expect(try snapshot.privileges(of: "user:c", on: "doc:1") == ["read", "update"])
                }
            }
        }
    }
}
