import Events
import Files
import Foundation
import Muniment
import Permissions
import Service
import ServiceSupport
import TestSupport
import Testing

@Suite("A service as a process: start and orderly stop")
struct ServedProcessTests {
    @Test(
        "The first start writes a valid token to a private file, prints its path; later starts report the file until it is removed"
    )
    func firstToken() throws {
        try withTemporaryFolder { folder in
            let file = folder + "/data/.muniment/first-token"
            let first = try ServedProcess(folder + "/data")
            first.signal(SIGTERM)
            #expect(first.exitCode() == 0)
            let output = first.lines.joined(separator: "\n") + first.rest() + first.errors
            #expect(output.contains(file) && !output.contains("muni_"))
            #expect(fileMode(file) == 0o600)
            let secret = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
            let second = try ServedProcess(folder + "/data")
            #expect(try metrics(second, secret) == 200)
            second.signal(SIGINT)
            #expect(second.exitCode() == 0)
            #expect(second.rest().isEmpty && second.errors.contains(file) && !second.errors.contains("muni_"))
            try FileManager.default.removeItem(atPath: file)
            let third = try ServedProcess(folder + "/data")
            third.signal(SIGTERM)
            #expect(third.exitCode() == 0)
            #expect(third.rest().isEmpty && !third.errors.contains(file) && !FileManager.default.fileExists(atPath: file))
            #expect(try Store.verify(at: folder + "/data/default").isSound)
        }
    }

    @Test(
        "With `--request-log json` each request is one object per line on standard error, and all lines are written before the exit"
    )
    func log() throws {
        try withTemporaryFolder { folder in
            let process = try ServedProcess(folder + "/data", options: ["--request-log", "json"])
            let client = try PlainClient(port: process.port)
            for _ in 0..<50 { #expect(try client.send("GET", "/healthz").0 == 200) }
            process.signal(SIGTERM)
            #expect(process.exitCode() == 0)
            let lines = process.errors.split(separator: "\n")
            let requests = lines.filter { $0.contains(#""path":"/healthz""#) }
            #expect(requests.count == 50)
            #expect(lines.allSatisfy { $0.hasPrefix(#"{"time":""#) && $0.contains(#","level":""#) && $0.hasSuffix("}") })
        }
    }

    @Test(
        "The log has the version, each store and the address at the start, and the stop, with time and level",
        arguments: LogFormat.allCases)
    func startAndStop(format: LogFormat) throws {
        try withTemporaryFolder { folder in
            try Store.create(at: folder + "/data/loose", preset: .open).close()
            try Store.create(at: folder + "/data/tight", preset: .locked).close()
            let process = try ServedProcess(folder + "/data", options: ["--request-log", format.rawValue])
            process.signal(SIGTERM)
            #expect(process.exitCode() == 0)
            let expected = [
                ("info", "muniment 0.1.0"), ("warning", "the store `loose` is open, revision 0"),
                ("info", "the store `tight` is locked, revision 0"), ("info", "listens on http://127.0.0.1:\(process.port)"),
                ("info", "stops: running requests finish"), ("info", "stopped"),
            ]
            let lines = process.errors.split(separator: "\n").map(String.init)
            #expect(lines.count == expected.count, "\(lines)")
            for (line, (level, text)) in zip(lines, expected) {
                if format == .json {
                    let object = try JSONText.decode(Array(line.utf8))
                    #expect(object["level"] == .string(level))
                    guard case .string(let message)? = object["message"] else { throw NoMessage(line: line) }
                    #expect(message.hasPrefix(text), "\(line)")
                    continue
                }
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                #expect((try? Instant(words[0])) != nil && words[1] == level && words[2].hasPrefix(text), "\(line)")
            }
        }
    }

    @Test("An error that ends the start is a line of the log, in its format", arguments: [LogFormat.json, .text])
    func failedStart(format: LogFormat) throws {
        try withTemporaryFolder { folder in
            let store = try Store.create(at: folder + "/data/default")
            let helper = try ChildProcess(
                [
                    ServedProcess.executable.path, "serve", "--data", folder + "/data", "--listen", "127.0.0.1:0", "--request-log",
                    format.rawValue,
                ])
            let result = try helper.finish()
            try store.close()
            #expect(result.exitCode == 3)
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 2, "\(lines)")
            let begin = format == .json ? #","level":"error","message":""# : " error "
            #expect(lines.last?.contains(begin + "`\(folder)/data/default` is being written to by") == true, "\(lines)")
        }
    }

    private struct NoMessage: Error { let line: String }

    @Test("After a kill, and after the loss of an index, the log of the next start says so")
    func suddenEnd() throws {
        try withTemporaryFolder { folder in
            let store = try Store.create(at: folder + "/data/default")
            try store.commit(Transaction("user:root", [.register("user:ann")]))
            try store.close()
            let killed = try ServedProcess(folder + "/data")
            killed.signal(SIGKILL)
            _ = killed.exitCode()
            let next = try ServedProcess(folder + "/data")
            #expect(try next.hasReported("the store `default`: it was not closed before"))
            next.signal(SIGTERM)
            #expect(next.exitCode() == 0)
            try FileManager.default.removeItem(atPath: folder + "/data/default/index")
            let last = try ServedProcess(folder + "/data")
            #expect(try last.hasReported("the store `default`: its index was rebuilt from the log"))
            last.signal(SIGTERM)
            #expect(last.exitCode() == 0)
            #expect(!last.errors.contains("not closed"))
        }
    }

    @Test("The process notifies systemd by datagram when it listens and when it stops")
    func notifies() throws {
        try withTemporaryFolder { folder in
            let manager = try ListeningManager(at: folder + "/notify")
            let process = try ServedProcess(folder + "/data", environment: ["NOTIFY_SOCKET": folder + "/notify"])
            #expect(manager.message() == "READY=1")
            process.signal(SIGTERM)
            #expect(manager.message() == "STOPPING=1")
            #expect(process.exitCode() == 0)
        }
    }

    @Test("SIGHUP does not end a service that has nothing to reload")
    func reload() throws {
        try withTemporaryFolder { folder in
            let process = try ServedProcess(folder + "/data")
            process.signal(SIGHUP)
            #expect(try process.hasReported("SIGHUP: there is nothing to reload"))
            #expect(try PlainClient(port: process.port).send("GET", "/healthz").0 == 200)
            process.signal(SIGTERM)
            #expect(process.exitCode() == 0)
        }
    }

    @Test("A service that is started with all signals blocked obeys SIGTERM")
    func blockedSignals() throws {
        try withTemporaryFolder { folder in
            let process = try ServedProcess(folder + "/data", blockingSignals: true)
            process.signal(SIGTERM)
            #expect(process.exitCode() == 0)
        }
    }

    private func metrics(_ process: ServedProcess, _ secret: String) throws -> Int {
        try PlainClient(port: process.port).send("GET", "/metrics", headers: ["Authorization": "Bearer " + secret]).0
    }
}
