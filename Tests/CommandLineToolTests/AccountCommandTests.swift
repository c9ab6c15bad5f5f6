import Foundation
import TestSupport
import Testing

@Suite("muniment account: managing accounts, with and without a running service")
struct AccountCommandTests {
    private static let nobody = "user:aaaaaaaaaaaaaaaaaaaaaaaaaa"

    /// A call, its exit code, and the expected text on standard error.
    static let rows: [(sentence: String, code: Int32, message: String)] = [
        ("account", 2, "`account find`"),
        ("account find", 2, "the email is missing"),
        ("account find ann --data site", 2, "`ann` is not an email"),
        ("account find ann@example.com", 2, "--data DIR"),
        ("account find ann@example.com --data nowhere", 2, "the folder `nowhere` does not exist"),
        ("account find ann@example.com --data demo", 2, "`demo` has no accounts"),
        ("account find eve@example.com --data site", 1, "no account has the email `eve@example.com`"),
        ("account find ann@example.com bob@example.com --data site", 2, "unexpected word `bob@example.com`"),
        ("account show ann --data site", 2, "`ann`"),
        ("account show role:staff --data site", 2, "`role:staff` has no account"),
        ("account show \(nobody) --data site", 1, "no account has this principal"),
        ("account sign-out \(nobody) --data site", 1, "no account has this principal"),
        ("account delete \(nobody) --data site", 1, "no account has this principal"),
        ("account delete --data site", 2, "the principal is missing"),
        ("account list everybody --data site", 2, "`everybody`"),
        ("account verify --data site --strict", 2, "--strict"),
    ]

    @Test("An invalid call gets an exit code and a remedy, with and without a service")
    func table() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init")
            let site = try AccountsSite(tool)
            let ann = try site.signUp("ann@example.com", name: "Ann")
            for isServed in [true, false] {
                if !isServed { try site.stop() }
                for row in Self.rows {
                    let result = try tool.run(row.sentence)
                    #expect(result.code == row.code, "\(row.sentence): \(result.errors)")
                    #expect(result.errors.contains(row.message), "\(row.sentence): \(result.errors)")
                }
                #expect(try tool.make("account list --data site").lines.count == 1)
                #expect(try tool.object("account show \(ann) --data site --json")["email"] as? String == "ann@example.com")
            }
        }
    }

    @Test("R18 I9 The tool gives the same results with a service as without one: find, sign out, delete")
    func bothWays() throws {
        try BuiltTool.inFreshFolder { tool in
            let site = try AccountsSite(tool)
            let people = ["ann@example.com", "bob@example.com"]
            let principals = try people.map { try site.signUp($0, name: "One") }
            for (index, isServed) in [true, false].enumerated() {
                if !isServed { try site.stop() }
                let (email, principal) = (people[index], principals[index])
                #expect(
                    try tool.make("account find \(email) --data site").output.hasPrefix(
                        "\(principal)  \(email)  One  password  since"))
                #expect(try tool.make("grant \(principal) read on store --store site/default").code == 0)
                #expect(
                    try tool.make("account verify --data site").output.contains(
                        ", \(2 - index) accounts, \(2 - index) sessions, head"))
                try tool.make("account sign-out \(principal) --data site")
                #expect(
                    try tool.make("account verify --data site").output.contains(
                        ", \(2 - index) accounts, \(1 - index) sessions, head"))
                let deletion = try tool.make("account delete \(principal) --data site")
                // The notice is sent only by a service. Without one, the command does not wait for it.
                #expect(
                    deletion.errors.contains("a mail was not sent: `muniment account` sends mail only through a running service")
                        == !isServed)
                #expect(!deletion.errors.contains("unsent mails"), "\(deletion.errors)")
                #expect(try tool.run("account find \(email) --data site").code == 1)
                #expect(try tool.make("entries store --store site/default").output.isEmpty)
            }
            #expect(try tool.object("account verify --data site --json")["sound"] as? Bool == true)
        }
    }

    @Test("A verification of accounts reports a missing key that was removed outside the store, and the tool fails")
    func notSound() throws {
        try BuiltTool.inFreshFolder { tool in
            let site = try AccountsSite(tool)
            try site.signUp("ann@example.com", name: "Ann")
            #expect(try tool.object("account verify --data site --json")["sound"] as? Bool == true)
            // The key of the first account is in the second slot, after the header of the file.
            let path = tool.folder.appending(path: "site/.muniment/accounts/keys").path
            var keys = try FileBytes.read(path)
            try #require(keys.count == 256)
            keys.replaceSubrange(128..<256, with: Array("DESTROY!".utf8) + [UInt8](repeating: 0, count: 120))
            try FileBytes.write(keys, to: path)
            let report = try tool.object("account verify --data site --json")
            #expect(report["sound"] as? Bool == false)
            let problems = try #require(report["problems"] as? [String])
            let sentence = try tool.run("account verify --data site")
            #expect(sentence.code == 1 && sentence.lines == problems, "\(sentence.output) \(sentence.errors)")
            #expect(problems.count == 1 && problems[0].contains("1 accounts, which differ from the log"), "\(problems)")
        }
    }

    @Test("Accounts without TLS and without a proxy setting give one warning about proxies")
    func proxies() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.write(#"{"mail":{"outbox":"outbox"},"stores":["nowhere"]}"#, to: "accounts.json")
            // The service ends because the store is missing.
            let serve = "serve --data site --listen 127.0.0.1:0 --accounts accounts.json"
            let unsaid = try tool.run(serve)
            #expect(unsaid.code != 0)
            #expect(unsaid.errors.components(separatedBy: "--trusted-proxies").count == 2, "\(unsaid.errors)")
            #expect(!(try tool.run(serve + " --trusted-proxies 10.0.0.1").errors.contains("--trusted-proxies")))
        }
    }
}
