import EventLog
import Foundation
import Muniment

/// Runs the measurements of DESIGN section 6. Each figure comes with the raw figure of the same run.
///
///     Benchmarks [--quick] [--entries N] [--instructions] [--only SUITE] [--history FILE] [--json FILE] [--compare FILE] [--folder DIR]
struct Arguments {
    var isQuick = false
    /// The number of entries of a further generated store.
    var entries: Int?
    /// Whether to count the instructions of each operation, with valgrind, instead of its time.
    var countsInstructions = false
    /// The tables of another run, written with `--json`.
    var compare: String?
    /// The name of the one suite to run; nil for all.
    var only: String?
    var history: String?
    var json: String?
    var folder = FileManager.default.temporaryDirectory.path + "/muniment-benchmark-\(ProcessInfo.processInfo.processIdentifier)"

    private static let fewestEntries = 10_000

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--entries":
                let number = rest.popFirst() ?? ""
                guard let entries = Int(number), entries >= Arguments.fewestEntries else {
                    throw BenchmarkFailure(
                        "--entries `\(number)` is not a number from \(Arguments.fewestEntries): use --entries 10000000")
                }
                self.entries = entries
            case "--instructions": countsInstructions = true
            case "--compare": compare = rest.popFirst()
            case "--only": only = rest.popFirst()
            case "--history": history = rest.popFirst()
            case "--json": json = rest.popFirst()
            case "--folder": folder = rest.popFirst() ?? folder
            default:
                throw BenchmarkFailure(
                    "unknown option `\(argument)`: use --quick, --entries, --instructions, --only, --history, --json, --compare or --folder"
                )
            }
        }
    }
}

func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Returns the rows about a generated store.
func measureGenerated(_ entries: Int, _ label: String, _ arguments: Arguments) throws -> (Table, CheckSuite.Result) {
    var table = Table("\(label) entries")
    let folder = arguments.folder + "/\(entries)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    note("\(label) entries: importing")
    let data = try GeneratedStore.make(entries: entries, in: folder)
    table.add(Row("most memory during the import, without mapped files", .bytes(data.mostMemory)))
    note("\(label) entries: loading the same rows raw")
    let load = try RawLMDB.sortedLoad(data)
    let rawLoad = Figure.perSecond(data.events / load.seconds)
    table.add(
        Row(
            "bulk import, events", .perSecond(data.events / data.importSeconds), raw: rawLoad,
            goal: .either(.figureAtLeast(150_000, .perSecond), .ratioAtLeast(0.5))))
    note("\(label) entries: rebuilding")
    let rebuild = try Timing.once {
        try Store.rebuild(at: data.path)
        return Int(data.events)
    }
    table.add(
        Row(
            "rebuild of all projections, events", .perSecond(rebuild.callsPerSecond), raw: rawLoad,
            goal: .either(.figureAtLeast(300_000, .perSecond), .ratioAtLeast(0.5))))
    let scan = try Timing.once {
        let log = try EventLog(path: data.logCopy, isReadOnly: true)
        defer { log.close() }
        return try log.read { try $0.scanEvents() }
    }
    table.add(
        Row(
            "decoding scan of the log, events", .perSecond(scan.callsPerSecond),
            raw: .perSecond(data.events / (try RawLMDB.scan(data))),
            goal: .either(.figureAtLeast(2_000_000, .perSecond), .ratioAtLeast(0.2))))
    table.add(Row("disk, an event", .bytes(data.bytes / data.events), goal: .figureAtMost(200, .bytes)))
    note("\(label) entries: checking")
    let start = ContinuousClock.now
    let store = try Store.open(at: data.path)
    defer { try? store.close() }
    try CheckSuite.checkFirst(store, data)
    table.add(
        Row(
            "first answer after a clean stop", .nanoseconds(start.duration(to: .now).nanoseconds),
            goal: .figureAtMost(1e9, .nanoseconds)))
    let checks = try CheckSuite(store: store, data: data, calls: arguments.isQuick ? 20_000 : 200_000).run()
    let raw = Figure.nanoseconds(checks.raw.p50Nanoseconds)
    table.add(Row("direct check, p50", .nanoseconds(checks.direct.p50Nanoseconds), raw: raw, goal: .ratioAtMost(2)))
    table.add(Row("direct check, p99", .nanoseconds(checks.direct.p99Nanoseconds), raw: .nanoseconds(checks.raw.p99Nanoseconds)))
    table.add(Row("direct check by names, p50", .nanoseconds(checks.byName.p50Nanoseconds), raw: raw))
    table.add(
        Row("check through 5 roles and a folder, p50", .nanoseconds(checks.nested.p50Nanoseconds), raw: raw, goal: .ratioAtMost(4)))
    table.add(Row("random check, p50", .nanoseconds(checks.random.p50Nanoseconds), raw: raw))
    table.add(
        Row(
            "the same check in the past, vs. the present", .nanoseconds(checks.nestedPast.p50Nanoseconds),
            raw: .nanoseconds(checks.nested.p50Nanoseconds), goal: .ratioAtMost(1.5)))
    return (table, checks)
}

