import Events
import Foundation
import Histories
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Invalid lines: the error names the line, and the store contains nothing of it")
struct BrokenBytesTests {
    /// Invalid values, and a word of the error message.
    private static let values: [(bytes: [UInt8], word: String)] = [
        ([0x22, 0xFF, 0x22], "not UTF-8"), ([0x22, 0xED, 0xA0, 0x80, 0x22], "not UTF-8"), ([0x22, 0xC0, 0xAF, 0x22], "not UTF-8"),
        ([0x22, 0x00, 0x22], "control character"), ([0x22, 0x1B, 0x22], "control character"),
        (Array(#""\ud800""#.utf8), "surrogate"), (Array(#"{"a":1,"a":2}"#.utf8), "`a` appears twice"),
        (Array("[1,]".utf8), "expected a value, but found"),
        (Array("NaN".utf8), "expected a value, but found"), (Array("01".utf8), "begins with a 0"),
        ([UInt8](repeating: UInt8(ascii: "["), count: 100_000), "1024 levels"),
    ]

    private func line(_ value: [UInt8], isHistory: Bool) -> [UInt8] {
        let head = isHistory ? #"{"actor":"user:root","time":"2026-01-02T00:00:00Z","changes":["# : #"{"as":"user:root","do":["#
        return Array((head + #"{"op":"createObject","object":"doc:1","value":"#).utf8) + value + Array("}]}\n".utf8)
    }

    @Test("E9: a history with an invalid line imports the lines before it, and nothing of that line", arguments: values)
    func history(value: [UInt8], word: String) throws {
        try withTemporaryFolder { folder in
            let file = HistoryFile(in: folder)
            let sound = #"{"actor":"user:root","time":"2026-01-01T00:00:00Z","changes":[{"op":"defineClass","class":"doc"}]}"#
            let text = Array("{\"format\":\"permission-history/1\"}\n\(sound)\n".utf8) + line(value, isHistory: true)
            try Data(text).write(to: URL(filePath: file.path))
            let error = #expect(throws: FormatError.self) { try file.load() }
            #expect(error?.line == 3)
            #expect(error?.problem.contains(word) == true, "\(error?.problem ?? "")")
            #expect(error?.description.utf8.count ?? 0 < 1024)
            try file.withStore { (store) throws in
                #expect(try store.head.revision.rawValue == 1)
                // A line that cannot be parsed is not recorded as a refused command.
                #expect(try store.refusalCount == 0)
            }
        }
    }

    @Test("An invalid line in a scenario gives the same error", arguments: values)
    func scenario(value: [UInt8], word: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file.jsonl"
            try Data(Array("{\"format\":\"scenario/1\"}\n".utf8) + line(value, isHistory: false)).write(to: URL(filePath: path))
            let error = #expect(throws: FormatError.self) { try ScenarioRunner().run(file: path) }
            #expect(error?.line == 2)
            #expect(error?.problem.contains(word) == true, "\(error?.problem ?? "")")
        }
    }

    /// Names with control characters in JSON escapes.
    @Test(
        "E9: a control character in a name is valid JSON, but the store refuses it",
        arguments: [#"\u0000"#, #"\u001b"#, #"\n"#, #"\u007f"#, #"\u0085"#])
    func controlCharacters(escape: String) throws {
        let text = """
            {"format":"scenario/1","store":"open"}
            {"as":"user:root","do":[{"op":"createRole","role":"a\(escape)b"}],"expect":{"refused":"malformed","change":0}}
            {"as":"user:root","do":[{"op":"register","principal":"user:\(escape)"}],"expect":{"refused":"malformed"}}
            {"as":"user:\(escape)","do":[{"op":"createRole","role":"c"}],"expect":{"refused":"malformed"}}
            {"ask":"members","role":"c","answer":[]}
            """
        #expect(try ScenarioRunner().run(text: text, named: "s.jsonl").description == "4 passed, 0 failed")
    }

    @Test("E9: a value of 20 MB is refused, and the error message stays short")
    func largeLine() throws {
        try withTemporaryFolder { folder in
            let file = HistoryFile(in: folder)
            let value = "\"" + String(repeating: "x", count: 20 << 20) + "\""
            try file.write([
                #"{"format":"permission-history/1"}"#,
                #"{"actor":"user:root","time":"2026-01-01T00:00:00Z","changes":[{"op":"defineClass","class":"doc"}]}"#,
                String(String(decoding: line(Array(value.utf8), isHistory: true), as: UTF8.self).dropLast()),
            ])
            let error = #expect(throws: ImportError.self) { try file.load() }
            #expect(error?.description.contains("tooLarge") == true)
            #expect(error?.description.utf8.count ?? 0 < 1024)
            try file.withStore { (store) throws in
                #expect(try store.head.revision.rawValue == 1)
                var refusals: [String] = []
                try store.refusals { refusal, _ in
                    refusals.append("\(refusal.caller) \(refusal.code) \(refusal.origin.importLine ?? 0)")
                }
                #expect(refusals == ["user:root tooLarge 3"])
            }
        }
    }
}
