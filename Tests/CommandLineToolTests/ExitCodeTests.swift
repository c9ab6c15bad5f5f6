import Foundation
import TestSupport
import Testing

@Suite("Exit codes: 0 yes or done, 1 no or refused, 2 usage error, 3 store error")
struct ExitCodeTests {
    /// A call, its exit code, and the expected text on standard error; nil for a successful call.
    typealias Row = (sentence: String, code: Int32, message: String?)

    static let rows: [Row] = [
        ("check user:ann read doc:plan", 0, nil),
        ("check user:bob read doc:plan", 1, nil),
        ("check user:ann read doc:nowhere", 1, nil),
        ("check role:nobody read doc:plan", 1, nil),
        ("who fly doc:plan", 2, "the store has no privilege `fly`"),
        ("check user:ann fly doc:plan", 2, "the store has no privilege `fly`"),
        ("what user:ann readd", 2, "did you mean `read`?"),
        ("what user:ann read --class nowhere", 1, "refused: unknownClass: "),
        ("audit access fly on doc:plan", 2, "the store has no privilege `fly`"),
        ("show doc:nowhere", 1, "refused: unknownObject: "),
        ("list nowhere", 1, "refused: unknownClass: "),
        ("grant user:ann read on doc:plan", 0, nil),
        ("verify", 0, nil),

        ("grant user:ann read on doc:nowhere", 1, "refused: unknownObject: "),
        ("grant user:eve read on doc:plan", 1, "refused: unknownPrincipal: "),
        ("grant user:ann fly on doc:plan", 1, "refused: malformed: "),
        ("grant user:ann read on doc:plan --until 2000-01-01", 1, "refused: malformed: "),
        ("grant user:ann read on doc:plan --strict", 1, "refused: alreadyExists: "),
        ("grant user:bob read on doc:plan --as user:bob", 1, "refused: noPrivilege: "),
        ("register user:eve --as anonymous", 1, "refused: notAuthenticated: "),
        ("object delete doc:plan --as anonymous", 1, "refused: notAuthenticated: "),
        ("object create doc:plan", 1, "refused: alreadyExists: "),
        ("object value doc:plan --as user:bob", 1, "refused: noPrivilege: "),
        ("admin dismiss user:root", 1, "refused: lastAdministrator: "),
        ("history doc:nowhere", 1, "doc:nowhere"),

        ("", 2, "the command is missing"),
        ("chek user:ann read doc:plan", 2, "did you mean `check`?"),
        ("role", 2, "`role add`"),
        ("role invent editors", 2, "`role invent`"),
        ("help nonsense", 2, "`nonsense`"),
        ("check user:ann read doc:plan --resume", 2, "--resume"),
        ("check user:ann read doc:plan --colour", 2, "--colour"),
        ("check user:ann read doc:plan --jsn", 2, "did you mean `--json`?"),
        ("check user:ann read doc:plan -x", 2, "-x"),
        ("check user:ann read doc:plan --json=perhaps", 2, "perhaps"),
        ("check user:ann read doc:plan --at", 2, "--at REVISION|TIME"),
        ("check user:ann read doc:plan --at 1 --at 2", 2, "twice"),
        ("check user:ann read doc:plan --at yesterday", 2, "yesterday"),
        ("check user:ann read doc:plan --at 2024-02-30", 2, "2024-02-30"),
        ("check user:ann read doc:plan --at 99", 2, "revision 99 does not exist"),
        ("check user:ann read", 2, "usage: muniment check SUBJECT"),
        ("check user:ann read doc:plan now", 2, "`now`"),
        ("check ann read doc:plan", 2, "`ann`"),
        ("check user:ann , doc:plan", 2, "`,`"),
        ("grant user:ann read on doc:plan --as role:editors", 2, "role:editors"),
        ("grant user:ann read on doc:plan --until soon", 2, "soon"),
        ("object create doc:two --value {", 2, "`{`"),
        ("object write doc:plan", 2, "--value JSON"),
        ("object write doc:plan --value 1 --merge 2", 2, "exclude each other"),
        ("class define doc:two", 2, "doc:two"),
        ("class define other --acl some", 2, "some"),
        ("diff user:ann", 2, "--from REVISION|TIME"),
        ("export --from 2024-01-01", 2, "2024-01-01"),
        ("init --open --locked", 2, "exclude each other"),
        ("import nothing.jsonl", 2, "nothing.jsonl"),
        ("import broken.jsonl --store other", 2, "broken.jsonl:1: "),
        ("ask broken.jsonl", 2, "broken.jsonl:1: "),
        ("scenario broken.jsonl", 2, "broken.jsonl:1: "),

        ("token revoke t9 --data .", 1, "the token `t9` does not exist"),
        ("token create --data . --can ask", 2, "--store NAME"),
        ("token create --data . --store ./demo --can ask", 2, "is a path"),
        ("token create --data . --store Demo --can ask", 2, "`Demo` is not a store name"),
        ("token create --data . --store demo --can read", 2, "`read`"),
        ("token create --data . --store demo --can act", 2, "--as PRINCIPAL"),
        ("token create --data . --store demo --can act --as role:editors", 2, "`role:editors` cannot act"),
        ("token create --data . --store demo --can ask --as user:ann", 2, "omit it"),
        ("token create --data . --store demo --can ask --until 2000-01-01", 2, "2000-01-01"),
        ("token create --store demo --can ask", 2, "--data DIR"),
        ("serve", 2, "--data DIR"),
        ("serve --data . --listen 0.0.0.0:0", 2, "other machines can connect"),
        ("serve --data . --listen [::]:0", 2, "other machines can connect"),
        ("serve --data . --listen 0.0.0.0:0 --tls-certificate c.pem", 2, "both `--tls-certificate` and `--tls-key`"),
        ("serve --data . --tls-certificate c.pem --tls-key k.pem --insecure", 2, "omit it"),
        ("serve --data . --audience app", 2, "--issuer URL"),
        ("serve --data . --issuer https://login.example.com", 2, "--audience TEXT"),
        ("serve --data . --issuer http://login.example.com --audience app", 2, "is not encrypted"),
        ("serve --data . --issuer login --audience app", 2, "`login` is not an address"),
        ("serve --data . --trusted-proxies 10.0.0.1,proxy.example.com", 2, "`proxy.example.com` is not the address of a proxy"),
        ("serve --data . --trusted-proxies ,", 2, "is empty"),
        ("serve --data . --anonymous ../demo", 2, "contains no store name"),
        ("serve --data . --public-address http://h.example.com/pdp", 2, "write https://"),
        ("serve --data . --public-address https://h.example.com/pdp?a=1", 2, "without a query"),
        ("serve --data . --public-address h.example.com", 2, "write https://"),
        ("serve --data . --subject-types identity=person", 2, "`identity=person` does not map a type"),
        ("serve --data . --subject-types user=thing", 2, "`user` already is a type"),
        ("serve --data . --issuer-stores demo", 2, "--issuer URL"),
        ("token list --data nowhere", 2, "the folder `nowhere` does not exist"),

        ("check user:ann read doc:plan --store nowhere", 3, "`nowhere` has no store"),
        ("stats --store .", 3, "`.` has no store"),
        ("init", 3, "`demo`"),
        ("check user:ann read doc:plan --store text", 3, "text"),
    ]