/// Returns the rows about generated stores of several sizes, and how checks grow with the size.
func measureChecks(_ arguments: Arguments) throws -> [Table] {
    var sizes = [(10_000, "10 k")]
    if !arguments.isQuick { sizes.append((1_000_000, "1 M")) }
    if let entries = arguments.entries {
        sizes.append((entries, entries < 1_000_000 ? "\(entries / 1000) k" : "\(entries / 1_000_000) M"))
    }
    let results = try sizes.map { entries, label in (label: label, made: try measureGenerated(entries, label, arguments)) }
    var tables = results.map(\.made.0)
    if let first = results.first, let last = results.last, results.count > 1 {
        var growth = Table("Growth from \(first.label) to \(last.label) entries")
        let rows = [
            ("direct check, p50", \CheckSuite.Result.direct), ("direct check by names, p50", \.byName), ("raw mdb_get, p50", \.raw),
        ]
        for (name, timing) in rows {
            growth.add(
                Row(
                    name, .nanoseconds(last.made.1[keyPath: timing].p50Nanoseconds),
                    raw: .nanoseconds(first.made.1[keyPath: timing].p50Nanoseconds)))
        }
        tables.append(growth)
    }
    return tables
}

func measureWrites(_ arguments: Arguments) throws -> Table {
    var table = Table("Durable commits of one event")
    note("durable commits")
    let folder = arguments.folder + "/writes"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let writes = try WriteSuite(folder: folder, commits: arguments.isQuick ? 1000 : 8000).run()
    table.add(Row("one writer", .perSecond(writes.one), raw: .perSecond(writes.raw), goal: .ratioAtLeast(0.8)))
    table.add(Row("64 writers, vs. one", .perSecond(writes.many), raw: .perSecond(writes.one), goal: .ratioAtLeast(20)))
    return table
}

func measureObservers(_ arguments: Arguments) async throws -> Table {
    var table = Table("\(ObserverSuite.observers) observers, each of its own object")
    note("observers")
    let folder = arguments.folder + "/observers"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let pace = 10_000.0
    let result = try await ObserverSuite(folder: folder, rounds: arguments.isQuick ? 10 : 100).run(pace: pace)
    let goal = Goal.figureAtLeast(pace, .perSecond)
    table.add(
        Row("writes while all observe, vs. without", .perSecond(result.observed), raw: .perSecond(result.unobserved), goal: goal))
    table.add(
        Row(
            "changes delivered, vs. writes", .perSecond(result.delivered), raw: .perSecond(result.observed),
            goal: .ratioAtLeast(0.95)))
    table.add(Row("writes at the pace of \(Figure.perSecond(pace))", .perSecond(result.paced), raw: .perSecond(pace)))
    for (percentile, time) in [("p50", \Timing.p50Nanoseconds), ("p99", \Timing.p99Nanoseconds)] {
        table.add(
            Row(
                "from write to delivery at that pace, vs. acknowledgement, \(percentile)",
                .nanoseconds(result.delivery[keyPath: time]), raw: .nanoseconds(result.acknowledgement[keyPath: time])))
    }
    return table
}

func measureKubernetes(_ history: String, _ arguments: Arguments) throws -> Table {
    var table = Table("Kubernetes history, vs. SQLite")
    note("Kubernetes history")
    let folder = arguments.folder + "/kubernetes"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try KubernetesSuite(commands: history, folder: folder, calls: arguments.isQuick ? 20_000 : 100_000).run()
    table.add(
        Row(
            "checks now", .perSecond(result.present.callsPerSecond), raw: .perSecond(result.sqlitePresent.callsPerSecond),
            goal: .ratioAtLeast(10)))
    table.add(
        Row(
            "checks at any revision", .perSecond(result.past.callsPerSecond), raw: .perSecond(result.sqlitePast.callsPerSecond),
            goal: .ratioAtLeast(10)))
    return table
}

