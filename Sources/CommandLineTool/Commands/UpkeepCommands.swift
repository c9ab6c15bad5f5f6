import Events
import Muniment
import Permissions

extension Option {
    fileprivate static let quick = Option("quick", "only the log's own chain of hashes")
}

extension Command {
    static let verify = Command(
        "verify", "whether the log is whole and the indexes say what it says", options: [.quick, .json, .store],
        example: Example(
            "verify",
            "sound: 21 commits, 33 events, 1 refusal, head r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f")
    ) { call in
        try call.end()
        let report = try Store.verify(
            at: try call.directory, quick: call.options.isSet(.quick), options: call.storeOptions)
        ProgressBar.standard.clear()
        if call.isJSON {
            try call.output.json(report.json)
        } else {
            for problem in report.problems { try call.output.line("problem: \(problem)") }
            for note in report.notes { try call.output.line("note: \(note)") }
            try call.output.line(report.line)
        }
        return report.isSound ? .success : .failure
    }

    static let rebuild = Command(
        "rebuild", "drop the indexes and fold them from the log again", options: [.json, .store],
        example: Example("rebuild", "folded 21 revisions in 0.02 s")
    ) { call in
        try call.end()
        let start = ContinuousClock.now
        try Store.rebuild(at: try call.directory, options: call.storeOptions)
        let seconds = ((ContinuousClock.now - start) / .seconds(1) * 100).rounded() / 100
        let head = try call.withStore(.reading) { try $0.head.revision }
        if call.isJSON {
            try call.output.json(.object(["revision": .revision(head), "seconds": .number(seconds)]))
        } else {
            try call.output.line("folded \(counted(head.rawValue, "revision")) in \(seconds) s")
        }
        return .success
    }

    static let statistics = Command(
        "stats", "how much is in the store, and how large it is", options: [.json, .store],
        example: Example(
            "stats",
            """
            preset        open
            head          r21  2026-01-31T10:20:00Z
            hash          8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f
            events        33
            principals    3
            roles         1
            classes       2
            objects       2
            …
            """)
    ) { call in
        try call.end()
        let statistics = try call.withStore(.reading) { try $0.statistics() }
        if call.isJSON {
            try call.output.json(statistics.json)
        } else {
            for line in statistics.lines { try call.output.line(line) }
        }
        return .success
    }
}

extension VerificationReport {
    fileprivate var line: String {
        let verdict = isSound ? "sound" : counted(problems.count, "problem")
        let refused = refusals > 0 ? ", \(counted(refusals, "refusal"))" : ""
        let counts = "\(counted(commits, "commit")), \(counted(events, "event"))" + refused
        return "\(verdict): \(counts)" + (head.map { ", head r\($0.revision) \($0.hash)" } ?? "")
    }

    fileprivate var json: JSONValue {
        .object([
            "sound": .bool(isSound), "commits": .count(commits), "events": .count(events), "refusals": .count(refusals),
            "problems": .texts(problems), "notes": .texts(notes), "revision": head.map { .revision($0.revision) } ?? .null,
            "hash": .optional(head?.hash),
        ])
    }
}

extension StoreStatistics {
    private var rows: [(name: String, value: String)] {
        [
            ("preset", preset == .open ? "open" : "locked"),
            ("head", "r\(head.revision)  \(head.time)"),
            ("hash", head.hash),
            ("events", "\(events)"),
            ("principals", "\(principals)"),
            ("roles", "\(roles)"),
            ("classes", "\(classes)"),
            ("objects", "\(objects)"),
            ("refusals", "\(refusals)"),
            ("log bytes", "\(logBytes)"),
            ("index bytes", "\(indexBytes)"),
        ] + tables.map { ("  \($0.name)", "\($0.rows) rows, \($0.bytes) bytes") }
    }

    fileprivate var lines: [String] {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { $0.name.padded(to: width + 2) + $0.value }
    }

    fileprivate var json: JSONValue {
        let tables = tables.map { table in
            JSONValue.object(["name": .string(table.name), "rows": .count(table.rows), "bytes": .count(table.bytes)])
        }
        return .object([
            "preset": .string(preset == .open ? "open" : "locked"), "revision": .revision(head.revision), "time": .time(head.time),
            "hash": .string(head.hash), "events": .count(events), "principals": .count(principals), "roles": .count(roles),
            "classes": .count(classes), "objects": .count(objects), "refusals": .count(refusals), "logBytes": .count(logBytes),
            "indexBytes": .count(indexBytes), "tables": .array(tables),
        ])
    }
}
