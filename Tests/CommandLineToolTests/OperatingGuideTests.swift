import Foundation
import TestSupport
import Testing

@Suite("Guides for operators: their commands run, with the output in the guides")
struct OperatingGuideTests {
    private func guide(_ name: String) throws -> String {
        try String(contentsOfFile: "\(TestSettings.package)/Docs/Guides/\(name).md", encoding: .utf8)
    }

    /// Returns the commands after a prompt, each with the lines of its output.
    private func commands(in text: String) -> [(call: String, output: [String])] {
        var found: [(call: String, output: [String])] = []
        for block in text.matches(of: /```\n(\$ [\s\S]*?)```/) {
            for line in block.1.split(separator: "\n") {
                if line.hasPrefix("$ ") {
                    found.append((String(line.dropFirst(2)), []))
                } else {
                    found[found.count - 1].output.append(String(line))
                }
            }
        }
        return found
    }

    /// Returns the lines of the indented blocks.
    private func indented(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// A line without what differs in each run.
    private func masked(_ line: String) -> String {
        line.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME").replacing(/127\.0\.0\.1:\d+/, with: "ADDRESS")
            .replacing(/muni_[A-Za-z0-9_-]{43}/, with: "TOKEN").replacing(#/ +/#, with: " ")
    }

    private func without(_ prefix: String, _ line: String) -> String {
        line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line
    }

    @Test("tokens.md: the service starts, and tokens are made, listed and revoked as documented")
    func tokens() throws {
        let text = try guide("tokens")
        try BuiltTool.inFreshFolder { tool in
            var service: ServingTool?
            let calls = commands(in: text)
            try #require(calls.count == 5)
            for (call, output) in calls {
                if call.hasPrefix("muniment serve ") {
                    if let service { #expect(try service.stop().code == 0) }
                    let started = try ServingTool(
                        tool, call: without("muniment ", call) + " --listen 127.0.0.1:0", lineCount: max(output.count, 1))
                    if !output.isEmpty { #expect(started.lines.map(masked) == output.map(masked)) }
                    service = started
                    continue
                }
                let result = try tool.runGuide("\(call) 2>&1")
                #expect(result.lines.map(masked) == output.map(masked), "\(call)")
            }
            #expect(try service?.stop().code == 0)
            // The commands in the text. Those with an ellipsis mean several.
            let inline = text.matches(of: /`muniment ([^`…]+)`/).map { String($0.1) }
            #expect(inline.count >= 4)
            try tool.make("init --store loose --open")
            for call in inline where !call.hasPrefix("serve") {
                let store = call == "lock" ? "loose" : "data/default"
                let named = call.replacing("DIR", with: "other") + (call.contains("--store") ? "" : " --store \(store)")
                try tool.make(named)
            }
        }
    }

    @Test("upgrading.md: the backup, the drill, the check of the start, and the checks after the upgrade succeed")
    func upgrading() throws {
        let text = try guide("upgrading")
        try BuiltTool.inFreshFolder { tool in
            func here(_ call: String) -> String {
                without("runuser -u muniment -- ", call).replacing("/backup/", with: "backup-").replacing(
                    "/var/lib/muniment", with: "data"
                )
                .replacing("/etc/muniment/muniment.json", with: "muniment.json").replacing("DIR/NAME", with: "data/default")
                .replacing("DIR", with: "data")
            }
            try tool.make("init --store data/default")
            let package = try String(contentsOfFile: "\(TestSettings.package)/Tools/debian/muniment.json", encoding: .utf8)
            try tool.write(here(package).replacing("127.0.0.1:8080", with: "127.0.0.1:0"), to: "muniment.json")
            var calls = indented(in: text).map(here)
            #expect(calls.removeFirst().hasPrefix("muniment backup backup-before "))
            #expect(calls.removeFirst().hasPrefix("muniment backup drill backup-before "))
            try tool.make("backup backup-before --data data")
            try tool.make("backup drill backup-before --data data")
            #expect(calls.removeFirst().hasPrefix("apt install ./muniment_"))
            try tool.make(without("muniment ", calls.removeFirst()))
            let service = try ServingTool(tool, call: "serve --config muniment.json", lineCount: 1)
            for call in calls { #expect(try tool.make(without("muniment ", call)).output.hasPrefix("ready")) }
            let checks = text.matches(of: /\| `muniment ([^`]+)` \| `(\w+)`/)
            #expect(checks.count == 2)
            for check in checks {
                // Notes come before the answer.
                let answer = try tool.make(here(String(check.1))).lines.last
                #expect(answer?.hasPrefix(check.2) == true, "\(check.1): \(answer ?? "nothing")")
            }
            #expect(try service.stop().code == 0)
        }
    }

    @Test("more-than-one-machine.md: a database takes the tables and the store, a node starts, and the store leaves again")
    func machines() throws {
        let text = try guide("more-than-one-machine")
        let server = try PostgreSQLServer.withDatabase()
        try BuiltTool.inFreshFolder { tool in
            let address = "postgresql://muniment@/muniment?host=\(server.folder)"
            /// Runs a command with the server of the test, which has no standby, instead of that of the guide.
            @discardableResult
            func run(_ command: String) throws -> BuiltTool.Result {
                let result = try tool.runGuide("MUNIMENT_LOG='\(address)'\n\(command)")
                #expect(result.code == 0, "\(command): \(result.errors)")
                return result
            }
            let calls = indented(in: text)
            try #require(calls.count == 8)
            // The test's server has the role and the database.
            #expect(calls[0].hasPrefix("createuser muniment ") && calls[1] == "createdb muniment")
            let schema = calls[2].components(separatedBy: " | ")
            #expect(schema.last == "psql --dbname muniment")
            try server.run(try run(schema[0]).output)
            try tool.make("init --store data/default")
            #expect(try run(calls[7] + " --log-without-standby").lines == ["moved 0 revisions to the shared log"])
            let serve = try #require(
                calls[4].wholeMatch(of: /muniment (serve .*) --listen 10\.0\.0\.1:8080/)?.1)
            #expect(calls[3].hasPrefix("export MUNIMENT_LOG='postgresql://"))
            let service = try ServingTool(
                tool, call: serve + " --listen 127.0.0.1:0 --log-without-standby", lineCount: 1,
                environment: ["MUNIMENT_LOG": address])
            let token = "token create --can ask --store default --data data --log \(address) --log-without-standby"
            #expect(try tool.make(token).output.hasPrefix("muni_"))
            // Another node gets the key of the tokens, which the first one has made.
            #expect(calls[5].hasPrefix("ssh node2 ") && calls[6] == "scp -p data/.muniment/tokens.key node2:data/.muniment/")
            #expect(FileManager.default.fileExists(atPath: tool.folder.appending(path: "data/.muniment/tokens.key").path))
            try tool.make("token revoke t1 --data data --log \(address) --log-without-standby")
            try tool.make("register user:ann --store data/default")
            #expect(try service.stop().code == 0)
            let inline = text.matches(of: /`(muniment log [^`]+ [^`]+)`/).map { String($0.1) }
            #expect(inline.count == 2)
            #expect(try run(inline[0] + " --log-without-standby").lines == ["copied the shared log"])
            #expect(FileManager.default.fileExists(atPath: tool.folder.appending(path: "data/default/log.old/data.mdb").path))
            try run(inline[1])
            try tool.make("register user:bob --store data/default")
        }
    }

    @Test("console.md: the program in JavaScript runs in Node.js on the history of the firm")
    func javaScript() throws {
        let text = try guide("console")
        let program = try #require(text.firstMatch(of: /```js\n([\s\S]*?)```/)?.1)
        try BuiltTool.inFreshFolder { tool in
            try tool.make("import \(TestSettings.package)/Docs/Examples/history.jsonl --store data/default")
            let service = try ServingTool(tool, call: "serve --data data --listen 127.0.0.1:0", lineCount: 1)
            let token = try tool.make("token create --data data --store default --can administer").output
            let module = try tool.shell("curl -sSf \(service.address)/console/assets/muniment.js -o muniment.js")
            #expect(module.code == 0, "\(module.errors)")
            try tool.write("{\"type\":\"module\"}", to: "package.json")
            let source = "const token = process.env.TOKEN;\n" + program.replacing("http://127.0.0.1:8080", with: service.address)
            try tool.write(source, to: "guide.js")
            let node = try ChildProcess(
                ["/usr/bin/env", "node", "guide.js"], in: tool.folder.path,
                environment: ChildProcess.environment.merging(["TOKEN": token.trimmingCharacters(in: .newlines)]) { $1 },
                output: .pipe, endingWithinSeconds: 600)
            defer { node.kill() }
            #expect(node.line() == "true")
            #expect(node.line() == "43 []")
            var names: [String] = []
            while names.last != "doc:payroll", let name = node.line() { names.append(name) }
            #expect(names.contains("doc:handbook"), "\(names)")
            // The feed has every commit after that of the program.
            try tool.make("register user:new --store data/default")
            var event: [String] = []
            while event.last?.contains("user:new") != true, let line = node.line() { event.append(line) }
            #expect(event.last?.contains("user:new") == true, "\(event)")
            #expect(try service.stop().code == 0)
        }
    }
}
