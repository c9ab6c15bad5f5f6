import Events
import Foundation
import Muniment
import Permissions
import Testing

/// Runs the example of every command's help. Together the examples are one story.
@Suite("Help: every example prints the documented output")
struct ExampleTests {
    private enum Step {
        /// The example in the help of a command.
        case example(String)
        /// The example of a command that runs until it is stopped, and one that needs it.
        case service(String, client: String)
        /// The setup that the examples need.
        case call(String)
        /// Ann signs up at a service that runs on `site`. The service stops afterwards.
        case signUp
        /// An older copy of the log replaces the log.
        case rollBack
        /// A commit with a clock that is a year ahead.
        case setClockAhead
        /// The input that the store refuses.
        case refused(String)
    }

    private static let story: [Step] = [
        .example("init"), .call("class define folder --creator-privileges read,query,update"), .example("class define"),
        .example("register"), .call("register user:bob"),
        .example("complete"), .example("completions"), .example("man"),
        .example("role create"), .example("role add"), .example("role members"), .example("compare"),
        .call("object create folder:top"),
        .example("object create"), .example("grant"), .call("grant role:editors read on doc:plan"), .example("check"),
        .example("privileges"), .example("who"), .example("what"), .example("why"), .example("entries"), .example("audit ends"),
        .example("list"),
        .example("show"), .example("ask"),
        .example("what-if"), .example("revoke"),
        .example("object write"), .example("object value"), .example("object list"), .example("object move"),
        .example("object owner"), .example("permission define"), .example("permission attach"), .example("permission change"),
        .example("permission detach"), .example("admin list"), .example("admin appoint"), .example("admin dismiss"),
        .example("class change"), .example("history"), .example("diff"), .example("notices"), .example("log"),
        .refused("grant user:bob read on folder:top --as user:bob"), .example("refusals"), .example("audit"),
        .example("audit access"), .example("audit subject"), .example("audit changes"), .example("audit turnover"),
        .example("audit former"),
        .example("audit paths"), .example("export"), .example("stats"),
        .example("token create"),
        .example("token list"), .example("token show"), .example("store list"), .example("token revoke"),
        .service("serve", client: "ready"), .example("decisions"),
        .signUp, .example("account find"), .example("account show"), .example("account list"), .example("account sign-out"),
        .example("account verify"), .example("account delete"),
        .example("verify"), .example("rebuild"), .example("backup"), .example("restore"), .example("backup drill"),
        .rollBack, .example("accept-rollback"),
        .example("role remove"), .example("audit unused"), .example("role delete"), .example("object delete"),
        .example("lock"), .example("import"), .example("scenario"), .call("register user:b0b"), .example("lookalikes"),
        .setClockAhead, .example("correct-clock"),
    ]

    /// Commands with examples that need a database. `SharedLogCommandTests` runs them.
    private static let withDatabase = ["log schema", "log move", "log copy", "log leave", "token adopt"]

    /// Commands with examples that need a browser. `SessionCommandTests` runs them.
    private static let withBrowser = ["session list", "session revoke"]

    @Test("Each command's example, run in the order of the story, prints what its help says")
    func examplesHold() throws {
        try BuiltTool.inFreshFolder { tool in
            try ExampleTests.writeFiles(for: tool)
            var principal: String?
            for step in ExampleTests.story {
                switch step {
                case .call(let sentence): try tool.make(sentence)
                case .signUp:
                    let site = try AccountsSite(tool)
                    principal = try site.signUp("ann@example.com", name: "Ann")
                    try site.stop()
                case .service(let name, let client):
                    let example = try Example(of: name, by: tool)
                    let service = try ServingTool(tool, call: example.call, lineCount: example.lineCount)
                    #expect(example.matches(service.lines.joined(separator: "\n")), "\(name) printed \(service.lines)")
                    let called = try Example(of: client, by: tool)
                    let result = try tool.run(called.call)
                    #expect(result.code == 0 && called.matches(result.output), "\(client) printed \(result)")
                    #expect(try service.stop().code == 0)
                case .rollBack:
                    let (log, copy) = (tool.store + "/log", tool.store + "/copy")
                    try FileManager.default.copyItem(atPath: log, toPath: copy)
                    try tool.make("register user:late")
                    try FileManager.default.removeItem(atPath: log)
                    try FileManager.default.moveItem(atPath: copy, toPath: log)
                case .setClockAhead:
                    let ahead = systemClock().advanced(bySeconds: 365 * 86_400)
                    let store = try Store.open(at: tool.store, .writing, options: StoreOptions(clock: { ahead }))
                    try store.commit(Transaction("user:root", [.createRole("role:late")]))
                    try store.close()
                case .refused(let sentence): #expect(try tool.run(sentence).code == 1)
                case .example(let name):
                    let example = try Example(of: name, by: tool)
                    // The principal of a new user is not known in advance.
                    let result = try tool.run(example.call.replacing(/user:[a-z0-9]{26}/) { _ in principal ?? "" })
                    #expect(result.code == 0, "\(name): \(result.errors)")
                    #expect(example.matches(result.output), "\(name) printed \(result.output)")
                }
            }
        }
    }