    @Test("A call exits with its code; an error is printed on standard error, and standard output is empty")
    func table() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.write("no JSON\n", to: "broken.jsonl")
            try FileManager.default.createDirectory(
                at: tool.folder.appending(path: "text/log"), withIntermediateDirectories: true)
            try tool.write(String(repeating: "this is no store\n", count: 1000), to: "text/log/data.mdb")
            for row in ExitCodeTests.rows {
                let result = try tool.run(row.sentence)
                #expect(result.code == row.code, "muniment \(row.sentence): \(result.errors)")
                if let message = row.message {
                    #expect(result.errors.contains(message), "muniment \(row.sentence): \(result.errors)")
                    #expect(result.output.isEmpty, "muniment \(row.sentence) printed \(result.output)")
                } else {
                    // A note is not an error: it names the entities that a query did not find.
                    let errors = result.errors.split(separator: "\n").filter { !$0.hasPrefix("note: ") }
                    #expect(errors.isEmpty, "muniment \(row.sentence): \(result.errors)")
                }
            }
        }
    }

    @Test("E9: a refused command changes nothing")
    func refusalChangesNothing() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let before = try tool.make("log").output
            #expect(try tool.run("object delete doc:plan --as user:bob").code == 1)
            #expect(try tool.make("log").output == before)
        }
    }

    @Test("`--version` prints the newest version of the changelog, and the commit of the build")
    func version() throws {
        try BuiltTool.inFreshFolder { tool in
            let folder = URL(filePath: TestSettings.package)
            let changelog = try String(contentsOf: folder.appending(path: "CHANGELOG.md"), encoding: .utf8)
            let release = try #require(changelog.firstMatch(of: /\n## \[([0-9.]+)\] - \d{4}-\d\d-\d\d\n/)).output.1
            let answer = try tool.make("--version").output
            let printed = try #require(answer.wholeMatch(of: /muniment ([0-9.]+)(?: \(([0-9a-f]{12})\))?\n/)).output
            #expect(printed.1 == release)
            #expect((printed.2 != nil) == FileManager.default.fileExists(atPath: folder.appending(path: ".git/logs/HEAD").path))
        }
    }

    @Test("A call without a store gets an error that says how to name one")
    func noStoreNamed() throws {
        try BuiltTool.inFreshFolder { tool in
            let result = try tool.shell("unset MUNIMENT_STORE; $muniment stats")
            #expect(result.code == 2)
            #expect(result.errors.contains("--store DIR"))
        }
    }

    @Test("A failing scenario ends with exit code 1, and names file and line")
    func failedScenario() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(
                """
                {"format":"scenario/1"}
                {"ask":"check","subject":"user:ann","object":"doc:1","privilege":"read","answer":true}

                """, to: "wrong.jsonl")
            let result = try tool.run("scenario wrong.jsonl")
            #expect(result.code == 1)
            #expect(result.lines == ["wrong.jsonl:2: expected true, got false", "0 passed, 1 failed"])
        }
    }
}
