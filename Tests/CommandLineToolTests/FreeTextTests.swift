import Events
import Foundation
import Muniment
import Permissions
import Testing

@Suite("Free text of commits in a terminal")
struct FreeTextTests {
    /// Clears the screen, starts a line that looks like a commit, and reverses the reading direction.
    private static let text = "\u{1B}[2J\nr9  fake\r\u{202E}evil\u{2028}\u{9B}\u{7}"

    private static func prepare(_ tool: BuiltTool) throws {
        try tool.makeDemo()
        let store = try Store.open(at: tool.store, .writing)
        let change = Change.grant("user:ann", on: "doc:plan", ["read", "update", "query"])
        try store.commit(Transaction("user:root", [change], origin: Origin(requestID: "id\(text)", comment: text)))
        try store.commit(
            Transaction("user:root", [.writeObject("doc:plan", .value(.string(text)))], origin: Origin(comment: text)))
        try store.close()
    }

    @Test("Comments, request ids and values are escaped in text output, and stay on their line")
    func outputsForPeople() throws {
        try BuiltTool.inFreshFolder { tool in
            try Self.prepare(tool)
            let shown = "\\u{1b}[2J\\u{a}r9  fake\\u{d}\\u{202e}evil"
            for (sentence, tells) in [
                ("log", true), ("history doc:plan", true), ("audit", true),
                ("why user:ann update doc:plan", false), ("diff doc:plan --from 1", false), ("notices --for user:ann", false),
                ("object value doc:plan", false), ("entries doc:plan", false), ("refusals", false),
            ] {
                let result = try tool.run(sentence)
                let hidden = (result.output + result.errors).unicodeScalars.filter { $0.isInvisible && $0 != "\n" }
                #expect(hidden.isEmpty, "\(sentence): \(result.output)")
                #expect(!result.lines.contains { $0.hasPrefix("r9  fake") }, "\(sentence): \(result.output)")
                if tells { #expect(result.output.contains(shown), "\(sentence): \(result.output) \(result.errors)") }
            }
        }
    }

    @Test("An export has JSON escapes for invisible characters, and its import has the same text")
    func exports() throws {
        try BuiltTool.inFreshFolder { tool in
            try Self.prepare(tool)
            let exported = try tool.make("export").output
            #expect(exported.unicodeScalars.allSatisfy { !$0.isInvisible || $0 == "\n" }, "\(exported)")
            try tool.write(exported, to: "exported.jsonl")
            try tool.make("import exported.jsonl --store copy")
            #expect(try tool.make("export --store copy").output == exported)
            #expect(try tool.make("object value doc:plan --store copy").output == tool.make("object value doc:plan").output)
            try tool.write(
                #"{"ask":"check","subject":"user:ann","object":"doc:plan","privilege":"read","note":"a\u009bb"}"# + "\n",
                to: "asked.jsonl")
            let answered = try tool.run("ask asked.jsonl").output
            #expect(answered.unicodeScalars.allSatisfy { !$0.isInvisible || $0 == "\n" }, "\(answered)")
        }
    }

    @Test("JSON output contains the exact text")
    func outputsForPrograms() throws {
        try BuiltTool.inFreshFolder { tool in
            try Self.prepare(tool)
            let lines = try tool.make("log --json").lines
            let comments = try lines.compactMap {
                try (JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["comment"] as? String
            }
            #expect(comments.contains(Self.text), "\(lines)")
        }
    }
}