    @Test("The story contains every command of the overview")
    func storyIsComplete() throws {
        try BuiltTool.inFreshFolder { tool in
            let overview = try tool.make("help")
            let listed = overview.lines.filter { $0.hasPrefix("  ") }.compactMap { line in
                line.dropFirst(2).components(separatedBy: "  ").first
            }
            let told = ExampleTests.story.flatMap { step -> [String] in
                switch step {
                case .example(let name): [name]
                case .service(let name, let client): [name, client]
                case .call, .signUp, .rollBack, .setClockAhead, .refused: []
                }
            }
            #expect(listed.count > 30)
            #expect(Set(listed) == Set(told + ExampleTests.withDatabase + ExampleTests.withBrowser))
        }
    }

    @Test("Help works before and after the name of a command", arguments: ["help grant", "grant --help", "grant user:ann -h"])
    func helpIsFound(sentence: String) throws {
        try BuiltTool.inFreshFolder { tool in
            let help = try tool.make(sentence)
            #expect(help.output.hasPrefix("usage: muniment grant SUBJECT"))
            #expect(help.output.contains("--until TIME"))
        }
    }

    private static func writeFiles(for tool: BuiltTool) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let history = try String(contentsOf: root.appending(path: "Docs/Examples/history.jsonl"), encoding: .utf8)
        try tool.write(history, to: "history.jsonl")
        try FileManager.default.createDirectory(at: tool.folder.appending(path: "backups"), withIntermediateDirectories: true)
        let decisions = "data/.muniment/decisions/default"
        try FileManager.default.createDirectory(at: tool.folder.appending(path: decisions), withIntermediateDirectories: true)
        try tool.write(
            """
            {"number":1,"time":"2026-01-31T10:21:00Z","allowed":true,"subject":"user:ann","action":"read","resource":"doc:plan",\
            "revision":12,"credential":"t1"}

            """, to: decisions + "/00000000000000000001.jsonl")
        try tool.write("role,member\neditors,bob\n", to: "members.csv")
        try tool.write(
            #"{"ask":"check","subject":"user:ann","object":"doc:plan","privilege":"read"}"# + "\n", to: "questions.jsonl")
        try tool.write(
            #"{"op":"grant","subject":"user:bob","object":"doc:plan","privileges":["update"]}"# + "\n", to: "draft.jsonl")
        try tool.write(
            """
            {"format":"scenario/1","store":"open"}
            {"as":"user:root","do":[{"op":"defineClass","class":"doc"},{"op":"createObject","object":"doc:1"}]}
            {"ask":"check","subject":"user:ann","object":"doc:1","privilege":"read","answer":false}
            {"as":"anonymous","do":[{"op":"deleteObject","object":"doc:1"}],"expect":{"refused":"notAuthenticated"}}
            {"ask":"objects","subject":"user:root","privilege":"read","answer":["doc:1"]}

            """, to: "scenario.jsonl")
    }
}

/// The example in the help of a command.
private struct Example {
    let call: String
    private let prints: [String]
    var lineCount: Int { prints.count }

    init(of name: String, by tool: BuiltTool) throws {
        let lines = try tool.make("help \(name)").output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = try #require(lines.firstIndex(of: "example:"), "\(name) has no example")
        call = String(lines[start + 1].dropFirst("  $ muniment ".count))
        prints = lines[(start + 2)...].map { String($0.dropFirst(2)) }.filter { !$0.isEmpty }
    }

    /// Times, durations and hashes differ in each run; a line `…` matches any lines.
    func matches(_ output: String) -> Bool {
        let expected = prints.map(Example.masked)
        let actual = output.split(separator: "\n").map { Example.masked(String($0)) }
        guard let gap = expected.firstIndex(of: "…") else { return actual == expected }
        let (head, tail) = (expected[..<gap], expected[(gap + 1)...])
        return actual.count >= head.count + tail.count && actual.starts(with: head) && actual.suffix(tail.count).elementsEqual(tail)
    }

    private static func masked(_ line: String) -> String {
        line.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME").replacing(/\d+\.\d+ s/, with: "SECONDS")
            .replacing(/\d+ events\/s/, with: "SPEED").replacing(/[0-9a-f]{64}/, with: "HASH")
            .replacing(/127\.0\.0\.1:\d+/, with: "ADDRESS").replacing(/muni_[A-Za-z0-9_-]{43}/, with: "TOKEN")
            .replacing(/user:[a-z0-9]{26}/, with: "PRINCIPAL")
            .replacing(/\d+ of \d+ bytes/, with: "BYTES")
    }
}
