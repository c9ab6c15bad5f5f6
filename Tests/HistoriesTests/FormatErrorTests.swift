import Foundation
import Histories
import TestSupport
import Testing

@Suite("A format error names the file, the line and the key")
struct FormatErrorTests {
    /// Lines after a header, with an error in the last line, and the key that causes the error.
    struct Fault: CustomTestStringConvertible {
        let key: String?
        let lines: [String]

        init(_ key: String?, _ lines: String...) {
            self.key = key
            self.lines = lines
        }

        var testDescription: String { "\(key ?? "the line"): \(lines.last ?? "")" }
    }

    private static let scenarioFaults: [Fault] = [
        Fault(nil, "nonsense"), Fault(nil, "[1]"), Fault(nil, #"{"as":"user:a","do":[]"#), Fault(nil, #"{"as":"user:a"}"#),
        Fault(nil, #"{}"#), Fault(nil, #"{"time":"2026-01-01T00:00:00Z","actor":"user:a"}"#),
        Fault("format", #"{"format":"scenario/1"}"#),
        Fault("extra", #"{"as":"user:a","do":[],"extra":1}"#), Fault("as", #"{"do":[]}"#), Fault("as", #"{"as":1,"do":[]}"#),
        Fault("as", #"{"as":null,"do":[]}"#), Fault("do", #"{"as":"user:a","do":{}}"#),
        Fault("do[0].op", #"{"as":"user:a","do":[{"op":"fly"}]}"#), Fault("do[0].op", #"{"as":"user:a","do":[{}]}"#),
        Fault("do[1].object", #"{"as":"user:a","do":[{"op":"deleteObject","object":"doc:1"},{"op":"deleteObject"}]}"#),
        Fault("do[0].objekt", #"{"as":"user:a","do":[{"op":"deleteObject","object":"doc:1","objekt":1}]}"#),
        Fault("do[0].strict", #"{"as":"user:a","do":[{"op":"createRole","role":"r","strict":true}]}"#),
        Fault(
            "do[0].privileges", #"{"as":"user:a","do":[{"op":"grant","subject":"user:a","object":"doc:1","privileges":"read"}]}"#),
        Fault("do[0].privileges", #"{"as":"user:a","do":[{"op":"grant","subject":"user:a","object":"doc:1"}]}"#),
        Fault(
            "do[0].until",
            #"{"as":"user:a","do":[{"op":"grant","subject":"user:a","object":"doc:1","privileges":[],"until":"tomorrow"}]}"#),
        Fault("do[0].level", #"{"as":"user:a","do":[{"op":"grant","subject":"user:a","object":"doc:1","level":"read"}]}"#),
        Fault("do[0].value", #"{"as":"user:a","do":[{"op":"writeObject","object":"doc:1"}]}"#),
        Fault("do[0].merge", #"{"as":"user:a","do":[{"op":"writeObject","object":"doc:1","value":1,"merge":1}]}"#),
        Fault(
            "do[0].expectRevision", #"{"as":"user:a","do":[{"op":"writeObject","object":"doc:1","value":1,"expectRevision":1.5}]}"#),
        Fault(
            "do[0].expectRevision", #"{"as":"user:a","do":[{"op":"writeObject","object":"doc:1","value":1,"expectRevision":-1}]}"#),
        Fault("do[0].parent", #"{"as":"user:a","do":[{"op":"moveObject","object":"doc:1"}]}"#),
        Fault("do[0].objectACL", #"{"as":"user:a","do":[{"op":"defineClass","class":"doc","objectACL":"some"}]}"#),
        Fault("do[0].inherits", #"{"as":"user:a","do":[{"op":"defineClass","class":"doc","inherits":"all"}]}"#),
        Fault("do[0].creatorPermanent", #"{"as":"user:a","do":[{"op":"defineClass","class":"doc","creatorPermanent":"yes"}]}"#),
        Fault("time", #"{"as":"user:a","time":"2026-13-01T00:00:00Z","do":[]}"#),
        Fault("time", #"{"as":"user:a","time":"2025-12-31T00:00:00Z","do":[]}"#),
        Fault("mode", #"{"as":"user:a","mode":"some","do":[]}"#), Fault("expect", #"{"as":"user:a","do":[],"expect":"fine"}"#),
        Fault("expect", #"{"as":"user:a","do":[],"expect":{"refused":"because"}}"#),
        Fault("expect", #"{"as":"user:a","do":[],"expect":{"refused":"conflict","why":1}}"#),
        Fault("expect", #"{"as":"user:a","do":[],"expect":{"change":1}}"#),
        Fault("expect", #"{"as":"user:a","mode":"each","do":[],"expect":"ok"}"#),
        Fault("ask", #"{"ask":"why","answer":1}"#), Fault("answer", #"{"ask":"entries","object":"doc:1"}"#),
        Fault("subject", #"{"ask":"check","object":"doc:1","privilege":"read","answer":true}"#),
        Fault("privilege", #"{"ask":"check","subject":"user:a","object":"doc:1","answer":true}"#),
        Fault("level", #"{"ask":"check","subject":"user:a","object":"doc:1","level":"read","answer":true}"#),
        Fault("whom", #"{"ask":"entries","object":"doc:1","whom":1,"answer":[]}"#),
        Fault("where", #"{"ask":"list","as":"user:a","class":"doc","where":[],"answer":[]}"#),
        Fault("at", #"{"ask":"entries","object":"doc:1","at":true,"answer":[]}"#),
        Fault("at", #"{"ask":"entries","object":"doc:1","at":1,"answer":[]}"#),
        Fault("at", #"{"ask":"entries","object":"doc:1","at":"then","answer":[]}"#),
        Fault("at", #"{"mark":"then "}"#, #"{"ask":"entries","object":"doc:1","at":"then","answer":[]}"#),
        Fault(nil, #"{"ask":"entries","object":"nonsense","answer":[]}"#),
        Fault("mark", #"{"mark":1}"#), Fault("more", #"{"mark":"a","more":1}"#), Fault("clock", #"{"clock":"noon"}"#),
        Fault("clock", #"{"clock":"2026-02-01T00:00:00Z"}"#, #"{"clock":"2026-01-31T00:00:00Z"}"#),
    ]

    @Test("A malformed scenario throws an error with line and key", arguments: scenarioFaults)
    func scenario(fault: Fault) throws {
        // Comments and blank lines count as lines.
        let text = (["# a comment", "", #"{"format":"scenario/1"}"#] + fault.lines).joined(separator: "\n")
        let error = #expect(throws: FormatError.self) { try ScenarioRunner().run(text: text, named: "file.jsonl") }
        #expect(error?.file == "file.jsonl")
        #expect(error?.line == 3 + fault.lines.count)
        #expect(error?.key == fault.key)
        #expect(error?.description.hasPrefix("file.jsonl:\(3 + fault.lines.count): ") == true)
        #expect(error?.remedy.isEmpty == false)
    }

    private static let headers: [(header: String, key: String?)] = [
        (#"{"format":"scenario/2"}"#, "format"), (#"{"format":"permission-history/1"}"#, "format"), (#"{"format":1}"#, "format"),
        (#"{"mark":"a"}"#, "format"), (#"{"title":"x"}"#, nil), (#"{"format":"scenario/1","store":"ajar"}"#, "store"),
        (#"{"format":"scenario/1","levels":{"read":"read"}}"#, "levels.read"), (#"{"format":"scenario/1","levels":[]}"#, "levels"),
        (#"{"format":"scenario/1","authors":"x"}"#, "authors"), (#"{"format":"scenario/1","administrator":1}"#, "administrator"),
    ]

    @Test("A malformed header, or one of another format, throws an error with line and key", arguments: headers)
    func header(header: String, key: String?) {
        let error = #expect(throws: FormatError.self) { try ScenarioRunner().run(text: header, named: "file.jsonl") }
        #expect(error?.line == 1)
        #expect(error?.key == key)
    }

    private static let historyFaults: [Fault] = [
        Fault("actor", #"{"time":"2026-01-01T00:00:00Z","changes":[]}"#), Fault("time", #"{"actor":"user:a","changes":[]}"#),
        Fault("time", #"{"time":"x","actor":"user:a","changes":[]}"#),
        Fault("expect", #"{"time":"2026-01-01T00:00:00Z","actor":"user:a","changes":[],"expect":"ok"}"#),
        Fault(nil, #"{"ask":"entries","object":"doc:1"}"#), Fault(nil, #"{"mark":"a"}"#),
        Fault(
            "time", #"{"time":"2026-01-02T00:00:00Z","actor":"user:a","changes":[{"op":"createRole","role":"r"}]}"#,
            #"{"time":"2026-01-01T00:00:00Z","actor":"user:a","changes":[]}"#),
        Fault(
            "changes[1].op",
            #"{"time":"2026-01-01T00:00:00Z","actor":"user:a","changes":[{"op":"createRole","role":"r"},{"op":"oops"}]}"#),
    ]

    @Test("A malformed history throws an error with line and key", arguments: historyFaults)
    func history(fault: Fault) throws {
        try withTemporaryFolder { folder in
            let file = HistoryFile(in: folder)
            try file.write([#"{"format":"permission-history/1"}"#, "# a comment"] + fault.lines)
            let error = #expect(throws: FormatError.self) { try file.load() }
            #expect(error?.file == file.path)
            #expect(error?.line == 2 + fault.lines.count)
            #expect(error?.key == fault.key)
        }
    }

    @Test("A missing or empty file gives a clear error")
    func noFile() throws {
        try withTemporaryFolder { folder in
            #expect(complaint { try HistoryFile(in: folder).load() }.contains("history.jsonl` cannot be read"))
            #expect(throws: UnreadableFileError.self) { try ScenarioRunner().run(file: folder + "/none.jsonl") }
            try HistoryFile(in: folder).write(["# nothing"])
            let error = #expect(throws: FormatError.self) { try HistoryFile(in: folder).load() }
            #expect(error?.key == "format")
        }
    }
}
