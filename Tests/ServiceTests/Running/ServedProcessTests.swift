import Events
import Files
import Foundation
import Muniment
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

    private struct NoMessage: Error { let line: String }

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