func measureQueries(_ arguments: Arguments) throws -> Table {
    let objects = arguments.isQuick ? 100_000 : 1_000_000
    var table = Table("Queries: \(objects / 10) accessible of \(objects) objects, vs. SQLite")
    note("queries")
    let folder = arguments.folder + "/queries"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try QuerySuite(objects: objects, folder: folder).run()
    func row(_ name: String, _ timing: Timing, _ sqlite: Timing, atMostMilliseconds limit: Double) {
        table.add(
            Row(
                name, .nanoseconds(timing.p50Nanoseconds), raw: .nanoseconds(sqlite.p50Nanoseconds),
                goal: .figureAtMost(limit * 1e6, .nanoseconds)))
    }
    row("first page of 100, p50", result.firstPage, result.sqliteFirstPage, atMostMilliseconds: 5)
    table.add(
        Row(
            "first page of 100 with a range and a prefix, p50", .nanoseconds(result.narrowed.p50Nanoseconds),
            raw: .nanoseconds(result.sqliteNarrowed.p50Nanoseconds)))
    for (name, timing) in [("all of them at once", result.all), ("all of them by 10,000", result.pageByPage)] {
        table.add(
            Row(
                name, .nanoseconds(timing.seconds * 1e9), raw: .nanoseconds(result.sqliteAll.seconds * 1e9),
                goal: .figureAtMost(1e9, .nanoseconds)))
    }
    table.add(Row("import, objects with two properties", .perSecond(Double(objects) / result.importSeconds)))
    return table
}

func measureAudit(_ arguments: Arguments) throws -> Table {
    let records = arguments.isQuick ? 100_000 : 1_000_000
    var table = Table("Audit: pages of \(AuditSuite.pageSize) of \(records) records, vs. SQLite")
    note("audit")
    let folder = arguments.folder + "/audit"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try AuditSuite(records: records, folder: folder).run()
    for (name, page, sqlite) in result.pages {
        table.add(
            Row(
                name + ", p50", .nanoseconds(page.p50Nanoseconds), raw: .nanoseconds(sqlite.p50Nanoseconds),
                goal: .figureAtMost(100e6, .nanoseconds)))
    }
    table.add(Row("import of grants and revocations by 5, events", .perSecond(result.importPerSecond)))
    return table
}

/// The suites in the order of the output, by the names that `--only` takes.
let suites: [(name: String, run: (Arguments) async throws -> [Table])] = [
    ("kubernetes", { arguments in try arguments.history.map { [try measureKubernetes($0, arguments)] } ?? [] }),
    ("writes", { [try measureWrites($0)] }),
    ("observers", { [try await measureObservers($0)] }),
    ("notices", { [try await measureNotices($0)] }),
    ("queries", { [try measureQueries($0)] }),
    ("audit", { [try measureAudit($0)] }),
    ("explanations", { [try measureExplanations($0)] }),
    ("service", { try measureServices($0) }),
    ("streams", { [try measureStreams($0)] }),
    ("replicas", { [try measureReplicas($0)] }),
    ("identity", { [try measureIdentity($0)] }),
    ("checks", { try measureChecks($0) }),
]

let words = Array(CommandLine.arguments.dropFirst())
if words == ["--constant-server"] { try ConstantServer.run() }

do {
    if words.first == ReplicaFill.word {
        try await ReplicaFill.run(Array(words.dropFirst()))
        exit(0)
    }
    if words.first == CountedOperation.word {
        try CountedOperation.run(Array(words.dropFirst()))
        exit(0)
    }
    let arguments = try Arguments(words)
    try FileManager.default.createDirectory(atPath: arguments.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: arguments.folder) }
    var tables: [Table] = []
    var isComplete = true
    if arguments.countsInstructions {
        tables.append(try InstructionSuite(folder: arguments.folder).run(only: arguments.only))
        print(tables[0].text)
    } else {
        let wanted = suites.filter { arguments.only == nil || arguments.only == $0.name }
        guard !wanted.isEmpty else {
            throw BenchmarkFailure("`\(arguments.only ?? "")` is not a suite: use \(suites.map(\.name).joined(separator: ", "))")
        }
        for suite in wanted {
            // The figures of the other suites are printed even if one fails.
            do {
                let measured = try await suite.run(arguments)
                for table in measured { print(table.text) }
                fflush(nil)
                tables += measured
            } catch {
                note("the suite \(suite.name) failed: \(error)")
                isComplete = false
            }
        }
    }
    if let file = arguments.compare { print(Comparison(of: tables, with: try Table.read(file)).text) }
    if let json = arguments.json { try Table.write(tables, to: json) }
    if !isComplete { throw BenchmarkFailure("the tables above are incomplete") }
} catch {
    note("\(error)")
    exit(1)
}
