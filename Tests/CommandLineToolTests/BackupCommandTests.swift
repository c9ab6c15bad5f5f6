import Foundation
import Testing

@Suite("The tool backs up and restores")
struct BackupCommandTests {
    @Test("`backup` and `restore` print the same head hash as `stats`, and the restored store verifies")
    func oneStore() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            let head = try #require(try tool.object("stats --json")["hash"] as? String)
            #expect(try tool.make("backup monday").output.contains(head))
            #expect(try tool.make("restore monday --store again").output.contains(head))
            #expect(try tool.make("verify --store again").output.contains(head))
            let again = try tool.run("backup monday")
            #expect(again.code == 3)
            #expect(
                again.errors
                    == "muniment: `monday` already exists and is not overwritten: name another folder\n")
            #expect(try tool.run("restore monday").code == 2, "the store that MUNIMENT_STORE names is not meant by accident")
        }
    }

    @Test("What root restores into the data directory of another user belongs to that user", .enabled(if: geteuid() == 0))
    func owner() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.makeDemo()
            try tool.make("backup monday")
            let site = tool.folder.appending(path: "site").path
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: site)
            try tool.make("restore monday --store site/default")
            let files = try #require(FileManager.default.enumerator(atPath: site)).compactMap { $0 as? String }
            #expect(files.contains("default/log/seal"))
            for file in files {
                let owner = try FileManager.default.attributesOfItem(atPath: "\(site)/\(file)")[.ownerAccountID]
                #expect(owner as? Int == 65_534, "\(file)")
            }
        }
    }

    @Test("`--data` backs up all stores; tokens are restored only on request")
    func allStores() throws {
        try BuiltTool.inFreshFolder { tool in
            for store in ["default", "second"] { try tool.make("init --store data/\(store)") }
            try FileManager.default.createDirectory(
                at: tool.folder.appending(path: "data/.muniment"), withIntermediateDirectories: true)
            try tool.write("one\ntwo\nhal", to: "data/.muniment/tokens.jsonl")
            #expect(try tool.make("backup all --data data").lines.count == 2)
            try tool.make("restore all --data without")
            try tool.make("restore all --data with --with-tokens")
            for store in ["default", "second"] {
                for data in ["with", "without"] { try tool.make("verify --store \(data)/\(store)") }
            }
            let tokens = { (data: String) in tool.folder.appending(path: "\(data)/.muniment/tokens.jsonl") }
            #expect(!FileManager.default.fileExists(atPath: tokens("without").path))
            #expect(try String(contentsOf: tokens("with"), encoding: .utf8) == "one\ntwo\n")
            let mode = try FileManager.default.attributesOfItem(atPath: tokens("with").path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try tool.make("restore all/second --store alone")
            #expect(try tool.run("backup none --data alone").code == 3)
            #expect(try tool.run("backup both --data data --store data/default").code == 2)
        }
    }

    @Test(
        "`restore --with-tokens` refuses a token file that does not belong to the backup",
        arguments: [
            "echo x >>$F", "printf X | dd of=$F conv=notrunc", "truncate -s 60 $F", ": >$F", "rm $F", "rm $F && mkfifo $F",
        ])
    func changedTokens(change: String) throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --store data/default")
            try tool.make("token create --data data --store default --can ask")
            try tool.make("backup all --data data")
            #expect(try tool.shell("F=all/.muniment/tokens.jsonl; \(change)").code == 0)
            let result = try tool.run("restore all --data with --with-tokens")
            #expect(result.code == 3)
            #expect(result.errors.contains("tokens.jsonl"), "\(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "with").path))
            try tool.make("restore all --data without")
        }
    }

    @Test("A backup into a folder that does not exist, or into the data itself, is refused and creates nothing")
    func wrongPlace() throws {
        try BuiltTool.inFreshFolder { tool in
            try tool.make("init --store data/default")
            #expect(try tool.shell("mkdir -p data/.muniment").code == 0)
            for source in ["--data data", "--store data/default"] {
                let missing = try tool.run("backup backups/monday \(source)")
                #expect(missing.code == 3 && missing.errors.contains("`backups` for the backup `backups/monday` does not exist"))
                for place in ["data/monday", "data/default/monday", "data/.muniment/monday", "data/default/log/monday"] {
                    let inside = try tool.run("backup \(place) \(source)")
                    #expect(inside.code == 3 && inside.errors.contains("would be in the data"), "\(inside.errors)")
                }
            }
            #expect(try tool.shell("find . -name 'monday*' -o -name backups").output.isEmpty)
        }
    }
}
