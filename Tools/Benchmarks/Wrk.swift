import Foundation
import TestSupport

/// `wrk`, sending the same requests over and over on many connections.
struct Wrk {
    let requestsPerSecond: Double
    let p99Nanoseconds: Double

    /// Sends requests for a while.
    ///
    /// - Parameters:
    ///   - address: scheme, host and port.
    ///   - path: where to.
    ///   - token: the caller's; nil for none.
    ///   - bodies: what is posted, in turn; empty for plain GETs.
    ///   - connections: how many are open at once.
    ///   - seconds: how long.
    ///   - folder: for the script.
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

    /// A time as wrk writes it: `850.00us`, `1.20ms`, `2.01s`.
    private static func time(after word: String, in text: String) -> Double? {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        // The word by itself: a share of 90.99 % is no 99 %.
        guard let written = lines.first(where: { $0.first.map(String.init) == word })?.last else { return nil }
        for (unit, nanoseconds) in [("us", 1e3), ("ms", 1e6), ("s", 1e9)] where written.hasSuffix(unit) {
            return Double(written.dropLast(unit.count)).map { $0 * nanoseconds }
        }
        return nil
    }
}
