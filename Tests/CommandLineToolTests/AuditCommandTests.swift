import Foundation
import Testing

@Suite("The audit and the tool")
struct AuditCommandTests {
    private func objects(_ result: BuiltTool.Result) throws -> [[String: Any]] {
        try result.lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    /// The demo, then a refused command and a second reader.
    private func withAudit(_ body: (BuiltTool) throws -> Void) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            #expect(try tool.run("admin appoint user:bob --as user:bob").code == 1)
            try tool.make("grant user:bob read on doc:plan")
            try body(tool)
        }
    }

    @Test("E10: the export has one JSON object per line with caller, time, command and result, including refused commands")
    func export() throws {
        try withAudit { (tool) throws in
            let records = try objects(tool.make("audit --json"))
            let log = try objects(tool.make("log --json"))
            let events = log.flatMap { $0["events"] as? [[String: Any]] ?? [] }.compactMap { $0["kind"] as? String }
            var told: [String] = []
            for record in records {
                if let event = record["event"] as? [String: Any], let kind = event["kind"] as? String { told.append(kind) }
            }
            #expect(told == events)
            #expect(records.allSatisfy { $0["time"] is String && $0["outcome"] is String })
            #expect(records.suffix(2).map { $0["outcome"] as? String } == ["refused", "done"])
            let refused = records[records.count - 2]
            #expect(refused["caller"] as? String == "user:bob" && refused["code"] as? String == "notAdministrator")
            let last = try #require(records.last)
            #expect(last["revision"] as? Int == 6 && last["index"] as? Int == 0 && last["actor"] as? String == "user:root")
        }
    }

    @Test(
        "E10: each option excludes the records that it names",
        arguments: [
            ("--actor user:bob", 1), ("--object doc:plan", 3), ("--subject user:bob", 2), ("--subject user:bob --outcome done", 1),
            ("--kind AccessGranted --subject user:ann", 1), ("--kind AccessGranted,appointAdministrator --from 5", 3),
            ("--outcome refused", 1), ("--from 6", 1), ("--from r6 --to r6", 1), ("--to 2000-01-01", 0), ("--request none", 0),
            ("--actor user:never", 0),
        ])
    func filters(options: String, count: Int) throws {
        try withAudit { (tool) throws in
            #expect(try tool.make("audit --json \(options)").lines.count == count, "\(options)")
        }
    }

    @Test("E10: a list with a limit prints the next cursor on standard error, in both orders, without gaps or repetitions")
    func pages() throws {
        try withAudit { (tool) throws in
            for order in ["", " --reverse"] {
                let whole = try tool.make("audit --json" + order).lines
                var found: [String] = []
                var after = ""
                for _ in 0..<whole.count {
                    let page = try tool.make("audit --json --limit 4" + order + after)
                    found += page.lines
                    guard let cursor = page.errors.split(separator: " ").last, page.errors.contains("--cursor ") else { break }
                    after = " --cursor " + cursor.trimmingCharacters(in: .newlines)
                }
                #expect(found == whole)
            }
        }
    }

    @Test("In text output, the changes of a commit are under one heading, and a refusal shows the command and the reason")
    func lines() throws {
        try withAudit { (tool) throws in
            let lines = try tool.make("audit --from 5").lines
            #expect(lines.count == 7)
            #expect(lines[0].hasPrefix("r5  ") && lines[0].hasSuffix("  user:root"))
            #expect(lines[1] == "    user:ann was granted read on doc:plan")
            #expect(lines[2].hasPrefix("#1  ") && lines[3].contains("\"appointAdministrator\""))
            #expect(lines[6] == "    user:bob was granted read on doc:plan")
        }
    }

    @Test(
        "An invalid option throws an error that names it, and prints no records",
        arguments: [
            ("audit --kind Granted", 2, "Granted"), ("audit --outcome perhaps", 2, "perhaps"), ("audit --limit 0", 2, "0"),
            ("audit --kind ,", 2, "--kind"), ("audit --cursor nonsense", 2, "nonsense"), ("audit --from 99", 2, "99"),
            ("audit --object plan", 2, "plan"),
            ("audit access read on doc:plan --from 6 --to 2", 2, "after its end"),
            ("audit changes user:bob read", 2, "the object is missing"), ("audit subject store", 2, "store"),
            ("notices --for doc:plan", 2, "doc:plan"),
        ])
    func mistakes(sentence: String, code: Int32, quoted: String) throws {
        try withAudit { (tool) throws in
            let result = try tool.run(sentence)
            #expect(result.code == code, "\(result.errors)")
            #expect(result.errors.contains(quoted) && result.output.isEmpty, "\(result.errors)")
        }
    }

    @Test("E10: the other audit queries also answer in JSON")
    func questions() throws {
        try withAudit { (tool) throws in
            let access = try tool.object("audit access read on doc:plan --json")
            let subjects = (access["access"] as? [[String: Any]] ?? []).compactMap { $0["subject"] as? String }
            #expect(subjects == ["user:ann", "user:bob", "user:root"])
            let entry = try tool.object("audit changes user:bob read on doc:plan --json")
            let transitions = entry["transitions"] as? [[String: Any]] ?? []
            #expect(transitions.count == 1 && transitions[0]["gained"] as? Bool == true && transitions[0]["revision"] as? Int == 6)
            let report = try tool.object("audit subject user:bob --at 5 --json")
            #expect(report["known"] as? Bool == true && (report["objects"] as? [Any])?.count == 0)
            #expect(((try tool.object("audit subject user:bob --json"))["objects"] as? [Any])?.count == 1)
        }
    }
}
