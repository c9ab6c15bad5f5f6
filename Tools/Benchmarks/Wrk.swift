import Foundation
import TestSupport

/// Runs `wrk`, which sends the same requests repeatedly on many connections.
struct Wrk {
    let requestsPerSecond: Double
    let p99Nanoseconds: Double

    /// Sends requests for a number of seconds.
    ///
    /// - Parameters:
    ///   - address: scheme, host and port.
    ///   - path: the path of the requests.
    ///   - token: the caller's token; nil for none.
    ///   - bodies: the bodies of the POST requests, in turn; empty for GET requests.
    ///   - connections: number of open connections.
    ///   - seconds: duration of the run.
    ///   - folder: a folder for the script of `wrk`.
    static func run(
        _ address: String, _ path: String, token: String?, bodies: [String], connections: Int, seconds: Int, folder: String
    ) throws -> Wrk {
        let bodyFile = folder + "/bodies"
        try Data(bodies.joined(separator: "\n").utf8).write(to: URL(filePath: bodyFile))
        let script = folder + "/requests.lua"
        try Data(Wrk.script(path, token, bodies.isEmpty ? nil : bodyFile).utf8).write(to: URL(filePath: script))
        let text = try output(of: [
            "wrk", "--threads", "1", "--connections", "\(connections)", "--duration", "\(seconds)s", "--latency", "--script",
            script,
            address,
        ])
        guard !text.contains("Non-2xx"), !text.contains("Socket errors"), let rate = number(after: "Requests/sec:", in: text),
            let latency = time(after: "99%", in: text)
        else { throw BenchmarkFailure("wrk saw errors at \(path):\n\(text)") }
        return Wrk(requestsPerSecond: rate, p99Nanoseconds: latency)
    }

    private static func script(_ path: String, _ token: String?, _ bodyFile: String?) -> String {
        let authorization = token.map { "wrk.headers[\"Authorization\"] = \"Bearer \($0)\"\n" } ?? ""
        let requests =
            bodyFile.map { file in
                """
                wrk.headers["Content-Type"] = "application/json"
                function init(args)
                    for body in io.lines("\(file)") do
                        requests[#requests + 1] = wrk.format("POST", "\(path)", nil, body)
                    end
                end
                """
            } ?? "function init(args) requests[1] = wrk.format(\"GET\", \"\(path)\") end"
        return """
            local requests = {}
            local last = 0
            \(authorization)\(requests)
            function request()
                last = last % #requests + 1
                return requests[last]
            end
            """
    }

    private static func output(of command: [String]) throws -> String {
        try ChildProcess(command, errors: .withOutput).finish().output
    }

    private static func number(after word: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.contains(word) }?.split(separator: " ").last.flatMap { Double($0) }
    }

    /// Parses a time of wrk's output: `850.00us`, `1.20ms`, `2.01s`.
    private static func time(after word: String, in text: String) -> Double? {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        // The whole first word must match: a line that starts with `90.99%` must not match `99%`.
        guard let written = lines.first(where: { $0.first.map(String.init) == word })?.last else { return nil }
        for (unit, nanoseconds) in [("us", 1e3), ("ms", 1e6), ("s", 1e9)] where written.hasSuffix(unit) {
            return Double(written.dropLast(unit.count)).map { $0 * nanoseconds }
        }
        return nil
    }
}
