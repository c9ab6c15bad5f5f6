import Foundation
import TestSupport

/// Counts the instructions of operations with valgrind's cachegrind: figures without noise, for judging a change.
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
        /// Nil for a request to the service.
        var counted: CountedOperation?
        /// An operation whose instructions are not part of this one.
        var without: CountedOperation?
    }

    private static let entries = 10_000
    private static let operations = [
        Operation(name: "durable commit of one event, 64 callers", few: 40, many: 400, goal: 50_000, counted: .commit),
        Operation(
            name: "bulk import, an event", few: entries, many: CountedOperation.size, goal: 22_000, counted: .import,
            without: .generate),
        Operation(name: "rebuild of the index, an event", few: 1, many: 4, goal: 12_000, counted: .rebuild),
        Operation(name: "AuthZEN evaluation", few: 1_000, many: 5_000, goal: 70_000),
        Operation(name: "decision in evaluations of \(ServiceSuite.items)", few: 20, many: 120),
        Operation(name: "GET /healthz", few: 1_000, many: 5_000),
        Operation(
            name: "query by range and prefix, first 100 of \(CountedOperation.size) objects", few: 5, many: 25, counted: .query),
        Operation(name: "audit page of 100 of \(CountedOperation.size) records", few: 5, many: 55, counted: .audit),
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
            var figure = try operation.counted.map { try library($0, operation, in: place) } ?? service(operation, in: place)
            if let without = operation.without { figure -= try library(without, operation, in: place) }
            table.add(Row(operation.name, .instructions(figure), goal: operation.goal.map { .figureAtMost($0, .instructions) }))
        }
        return table
    }

    private typealias Count = (calls: Int, instructions: Double)

    /// Returns the instructions of a call, from counts with few and with many calls.
    private func difference(_ counts: [Count]) -> Double {
        (counts[1].instructions - counts[0].instructions) / Double(counts[1].calls - counts[0].calls)
    }

    /// Returns the beginning of a command that counts the instructions of a program. The program is copied without its symbols:
    /// valgrind 3.19 ends when it reads those of a large Swift program.
    private func valgrind(_ program: String, _ place: String, log: String) throws -> [String] {
        let copy = place + "/program"
        let end = try ChildProcess(["strip", "-o", copy, program], errors: .inherited).finish()
        guard end.exitCode == 0 else { throw BenchmarkFailure("strip failed for \(program)") }
        // glibc fills and copies large areas with one repeated instruction, which valgrind counts for each byte. From which size it does
        // so depends on the processor.
        let tunables = ["stosb", "movsb"].map { "glibc.cpu.x86_rep_\($0)_threshold=1000000000" }.joined(separator: ":")
        return [
            "env", "GLIBC_TUNABLES=\(tunables)", "valgrind", "--tool=cachegrind", "--cache-sim=no",
            "--cachegrind-out-file=/dev/null", "--log-file=\(log)", copy,
        ]
    }

    private func library(_ counted: CountedOperation, _ operation: Operation, in place: String) throws -> Double {
        difference(
            try [operation.few, operation.many].map { count in
                let (log, store) = (place + "/cachegrind", place + "/\(count)")
                try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: store) }
                try counted.prepare(in: store)
                let command = try valgrind(CommandLine.arguments[0], place, log: log)
                let end = try ChildProcess(
                    command + [CountedOperation.word, counted.rawValue, "\(count)", store], errors: .inherited,
                    endingWithinSeconds: 3_600
                ).finish()
                guard end.exitCode == 0, let calls = Int(end.output.filter(\.isNumber)) else {
                    throw BenchmarkFailure("the process for \(operation.name) printed: \(end.output)\(report(log))")
                }
                return (calls, try instructions(log))
            })
    }

    /// Returns what valgrind wrote about a program that failed, as a part of a message.
    private func report(_ log: String) -> String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.isEmpty ? "" : "\nvalgrind reports:\n\(text)"
    }

    /// The number of instructions that cachegrind reports: `I refs: 1,234`.
    private func instructions(_ log: String) throws -> Double {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.contains("I ") && $0.contains("refs:") }),
            let count = Double(line.split(separator: ":").last?.filter(\.isNumber) ?? "")
        else { throw BenchmarkFailure("valgrind reports no instructions:\n\(text)") }
        return count
    }

    private func service(_ operation: Operation, in place: String) throws -> Double {
        let data = try GeneratedStore.make(entries: Self.entries, in: place)
        let directory = place + "/data"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: data.path, toPath: directory + "/default")
        let token = try ServiceSuite.token(directory, ["ask"])
        let questions = data.generator.questions(.direct, count: ServiceSuite.items).map(ServiceSuite.evaluation)
        let isBatch = operation.name.hasPrefix("decision")
        let body = isBatch ? #"{"evaluations":[\#(questions.joined(separator: ","))]}"# : questions[0]
        let counts = try [operation.few, operation.many].map { calls -> Count in
            let log = place + "/cachegrind"
            let command =
                try valgrind(ServiceSuite.tool, place, log: log) + ["serve", "--data", directory, "--listen", "127.0.0.1:0"]
            let makeRequests = { (service: ServiceProcess) throws in
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
            do { try ServiceProcess.with(command[0], Array(command.dropFirst()), makeRequests) } catch {
                throw BenchmarkFailure("\(error)\(report(log))")
            }
            return (calls * (isBatch ? ServiceSuite.items : 1), try instructions(log))
        }
        return difference(counts)
    }
}
