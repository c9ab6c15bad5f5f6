import Testing

@Suite("Spans: --from, --to, --limit, --reverse, and time zones")
struct SpanTests {
    private static let history = """
        {"format":"permission-history/1","store":"open","administrator":"user:root"}
        {"time":"2024-05-01T10:00:00Z","actor":"user:root","changes":[{"op":"register","principal":"user:ann"},{"op":"defineClass","class":"doc"}]}
        {"time":"2024-05-01T22:30:00Z","actor":"user:root","changes":[{"op":"createObject","object":"doc:1","owner":"user:root"}]}
        {"time":"2024-05-02T10:00:00Z","actor":"user:root","changes":[{"op":"grant","subject":"user:ann","object":"doc:1","privileges":["read"],"until":"2024-07-01T00:00:00Z"}]}
        {"time":"2024-05-03T10:00:00Z","actor":"user:root","changes":[{"op":"grant","subject":"user:ann","object":"doc:1","privileges":["read","update"]}]}
        {"time":"2024-05-04T10:00:00Z","actor":"user:root","changes":[{"op":"revoke","subject":"user:ann","object":"doc:1"}]}

        """

    private func withHistory(_ body: (BuiltTool) throws -> Void) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(Self.history, to: "history.jsonl")
            try tool.make("import history.jsonl")
            try body(tool)
        }
    }

    /// The revisions in a list, in the order of its lines.
    private func revisions(_ result: BuiltTool.Result) -> [Int] {
        result.lines.compactMap { line in line.firstMatch(of: #/^r(\d+) /#).flatMap { Int($0.1) } }
    }

    @Test(
        "A span of the log begins and ends at revisions, times or days, and the last day counts as a whole",
        arguments: [
            ("--from 2 --to 3", [2, 3]), ("--from 2024-05-02 --to 2024-05-03", [3, 4]), ("--to 2024-05-01", [0, 1, 2]),
            ("--from 2024-05-02T10:00:00Z --to 2024-05-02T10:00:00Z", [3]), ("--from 2024-05-02T10:00:01Z --to 4", [4]),
            ("--from 2024-05-05", []), ("--to 2023-01-01", []), ("--limit 2", [0, 1]), ("--reverse", [5, 4, 3, 2, 1, 0]),
            ("--reverse --limit 2", [5, 4]), ("--reverse --to 2024-05-03 --limit 1", [4]), ("--from 2 --limit 10", [2, 3, 4, 5]),
        ])
    func log(options: String, expected: [Int]) throws {
        try withHistory { (tool) throws in
            // The creation of the store has the time of the first record.
            let result = try tool.make("log " + options)
            #expect(revisions(result) == expected)
            #expect(result.errors.contains("no commit matches the options") == expected.isEmpty)
        }
    }

    @Test("A history, notices and an audit take the same options")
    func otherLists() throws {
        try withHistory { (tool) throws in
            #expect(revisions(try tool.make("history doc:1 --from 2024-05-02 --to 2024-05-03")) == [3, 4])
            #expect(revisions(try tool.make("history doc:1 --reverse --limit 2")) == [5, 4])
            #expect(revisions(try tool.make("notices --for user:ann --from 2024-05-03 --to 2024-05-04")) == [4, 5])
            #expect(revisions(try tool.make("notices --for user:ann --from 4")) == [4, 5])
            #expect(revisions(try tool.make("notices --for user:ann --reverse --limit 2")) == [5, 4])
            #expect(revisions(try tool.make("audit --from 2024-05-02 --to 2024-05-03")) == [3, 4])
            #expect(revisions(try tool.make("audit --reverse --limit 2")) == [5, 4])
        }
    }

    @Test("A list that a limit ends says how to continue, and continuing gives the rest")
    func limits() throws {
        try withHistory { (tool) throws in
            for (order, option) in [("", "--from"), (" --reverse", "--to")] {
                let whole = try tool.make("log" + order).lines
                let first = try tool.make("log --limit 2" + order)
                let next = try #require(first.errors.firstMatch(of: /continue with (--from|--to) (\d+)/))
                #expect(next.1 == option)
                #expect(first.lines + (try tool.make("log\(order) \(option) \(next.2)").lines) == whole)
            }
        }
    }

    @Test("Times for people and days are in the zone of TZ; --utc and JSON have UTC")
    func zones() throws {
        try withHistory { (tool) throws in
            // 22:30 in UTC on 1 May is 00:30 on 2 May in Berlin.
            let berlin = try tool.shell("TZ=Europe/Berlin \"$muniment\" log --from 2024-05-02 --to 2024-05-02")
            #expect(revisions(berlin) == [2, 3])
            #expect(berlin.lines.first == "r2  2024-05-02T00:30:00+02:00  user:root")
            #expect(berlin.output.contains(" until 2024-07-01T02:00:00+02:00"))
            let utc = try tool.shell("TZ=Europe/Berlin \"$muniment\" log --from 2024-05-02 --to 2024-05-02 --utc")
            #expect(utc.lines.first == "r3  2024-05-02T10:00:00Z  user:root")
            let json = try tool.shell("TZ=Europe/Berlin \"$muniment\" log --from 2 --to 2 --json")
            #expect(json.output.contains("2024-05-01T22:30:00Z"))
            let table = try tool.shell("TZ=America/New_York \"$muniment\" audit --from 2 --to 2 --format csv")
            #expect(table.output.contains("2024-05-01T18:30:00-04:00,done,2,"))
            #expect(try tool.shell("TZ=Europe/Berln \"$muniment\" log").errors.contains("`Europe/Berln` in TZ"))
        }
    }

    @Test("`diff --to` with a day includes the changes of that day")
    func wholeDays() throws {
        try withHistory { (tool) throws in
            #expect(try tool.make("diff user:ann --from 2024-05-03 --to 2024-05-03").lines.first?.contains("+ update") == true)
            #expect(try tool.make("diff user:ann --from 2024-05-04 --to 2024-05-04").lines.first?.contains("- ") == true)
        }
    }

    @Test("`diff` shows only the privileges and classes that are asked for, and knows their names")
    func differences() throws {
        try withHistory { (tool) throws in
            #expect(try tool.make("diff user:ann --from 2 --to 4").lines == ["doc:1  + read, update"])
            #expect(try tool.make("diff user:ann --from 2 --to 4 --privilege update").lines == ["doc:1  + update"])
            #expect(try tool.make("diff user:ann --from 3 --to 4 --privilege read").lines == [])
            #expect(try tool.make("diff user:ann --from 2 --to 4 --class doc").lines == ["doc:1  + read, update"])
            #expect(try tool.make("diff user:ann --from 2 --to 4 --class role").lines == [])
            #expect(try tool.make("diff doc:1 --from 2 --to 4 --class user --privilege read").lines == ["user:ann  + read"])
            #expect(try tool.run("diff user:ann --from 2 --privilege raed").errors.contains("raed"))
            #expect(try tool.run("diff user:ann --from 2 --class dox").code == 1)
        }
    }

    @Test("An empty audit says whether the name ever had a record")
    func emptyAudit() throws {
        try withHistory { (tool) throws in
            let never = try tool.make("audit --actor user:ann")
            #expect(
                never.output.isEmpty
                    && never.errors == "note: `user:ann` did nothing and tried nothing: the store has no such record\n")
            #expect(try tool.make("audit --subject user:zoe").errors.contains("`user:zoe` never gained or lost access"))
            #expect(try tool.make("audit --object doc:2").errors.contains("`doc:2` was never changed"))
            #expect(try tool.make("audit --actor user:root --to 2001-01-01").errors == "note: no record matches the options\n")
        }
    }

    @Test(
        "A span that ends before its start is an error",
        arguments: [
            "log --from 4 --to 2", "log --from 2024-05-03 --to 2024-05-01", "history doc:1 --from 4 --to 2", "log --from 99",
        ])
    func mistakes(sentence: String) throws {
        try withHistory { (tool) throws in
            let result = try tool.run(sentence)
            #expect(result.code == 2 && result.output.isEmpty, "\(result.errors)")
        }
    }
}
