import Foundation
import TestSupport
import Testing

@Suite("The tool backs up and restores the accounts of a service")
struct AccountsBackupTests {
    private static let master = ".muniment/master.key"

    @Test(
        "A backup during sign-ups contains every account from before its start, and each can be verified and signed in to"
    )
    func live() throws {
        try BuiltTool.inFreshFolder { tool in
            let site = try AccountsSite(tool)
            let ann = try site.signUp("ann@example.com", name: "Ann")
            let script = (1...6).map { site.signingUp("p\($0)@example.com", name: "P") }.joined()
            let others = try ChildProcess(["/bin/sh", "-c", script], in: tool.folder.path)
            for number in 1...4 { try tool.make("backup b\(number) --data site") }
            others.waitUntilExit()
            try tool.make("backup b5 --data site")
            try site.stop()
            for number in 1...5 {
                try tool.make("restore b\(number) --data r\(number)")
                try Self.bringMasterKey(tool, to: "r\(number)")
                #expect(try tool.make("account verify --data r\(number)").output.contains("sound"))
                #expect(try tool.make("account find ann@example.com --data r\(number)").output.hasPrefix(ann))
                for line in try tool.make("account list --data r\(number)").lines {
                    let principal = try #require(line.split(separator: " ").first)
                    try tool.make("account show \(principal) --data r\(number)")
                    #expect(try tool.make("log --store r\(number)/default").output.contains(principal), "a user of the store")
                }
            }
            #expect(try tool.make("account list --data r5").lines.count == 7)
            let again = try AccountsSite(tool, data: "r5")
            #expect(try again.signIn("ann@example.com") == ann)
            try again.stop()
        }
    }

    @Test(
        "A backup has no byte of the master key; without it, or with another key, the restored accounts stay closed with a reason")
    func masterKey() throws {
        try BuiltTool.inFreshFolder { tool in
            let site = try AccountsSite(tool)
            _ = try site.signUp("ann@example.com", name: "Ann")
            let made = try tool.make("backup monday --data site")
            #expect(made.errors.contains("the backup does not contain `site/.muniment/master.key`"))
            #expect(made.output.contains("1 accounts  record "))
            try site.stop()
            let key = try #require(try Self.text(tool, "site/\(Self.master)").split(whereSeparator: \.isWhitespace).last)
            let standard = String(key).replacing("-", with: "+").replacing("_", with: "/") + "="
            let bytes = try #require(Data(base64Encoded: standard))
            let files = try #require(FileManager.default.enumerator(atPath: tool.folder.appending(path: "monday").path))
            var names: [String] = []
            for case let name as String in files {
                names.append(name)
                guard let data = FileManager.default.contents(atPath: tool.folder.appending(path: "monday/\(name)").path) else {
                    continue
                }
                for secret in [Data(key.utf8), bytes, Data("ann@example.com".utf8)] {
                    #expect(data.range(of: secret) == nil, "\(name)")
                }
            }
            #expect(names.contains(".muniment/accounts/keys") && !names.contains(Self.master))
            #expect(try tool.make("restore monday --data again").errors.contains("again/.muniment/master.key"))
            let without = try tool.run("account verify --data again")
            #expect(
                without.code == 3 && without.errors.contains("`again/.muniment/master.key` has no master key"), "\(without.errors)")
            try FileManager.default.createDirectory(at: tool.folder.appending(path: "other"), withIntermediateDirectories: true)
            try AccountsSite(tool, data: "other").stop()
            try Self.bringMasterKey(tool, from: "other", to: "again")
            let other = try tool.run("account verify --data again")
            #expect(other.code == 3 && other.errors.contains("made with another master key"), "\(other.errors)")
            try Self.bringMasterKey(tool, to: "again")
            try tool.make("account verify --data again")
            for name in ["accounts/keys", "accounts/head", "accounts/log/data.mdb"] {
                #expect(try Self.mode(tool, "again/.muniment/\(name)") == 0o600)
            }
            for name in ["", "/accounts", "/accounts/log"] { #expect(try Self.mode(tool, "again/.muniment\(name)") == 0o700) }
            #expect(try tool.run("restore monday --data again").errors.contains("is not overwritten"))
        }
    }

    @Test("An account deleted after the backup is restored with the keys of the backup, not with later keys")
    func deleted() throws {
        try BuiltTool.inFreshFolder { tool in
            let site = try AccountsSite(tool)
            let ann = try site.signUp("ann@example.com", name: "Ann")
            _ = try site.signUp("bob@example.com", name: "Bob")
            try tool.make("backup before --data site")
            try tool.make("account delete \(ann) --data site")
            try tool.make("backup after --data site")
            try site.stop()
            for name in ["whole", "keyless"] {
                try tool.make("restore before --data \(name)")
                try Self.bringMasterKey(tool, to: name)
            }
            #expect(try tool.make("account find ann@example.com --data whole").output.hasPrefix(ann))
            try Self.copy(tool, "after/.muniment/accounts/keys", to: "keyless/.muniment/accounts/keys")
            #expect(try tool.run("account find ann@example.com --data keyless").code == 1)
            #expect(try tool.make("account verify --data keyless").output.contains("1 accounts"))
            let answer = try #require(try tool.object("backup json --data whole --json")["accounts"] as? [String: Any])
            #expect(answer["accounts"] as? Int == 2)
        }
    }

    private static func bringMasterKey(_ tool: BuiltTool, from: String = "site", to data: String) throws {
        try copy(tool, "\(from)/\(master)", to: "\(data)/\(master)")
    }

    private static func copy(_ tool: BuiltTool, _ path: String, to other: String) throws {
        let target = tool.folder.appending(path: other)
        if FileManager.default.fileExists(atPath: target.path) { try FileManager.default.removeItem(at: target) }
        try FileManager.default.copyItem(at: tool.folder.appending(path: path), to: target)
    }

    private static func text(_ tool: BuiltTool, _ path: String) throws -> String {
        try String(contentsOf: tool.folder.appending(path: path), encoding: .utf8)
    }

    private static func mode(_ tool: BuiltTool, _ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: tool.folder.appending(path: path).path)[.posixPermissions] as? Int
    }
}
