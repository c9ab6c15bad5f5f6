import Foundation
import TestSupport
import Testing

/// The commands for shared logs, with a real PostgreSQL.
@Suite("Commands for shared logs")
struct SharedLogCommandTests {
    @Test("A store moves to a database and back; meanwhile it takes no change without its log")
    func moveAndLeave() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            let address = "postgresql://muniment@/muniment?host=\(server.folder)"
            try tool.make("init --store data/default")
            try tool.make("register user:ann --store data/default")
            let unprepared = try tool.run("log move --store data/default --to \(address) --log-without-standby")
            #expect(unprepared.code == 3)
            #expect(unprepared.errors.contains("the database has no tables for logs"))
            try server.run(try tool.make("log schema").output)
            let unsafe = try tool.run("log move --store data/default --to \(address)")
            #expect(unsafe.code == 3)
            #expect(unsafe.errors.contains("`synchronous_standby_names` is empty"))
            let moved = try tool.make("log move --store data/default --to \(address) --log-without-standby")
            #expect(moved.lines == ["moved 1 revision to the shared log"])
            #expect(try server.run("SELECT count(*) FROM muniment.commits WHERE store = 'default'") == "2\n")
            let change = try tool.run("register user:bob --store data/default")
            #expect(change.code == 3)
            #expect(change.errors.contains("is a copy of a shared log"))
            let copied = try tool.make("log copy --store data/default --log \(address) --log-without-standby")
            #expect(copied.lines == ["copied the shared log"])
            #expect(FileManager.default.fileExists(atPath: tool.folder.appending(path: "data/default/log.old/data.mdb").path))
            try tool.make("verify --store data/default")
            let left = try tool.make("log leave --store data/default")
            #expect(left.lines == ["the store in `data/default` is on this machine now"])
            try tool.make("register user:bob --store data/default")
            let again = try tool.make("log move --store data/default --to \(address) --log-without-standby")
            #expect(again.lines == ["moved 2 revisions to the shared log"])
        }
    }

    @Test("A node without the folder of its recorded copy starts, names it, and serves it when it is back")
    func missingCopy() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            let log = "--log postgresql://muniment@/muniment?host=\(server.folder) --log-without-standby"
            try tool.make("init --store data/default")
            try server.run(try tool.make("log schema").output)
            try tool.make("log move --store data/default --to \(log.dropFirst(6))")
            let (path, elsewhere) = (tool.folder.appending(path: "data/default"), tool.folder.appending(path: "elsewhere"))
            let call = "serve --data data --listen 127.0.0.1:0 \(log)"
            #expect(try ServingTool(tool, call: call, lineCount: 1).stop().code == 0)
            try FileManager.default.moveItem(at: path, to: elsewhere)
            let service = try ServingTool(tool, call: call, lineCount: 1)
            #expect(try service.hasReported("the store `default` is not served: the store `data/default` is missing"))
            try FileManager.default.moveItem(at: elsewhere, to: path)
            #expect(try service.hasReported("the store `default` is served again"))
            #expect(try service.stop().code == 0)
        }
    }
}
