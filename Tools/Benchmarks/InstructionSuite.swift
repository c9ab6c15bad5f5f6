import Foundation
import TestSupport

/// Counts the instructions of requests to the service with valgrind's cachegrind: figures without noise, for judging a change.
///
/// Each operation runs twice, with few and with many calls. The difference of the instructions, divided by the difference of the calls,
/// is the cost of a call: the costs of the start and of the preparation cancel out.
struct InstructionSuite {
    let folder: String

    /// An operation, its numbers of calls, and the goal for its instructions.
    private struct Operation {
        let name: String
        let few: Int
        let many: Int
        var goal: Double?
    }

    private static let entries = 10_000
    private static let operations = [
        Operation(name: "GET /healthz", few: 1_000, many: 5_000),
        Operation(name: "AuthZEN evaluation", few: 1_000, many: 5_000, goal: 70_000),
        Operation(name: "decision in evaluations of \(ServiceSuite.items)", few: 20, many: 120),
    ]

    /// Returns the table.
    ///
    /// - Parameter only: the beginning of the names of the operations to count; nil for all.
    func run(only: String?) throws -> Table {
        var table = Table("Instructions of an operation")
        for operation in Self.operations where only.map(operation.name.hasPrefix) ?? true {
            note("instructions: \(operation.name)")
            let place = folder + "/instructions"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: place) }
            let counts = try service(operation, in: place)
            let calls = Double(counts.many.calls - counts.few.calls)
            table.add(
                Row(
                    operation.name, .instructions((counts.many.instructions - counts.few.instructions) / calls),
                    goal: operation.goal.map { .figureAtMost($0, .instructions) }))
        }
        return table
    }

    private typealias Count = (calls: Int, instructions: Double)

    private func valgrind(_ log: String) -> [String] {
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-file=\(log)"]
    }

    /// The number of instructions that cachegrind reports: `I refs: 1,234`.
    private func instructions(_ log: String) throws -> Double {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.contains("I ") && $0.contains("refs:") }),
            let count = Double(line.split(separator: ":").last?.filter(\.isNumber) ?? "")
        else { throw BenchmarkFailure("valgrind reports no instructions:\n\(text)") }
        return count
    }

    private func service(_ operation: Operation, in place: String) throws -> (few: Count, many: Count) {
        let data = try GeneratedStore.make(entries: Self.entries, in: place)
        let directory = place + "/data"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: data.path, toPath: directory + "/default")
        let token = try ServiceSuite.token(directory, ["ask"])
        let questions = data.generator.questions(.direct, count: ServiceSuite.items).map(ServiceSuite.evaluation)
        let isBatch = operation.name.hasPrefix("decision")
        let body = isBatch ? #"{"evaluations":[\#(questions.joined(separator: ","))]}"# : questions[0]
        let counts = try [operation.few, operation.many].map { calls in
            let log = place + "/cachegrind"
            let command = valgrind(log) + [ServiceSuite.tool, "serve", "--data", directory, "--listen", "127.0.0.1:0"]
            try ServiceProcess.with(command[0], Array(command.dropFirst())) { service in
                let path =
                    operation.name.hasPrefix("GET") ? "/healthz" : isBatch ? "/access/v1/evaluations" : "/access/v1/evaluation"
                var request = "url = \"\(service.address)\(path)\"\noutput = /dev/null\nfail\n"
                if path != "/healthz" {
                    try Data(body.utf8).write(to: URL(filePath: place + "/body"))
                    request += "header = \"Authorization: Bearer \(token)\"\nheader = \"Content-Type: application/json\"\n"
                    request += "data = \"@\(place)/body\"\n"
                }
                let file = place + "/requests"
                try Data(Array(repeating: request, count: calls).joined(separator: "next\n").utf8).write(to: URL(filePath: file))
                let end = try ChildProcess(["curl", "--silent", "--show-error", "--config", file], errors: .inherited).finish()
                guard end.exitCode == 0 else { throw BenchmarkFailure("curl failed at \(path)") }
            }
            return (calls * (isBatch ? ServiceSuite.items : 1), try instructions(log))
        }
        return (counts[0], counts[1])
    }
}
