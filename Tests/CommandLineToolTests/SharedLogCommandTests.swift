import Foundation
import NetworkClient
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

    /// The cluster test found this with seed 4080891362: a node had no news from the shared log until it was started again.
    @Test("A node with a clock that was ahead, and is set right, has news from its shared log at once")
    func clockSetBack() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            let log = "--log postgresql://muniment@/muniment?host=\(server.folder) --log-without-standby"
            try tool.make("init --store data/default")
            try server.run(try tool.make("log schema").output)
            try tool.make("log move --store data/default --to \(log.dropFirst(6))")
            let secret = try tool.make("token create --data data --store default --can ask").output
            let (library, offset) = (tool.folder.appending(path: "clock.so"), tool.folder.appending(path: "offset"))
            let source = TestSettings.package + "/Tools/LocalCluster/clock.c"
            let compiler = try ChildProcess(
                ["/usr/bin/env", "clang", "-shared", "-fPIC", "-o", library.path, source, "-ldl", "-pthread"],
                environment: ChildProcess.environment
            ).finish()
            try #require(compiler.exitCode == 0, "\(compiler.errors)")
            func setClock(aheadBySeconds seconds: Int) throws {
                let microseconds = UInt64(seconds) * 1_000_000
                let bytes = (0..<8).map { UInt8(truncatingIfNeeded: microseconds >> (8 * UInt64($0))) }
                try FileHandle(forWritingTo: offset).write(contentsOf: bytes)
            }
            try Data(count: 8).write(to: offset)
            let service = try ServingTool(
                tool, call: "serve --data data --listen 127.0.0.1:0 \(log)", lineCount: 1,
                environment: ["LD_PRELOAD": library.path, "CLOCK_OFFSET_FILE": offset.path])
            var request = HTTPClientRequest(try #require(HTTPAddress(service.address + "/v1/stores/default/caller")))
            request.timeoutSeconds = 600
            request.headers = [("Authorization", "Bearer " + secret.trimmingCharacters(in: .newlines))]
            /// Waits until the node has had everything that the shared log has, at a moment from now on.
            func awaitNews() throws -> Bool {
                let begin = ContinuousClock.now
                while begin.duration(to: .now) < .seconds(300) {
                    let asked = ContinuousClock.now
                    let lag = try HTTPClient.send(request).header("Muniment-Lag").flatMap(Double.init)
                    if let lag, begin.duration(to: asked) > .seconds(lag) { return true }
                }
                return false
            }
            #expect(try awaitNews())
            try setClock(aheadBySeconds: 1_000)
            // The second look began after the clock was set.
            for _ in 0..<2 { #expect(try awaitNews()) }
            try setClock(aheadBySeconds: 0)
            for _ in 0..<2 { #expect(try awaitNews()) }
            #expect(try service.stop().code == 0)
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

    /// Gives the key of the tokens in `data` to another data directory.
    private func copyKey(to directory: String, _ tool: BuiltTool) throws {
        let copy = "mkdir -p \(directory)/.muniment && cp -p data/.muniment/tokens.key \(directory)/.muniment/"
        #expect(try tool.shell(copy).code == 0)
    }

    /// The status of a request to a service with a token.
    private func status(of service: ServingTool, _ path: String, _ secret: String) throws -> (status: Int, body: String) {
        var request = HTTPClientRequest(try #require(HTTPAddress(service.address + path)))
        request.timeoutSeconds = 600
        request.headers = [("Authorization", "Bearer " + secret.trimmingCharacters(in: .newlines))]
        let response = try HTTPClient.send(request)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test("Someone with only the database's password cannot make a token, and a node without the key does not start")
    func forgedToken() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            let log = "--log postgresql://muniment@/muniment?host=\(server.folder) --log-without-standby"
            try server.run(try tool.make("log schema").output)
            #expect(try tool.shell("mkdir data").code == 0)
            let own = try tool.make("token create --data data --store * --can administer \(log)").output
            let call = "--listen 127.0.0.1:0 \(log)"
            let stranger = try tool.run("serve --data other \(call)")
            #expect(stranger.code == 3)
            #expect(stranger.errors.contains("this node has no key for the tokens of the shared log: copy"), "\(stranger.errors)")
            let checked = try tool.run("serve --check --data other \(call)")
            #expect(
                checked.code == 1 && checked.output.contains("problem  this node has no key for the tokens"), "\(checked.output)")
            try copyKey(to: "other", tool)
            let nodes = try ["data", "other"].map { try ServingTool(tool, call: "serve --data \($0) \(call)", lineCount: 1) }
            let secret = "muni_" + String(repeating: "A", count: 43)
            let hash = try tool.shell("printf %s \(secret) | sha256sum").output.prefix(64)
            let line = #"{"created":"t2","time":"2026-01-01T00:00:00Z","hash":"\#(hash)","can":"administer","stores":"*""#
            // The role of the service appends a token, and then a line that is not a token.
            for text in [line, "no token"] {
                try server.run(
                    """
                    SET SESSION AUTHORIZATION muniment;
                    SELECT muniment.append('/tokens', gen_random_uuid(), h.revision, h.hash, h.refusal, h.refusal_hash,
                        ARRAY['\(text)'::bytea], ARRAY[sha256(h.hash || '\(text)'::bytea)], ARRAY[]::bytea[], ARRAY[]::bytea[])
                    FROM muniment.heads AS h WHERE h.store = '/tokens'
                    """)
            }
            for node in nodes {
                var metric: Substring?
                for _ in 0..<60_000 where metric?.hasSuffix(" 2") != true {
                    metric = try status(of: node, "/metrics", own).body.split(separator: "\n").first {
                        $0.hasPrefix("muniment_shared_log_foreign_token_lines ")
                    }
                    usleep(20_000)
                }
                #expect(metric == "muniment_shared_log_foreign_token_lines 2")
                #expect(try status(of: node, "/v1/stores/default/caller", secret).status == 401)
                #expect(try status(of: node, "/v1/stores/default/caller", own).status == 200)
                #expect(try node.hasReported("that no node made"))
            }
            // Commands and nodes continue.
            let added = try tool.make("token create --data data --store * --can ask \(log)").output
            for node in nodes {
                var found = 0
                for _ in 0..<60_000 where found != 200 {
                    found = try status(of: node, "/v1/stores/default/caller", added).status
                    usleep(20_000)
                }
                #expect(found == 200)
            }
            #expect(try tool.make("token list --data data").lines.count == 2)
            for node in nodes { #expect(try node.stop().code == 0) }
        }
    }

    @Test("The tokens of a log that an earlier release wrote are adopted by a command")
    func adoptTokens() throws {
        try BuiltTool.inFreshFolder { tool in
            let server = try PostgreSQLServer.withDatabase()
            let log = "--log postgresql://muniment@/muniment?host=\(server.folder) --log-without-standby"
            try server.run(try tool.make("log schema").output)
            let line =
                #"{"created":"t1","time":"2026-01-01T00:00:00Z","hash":"\#(String(repeating: "0", count: 64))","can":"ask","stores":"*""#
            try server.run(
                """
                SELECT muniment.append('/tokens', gen_random_uuid(), -1, '', 0, '', ARRAY['\(line)'::bytea],
                    ARRAY[sha256(decode(repeat('00', 32), 'hex') || '\(line)'::bytea)], ARRAY[]::bytea[], ARRAY[]::bytea[])
                """)
            let refused = try tool.run("serve --data data --listen 127.0.0.1:0 \(log)")
            #expect(
                refused.code == 3 && refused.errors.contains("run `muniment token adopt --data DIR --log URL`"), "\(refused.errors)"
            )
            let adopted = try tool.make("token adopt --data data \(log)")
            #expect(adopted.lines == ["t1  good     ask  *  made 2026-01-01T00:00:00Z"], "\(adopted.output)")
            #expect(adopted.errors.contains("revoke those that you do not know"), "\(adopted.errors)")
            let again = try tool.run("token adopt --data data \(log)")
            #expect(again.code == 3 && again.errors.contains("have codes already"), "\(again.errors)")
            #expect(try tool.run("token adopt --data data").code == 2)
            try tool.make("token revoke t1 --data data \(log)")
            let service = try ServingTool(tool, call: "serve --data data --listen 127.0.0.1:0 \(log)", lineCount: 1)
            #expect(try service.stop().code == 0)
        }
    }
}
