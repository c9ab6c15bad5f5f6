import Events
import Foundation
import Muniment
import Permissions
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
    }

    private static let entries = 10_000
    private static let connections = 1
    private static let operations = [
        Operation(name: "durable commit of one event, \(WriteSuite.writers) callers", few: 6_400, many: 19_200, goal: 50_000),
        Operation(name: "direct check", few: 10_000, many: 60_000),
        Operation(name: "direct check by names", few: 10_000, many: 60_000),
        Operation(name: "bulk import, an event", few: 0, many: 100_000, goal: 22_000),
        Operation(name: "rebuild, an event", few: 10_000, many: 110_000, goal: 12_000),
        Operation(name: "query with a range and a prefix, first page", few: 2, many: 12),
        Operation(name: "audit page of \(AuditSuite.pageSize), a dense actor", few: 5, many: 55),
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
            let counts = try count(operation, in: place)
            let calls = Double(counts.many.calls - counts.few.calls)
            table.add(
                Row(
                    operation.name, .instructions((counts.many.instructions - counts.few.instructions) / calls),
                    goal: operation.goal.map { .figureAtMost($0, .instructions) }))
        }
        return table
    }

    private typealias Count = (calls: Int, instructions: Double)

    private func count(_ operation: Operation, in place: String) throws -> (few: Count, many: Count) {
        func inProcess(_ calls: Int, _ store: String) throws -> Double {
            let log = place + "/cachegrind"
            let command = valgrind(log) + [CommandLine.arguments[0], "--calls", operation.name, "\(calls)", store]
            let end = try ChildProcess(command, output: .discarded, errors: .inherited, endingWithinSeconds: 3_600).finish()
                .exitCode
            guard end == 0 else { throw BenchmarkFailure("`\(command.joined(separator: " "))` failed") }
            return try instructions(log)
        }
        switch operation.name.split(separator: " ").first {
        case "durable", "bulk":
            return (
                (operation.few, try inProcess(operation.few, place + "/few")),
                (operation.many, try inProcess(operation.many, place + "/many"))
            )
        case "rebuild":
            let stores = try [operation.few, operation.many].map { entries in
                let store = place + "/\(entries)"
                try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
                return try GeneratedStore.make(entries: entries, in: store)
            }
            let counts = try stores.map { (Int($0.events), try inProcess(1, $0.path)) }
            return (counts[0], counts[1])
        case "GET", "AuthZEN", "decision": return try service(operation, in: place)
        case "query": try QuerySuite(objects: 100_000, folder: place).makeStore().close()
        case "audit": try AuditSuite(records: 100_000, folder: place).makeStore().0.close()
        default: _ = try GeneratedStore.make(entries: Self.entries, in: place)
        }
        return (
            (operation.few, try inProcess(operation.few, place)), (operation.many, try inProcess(operation.many, place))
        )
    }

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

    // MARK: In a separate process, under valgrind

    /// Performs calls of an operation: its name, the number of calls, and the folder of the store.
    static func call(_ words: ArraySlice<String>) async throws {
        let words = Array(words)
        guard words.count == 3, let calls = Int(words[1]) else { throw BenchmarkFailure("use --calls OPERATION NUMBER FOLDER") }
        let folder = words[2]
        switch words[0].split(separator: " ").first {
        case "durable":
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let suite = WriteSuite(folder: folder, commits: calls * 4 / WriteSuite.writers)
            let store = try suite.makeStore()
            _ = try suite.concurrent(store)
            try store.close()
        case "bulk": try importEvents(calls, in: folder)
        case "rebuild": try Store.rebuild(at: folder)
        case "query":
            let store = try Store.open(at: folder + "/query")
            for number in 0..<calls { _ = try store.query(QuerySuite.narrowed(number), as: QuerySuite.caller) }
        case "audit":
            let store = try Store.open(at: folder + "/audit")
            for _ in 0..<calls { _ = try store.audit(AuditFilter(actor: "user:clerk"), limit: AuditSuite.pageSize) }
        default:
            let data = GeneratedStore(generator: Generator(entries: entries), folder: folder, events: 0, importSeconds: 0)
            let store = try Store.open(at: data.path)
            let suite = CheckSuite(store: store, data: data, calls: calls)
            try store.read { snapshot in
                // All questions are prepared in both runs.
                let prepared = try CheckSuite(store: store, data: data, calls: 60_000).prepare(.direct, snapshot)
                if words[0].hasSuffix("names") {
                    _ = try suite.measureByName(snapshot)
                } else {
                    for number in 0..<calls {
                        let question = prepared[number]
                        _ = try snapshot.check(question.subject, question.wanted, on: question.object)
                    }
                }
            }
        }
    }

    /// Generates many transactions, and imports those of the first events.
    private static func importEvents(_ events: Int, in folder: String) throws {
        let generator = Generator(entries: 100_000)
        let transactions = generator.transactions(of: GeneratedStore.changesPerTransaction).map { operations in
            Transaction("user:root", operations.map(\.change), authority: .importer)
        }
        let store = try Store.create(
            at: folder, preset: .open, administrator: "user:root", options: StoreOptions(expiryRecording: .withCommits))
        let importer = try store.importer()
        try importer.add(
            Transaction(
                "user:root",
                ["folder", "doc"].map { .defineClass($0, ClassSettings(inherits: .everything)) }, authority: .importer))
        var imported = 0
        for transaction in transactions where imported < events {
            try importer.add(transaction)
            imported += transaction.changes.count
        }
        try importer.finish()
        try store.close()
    }

    // MARK: The service

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
