import Events
import Foundation
import Muniment
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

    @Test(
        "A start with a wrong setting creates nothing, and its error names the option",
        arguments: ["head-limit", "connections", "connections-per-address", "rate-limit", "deadline", "listen", "accounts"])
    func wrongSetting(option: String) throws {
        try BuiltTool.inFreshFolder { tool in
            for check in ["", " --check"] {
                let result = try tool.run("serve\(check) --data data --\(option) nothing")
                let text = result.output + result.errors
                #expect(result.code != 0 && text.contains("--\(option): "), "\(text)")
            }
            #expect(try tool.shell("ls -A").output.isEmpty)
        }
    }

    @Test("A clock behind the newest commit is a problem")
    func wrongClock() throws {
        try BuiltTool.inFreshFolder { tool in
            let ahead = StoreOptions(clock: { systemClock().advanced(bySeconds: 86_400) })
            try Store.create(at: tool.folder.path + "/data/whole", options: ahead).close()
            let result = try check(tool)
            #expect(result.code == 1, "\(result.output)")
            #expect(result.output.contains("problem  the store `whole` would take no changes: the clock says"), "\(result.output)")
        }
    }

    /// Whether this process can run the tool as another user.
    private static let hasOtherUser: Bool = {
        let call = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x", BuiltTool.executable.path]
        return getuid() == 0 && (try? ChildProcess(call).finish().exitCode) == 0
    }()

    @Test(
        "A store that the user of the service may not access is a problem; the service serves the others and names it",
        .enabled(if: hasOtherUser),
        arguments: [
            "chown root data/closed/log/data.mdb", "chown root data/closed/index/data.mdb", "chmod 000 data/closed",
            "chown -R root data/closed",
        ])
    func otherOwner(fault: String) throws {
        try BuiltTool.inFreshFolder { tool in
            for name in ["closed", "whole"] { try tool.make("init --store data/\(name)") }
            // A folder of another user that may be looked into is no store.
            #expect(try tool.shell("chown -R 65534:65534 . && \(fault) && mkdir data/notes").code == 0)
            let asOther = "setpriv --reuid=65534 --regid=65534 --clear-groups $muniment serve --data data --listen 127.0.0.1:0"
            let result = try tool.shell(asOther + " --check")
            let problems = result.lines.filter { $0.hasPrefix("problem") }
            #expect(result.code == 1 && problems.count == 1, "\(result.output)")
            let begin = "problem  the store `closed` would not be served: "
            #expect(problems.allSatisfy { $0.hasPrefix(begin) && $0.contains("chown -R USER") }, "\(problems)")
            #expect(result.lines.contains("start    serves the store `whole`"), "\(result.output)")
            let backup = try tool.shell(
                "setpriv --reuid=65534 --regid=65534 --clear-groups $muniment backup monday --data data; echo $?; ls")
            // A backup contains no index.
            let isMade = fault.contains("index")
            #expect(
                (backup.lines.contains("0"), backup.lines.contains("monday")) == (isMade, isMade),
                "\(backup.output) \(backup.errors)")
            let served = try tool.shell(
                "(\(asOther) >out 2>err & echo $! >pid); while ! grep -q listening out && kill -0 $(cat pid); do sleep 0.1; done; "
                    + "kill -TERM $(cat pid); while kill -0 $(cat pid) 2>/dev/null; do sleep 0.1; done; cat out err")
            #expect(served.output.contains("listening on"), "\(served.output)\(served.errors)")
            let lines = served.lines.filter {
                $0.contains("error the store `closed` is not served: ") && $0.contains("chown -R USER")
            }
            #expect(lines.count == 1, "\(served.output)")
            #expect(served.output.contains("the store `whole` is locked"), "\(served.output)")
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
