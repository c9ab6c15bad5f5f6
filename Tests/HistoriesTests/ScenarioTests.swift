import Foundation
import Histories
import TestSupport
import Testing

@Suite("Scenarios")
struct ScenarioTests {
    private static let folder = TestSettings.package + "/Tests/Scenarios"

    static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    @Test("Every scenario of Tests/Scenarios passes", arguments: files)
    func scenario(name: String) throws {
        let result = try ScenarioRunner().run(file: Self.folder + "/" + name)
        #expect(result.failures.map(\.description) == [])
        #expect(result.passed > 0)
    }

    @Test("The scenario files exist")
    func thereAreScenarios() { #expect(Self.files.count >= 10) }

    @Test("The scenario of Docs/Scenarios.md passes")
    func documentedScenario() throws {
        let lines = try String(contentsOfFile: TestSettings.package + "/Docs/Scenarios.md", encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix(#"    {"format":"scenario/1""#) }.prefix { $0.hasPrefix("    ") }
        let result = try ScenarioRunner().run(text: lines.joined(separator: "\n"), named: "Docs/Scenarios.md")
        #expect(result.failures.map(\.description) == [])
        #expect(result.passed == lines.count - 2, "each line except the header and the mark has an expectation")
    }

    private func run(_ lines: String...) throws -> ScenarioResult {
        try ScenarioRunner().run(text: ([#"{"format":"scenario/1"}"#] + lines).joined(separator: "\n"), named: "s.jsonl")
    }

    @Test("An unmet expectation is a failure with file, line, expectation and outcome; the following lines still run")
    func failures() throws {
        let result = try run(
            #"{"as":"user:root","do":[{"op":"createRole","role":"r"}],"expect":{"refused":"noPrivilege"}}"#,
            #"{"as":"user:ann","do":[{"op":"deleteRole","role":"r"}]}"#,
            #"{"ask":"members","role":"r","answer":["user:ann"]}"#,
            #"{"ask":"members","role":"r","answer":[]}"#)
        #expect(result.description == "1 passed, 3 failed")
        #expect(result.failures.map(\.line) == [2, 3, 4])
        #expect(result.failures.map(\.file) == ["s.jsonl", "s.jsonl", "s.jsonl"])
        #expect(result.failures.first?.description == #"s.jsonl:2: expected {"refused":"noPrivilege"}, got "ok""#)
        #expect(result.failures.map(\.actual) == [#""ok""#, #"{"refused":"noPrivilege"}"#, "[]"])
    }

    @Test("The index of the refused change is compared only if the line gives it")
    func refusedChange() throws {
        func line(_ expectation: String) -> String {
            #"{"as":"user:root","do":[{"op":"createRole","role":"r"},{"op":"deleteRole","role":"q"}],"expect":\#(expectation)}"#
        }
        #expect(try run(line(#"{"refused":"unknownObject"}"#)).failed == 0)
        #expect(try run(line(#"{"refused":"unknownObject","change":1}"#)).failed == 0)
        #expect(try run(line(#"{"refused":"unknownObject","change":0}"#)).failed == 1)
        #expect(try run(line(#"{"refused":"*"}"#)).failed == 0)
        #expect(try run(line(#""ok""#)).failed == 1)
    }

    @Test("A list must have the expected length, and an object the expected members")
    func comparison() throws {
        let entries = [#"{"as":"user:root","do":[{"op":"grant","subject":"everyone","object":"store","privileges":["read"]}]}"#]
        func failed(_ answer: String) throws -> Int {
            try run(entries[0], #"{"ask":"entries","object":"store","answer":\#(answer)}"#).failed
        }
        #expect(try failed(#"[{"subject":"everyone","privileges":["read"]}]"#) == 0)
        #expect(try failed(#"[{"privileges":["*"],"subject":"*"}]"#) == 0)
        #expect(try failed(#"["*"]"#) == 0)
        #expect(try failed(#"[]"#) == 1)
        #expect(try failed(#"["*","*"]"#) == 1)
        #expect(try failed(#"[{"subject":"everyone"}]"#) == 1)
        #expect(try failed(#"[{"subject":"everyone","privileges":["read"],"until":"*"}]"#) == 1)
    }

    @Test("The clock starts at 2026-01-01 and only clock lines and transaction times move it, always forward")
    func clock() throws {
        let result = try run(
            #"{"as":"user:root","do":[{"op":"grant","subject":"everyone","object":"store","privileges":["read"],"until":"2026-01-01T00:00:00.000001Z"}]}"#,
            #"{"ask":"privileges","subject":"user:ann","object":"store","answer":[]}"#,
            #"{"ask":"entries","object":"store","answer":["*"]}"#,
            #"{"as":"user:root","time":"2026-01-01T00:00:00.000001Z","do":[]}"#,
            #"{"ask":"entries","object":"store","answer":[]}"#,
            #"{"ask":"entries","at":1,"object":"store","answer":["*"]}"#,
            #"{"ask":"entries","at":2,"object":"store","answer":[]}"#)
        #expect(result.failures.map(\.description) == [])
    }

    @Test("An empty scenario passes")
    func empty() throws {
        #expect(try run().description == "0 passed, 0 failed")
        #expect(try ScenarioRunner().run(text: "", named: "s.jsonl") == ScenarioResult())
    }
}
