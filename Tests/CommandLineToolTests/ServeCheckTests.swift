import Foundation
import TestSupport
import Testing

@Suite("`serve --check` reports the problems of a start, and changes nothing")
struct ServeCheckTests {
    private func check(_ tool: BuiltTool, _ options: String = "") throws -> BuiltTool.Result {
        try tool.run("serve --check --data data --listen 127.0.0.1:0 \(options)")
    }

    /// The names, times and contents of all files of the data directory.
    private func state(_ tool: BuiltTool) throws -> String {
        try tool.shell("ls -laR --time-style=full-iso data && find data -type f | sort | xargs sha256sum").output
    }

    private func damage(_ tool: BuiltTool) throws {
        try tool.make("init --store data/broken")
        try tool.make("init --store data/whole")
        try tool.write(String(repeating: "x", count: 20_000), to: "data/broken/log/data.mdb")
    }

    @Test("A store that cannot be opened is a problem, with its name and the reason")
    func damaged() throws {
        try BuiltTool.inFreshFolder { tool in
            try damage(tool)
            let before = try state(tool)
            let result = try check(tool)
            #expect(result.code == 1, "\(result.output)")
            let problems = result.lines.filter { $0.hasPrefix("problem") }
            #expect(problems.count == 1, "\(result.output)")
            #expect(problems.allSatisfy { $0.contains("the store `broken` ") && $0.contains("data/broken/log") }, "\(problems)")
            #expect(result.lines.contains("start    serves the store `whole`"), "\(result.output)")
            #expect(!result.output.contains("serves the store `broken`"), "\(result.output)")
            #expect(try state(tool) == before)
        }
    }

    @Test("Stores that the running service has open are named and not checked; a damaged token file is a problem")
    func running() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --store data/whole")
            let service = try ServingTool(tool, call: "serve --data data --listen 127.0.0.1:0", lineCount: 2)
            let before = try state(tool)
            let result = try check(tool)
            #expect(result.code == 0, "\(result.output)")
            let note = "note     the running service has these stores open, so their files were not checked: `whole`"
            #expect(result.lines.contains(note) && result.lines.contains("start    serves the store `whole`"), "\(result.output)")
            #expect(try state(tool) == before)
            try service.stop()
            #expect(try !check(tool).output.contains("not checked"))
            try tool.write("no token", to: "data/.muniment/tokens.jsonl")
            let tokens = try check(tool)
            #expect(
                tokens.code == 1 && tokens.output.contains("problem  ") && tokens.output.contains("tokens.jsonl"),
                "\(tokens.output)")
        }
    }

    @Test("An unreachable shared log is a problem for a new node; a node with copies begins with them")
    func unreachable() throws {
        try BuiltTool.inFreshFolder { tool in
            let log = "--log postgresql://muniment@/muniment?host=\(tool.folder.path)"
            let empty = try check(tool, log)
            #expect(empty.code == 1 && empty.output.contains("problem  the shared log cannot be reached"), "\(empty.output)")
            #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "data").path))
            try tool.make("init --store data/whole")
            let alone = try check(tool, log)
            #expect(alone.code == 1 && alone.output.contains("problem  the store `whole`"), "\(alone.output)")
            // The mark of a store that was copied before.
            try tool.write("", to: "data/whole/shared")
            let copies = try check(tool, log)
            #expect(copies.code == 0, "\(copies.output)")
            #expect(
                copies.output.contains("note     the service begins with its copies: the shared log cannot be reached"),
                "\(copies.output)")
        }
    }

    @Test("With a shared log, the check names stores to copy, and a copy that differs is a problem")
    func sharedLog() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            try server.run(try tool.make("log schema").output)
            let log = "--log postgresql://muniment@/muniment?host=\(server.folder) --log-without-standby"
            let new = try check(tool, log)
            #expect(new.code == 0 && new.lines.contains("start    uses the shared log"), "\(new.output)")
            #expect(new.output.contains("start    creates the store `default`"), "\(new.output)")
            try tool.make("init --store data/moved")
            try tool.make("log move --store data/moved \(log)")
            let copy = try check(tool, log)
            #expect(copy.code == 0 && copy.lines.contains("start    serves the store `moved`"), "\(copy.output)")
            let alone = try check(tool)
            #expect(alone.code == 1 && alone.output.contains("is a copy of a shared log"), "\(alone.output)")
            #expect(try tool.shell("mv data/moved elsewhere && mkdir -p data").code == 0)
            let missing = try check(tool, log)
            #expect(missing.lines.contains("start    copies the store `moved` from the shared log"), "\(missing.output)")
            #expect(!missing.output.contains("creates the store"), "\(missing.output)")
            try tool.make("init --store data/moved")
            let differs = try check(tool, log)
            #expect(differs.code == 1 && differs.output.contains("the store `moved` "), "\(differs.output)")
            #expect(differs.output.contains("the shared log and this node's copy differ"), "\(differs.output)")
        }
    }
}
