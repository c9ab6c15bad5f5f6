import Foundation
import Muniment
import TestSupport

/// Measures the service over real sockets, and compares it with the same HTTP server with a constant response.
struct ServiceSuite {
    let folder: String
    let entries: Int
    let seconds: Int

    struct Result {
        var constant: Wrk
        var evaluation: Wrk
        var health: Wrk
        var evaluations: Wrk
    }

    static let connections = 64
    static let items = 100
    /// The command line tool, built in the same folder as this program.
    static var tool: String { URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/muniment" }

    func run() throws -> Result {
        let data = try GeneratedStore.make(entries: entries, in: folder)
        let directory = folder + "/data"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: data.path, toPath: directory + "/default")
        let token = try ServiceSuite.token(directory, ["ask"])
        let single = data.generator.questions(.direct, count: 5_000) + data.generator.questions(.nested, count: 5_000)
        let bodies = single.shuffled().map(ServiceSuite.evaluation)
        let many = stride(from: 0, to: single.count, by: Self.items).map { start in
            #"{"evaluations":["# + single[start..<start + Self.items].map(ServiceSuite.evaluation).joined(separator: ",") + "]}"
        }
        func wrk(_ server: ServiceProcess, _ path: String, _ bodies: [String]) throws -> Wrk {
            try Wrk.run(
                server.address, path, token: token, bodies: bodies, connections: Self.connections, seconds: seconds, folder: folder)
        }
        return try ServiceProcess.with(CommandLine.arguments[0], ["--constant-server"]) { constant in
            try ServiceProcess.with(Self.tool, ["serve", "--data", directory, "--listen", "127.0.0.1:0"]) { service in
                Result(
                    constant: try wrk(constant, "/access/v1/evaluation", bodies),
                    evaluation: try wrk(service, "/access/v1/evaluation", bodies), health: try wrk(service, "/healthz", []),
                    evaluations: try wrk(service, "/access/v1/evaluations", many))
            }
        }
    }

    static func evaluation(_ question: Question) -> String {
        func entity(_ name: String) -> String {
            let parts = name.split(separator: ":", maxSplits: 1)
            return #"{"type":"\#(parts[0])","id":"\#(parts[1])"}"#
        }
        return #"{"subject":\#(entity(question.subject)),"action":{"name":"read"},"resource":\#(entity(question.object))}"#
    }

    /// A token for the default store.
    static func token(_ directory: String, _ right: [String]) throws -> String {
        let command = [tool, "token", "create", "--data", directory, "--store", "default", "--can"] + right
        return try ChildProcess(command, errors: .inherited).finish().output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

func measureService(_ entries: Int, _ label: String, _ arguments: Arguments) throws -> Table {
    var table = Table(
        "The service, \(label) entries, \(ServiceSuite.connections) connections, vs. the same server with a constant answer")
    note("the service, \(label) entries")
    let folder = arguments.folder + "/service"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try ServiceSuite(folder: folder, entries: entries, seconds: arguments.isQuick ? 3 : 10).run()
    table.add(
        Row(
            "AuthZEN evaluation", .perSecond(result.evaluation.requestsPerSecond),
            raw: .perSecond(result.constant.requestsPerSecond),
            goal: .ratioAtLeast(0.6)))
    table.add(
        Row(
            "AuthZEN evaluation, p99", .nanoseconds(result.evaluation.p99Nanoseconds),
            raw: .nanoseconds(result.constant.p99Nanoseconds), goal: .figureAtMost(5e6, .nanoseconds)))
    table.add(
        Row(
            "AuthZEN evaluation, vs. the service's own GET /healthz", .perSecond(result.evaluation.requestsPerSecond),
            raw: .perSecond(result.health.requestsPerSecond)))
    table.add(
        Row(
            "decisions in evaluations of \(ServiceSuite.items)",
            .perSecond(result.evaluations.requestsPerSecond * Double(ServiceSuite.items)),
            goal: .figureAtLeast(400_000, .perSecond)))
    return table
}

/// Measures a store that fits into the processor's caches, and a store that does not.
func measureServices(_ arguments: Arguments) throws -> [Table] {
    let small = try measureService(10_000, "10 k", arguments)
    return arguments.isQuick ? [small] : [small, try measureService(1_000_000, "1 M", arguments)]
}
