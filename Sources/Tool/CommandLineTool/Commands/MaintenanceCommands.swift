import Credentials
import Events
import Files
import Foundation
import Muniment
import Permissions
import Service
import Wire

extension Option {
    fileprivate static let quick = Option("quick", "only the hash chain of the log")
    fileprivate static let corrector = Option(
        "as", value: "PRINCIPAL", "the administrator that corrects the clock (default user:root)")
    fileprivate static let reason = Option("comment", value: "TEXT", "why the clock was wrong; stored in the log")
}

extension Command {
    static let verify = Command(
        "verify", "check that the log is complete and the indexes match it", options: [.quick, .json, .store],
        example: Example(
            "verify",
            "sound: 21 commits, 36 events, 1 refusal, head r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f, "
                + "last refusal #1 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f")
    ) { call in
        let report = try Store.verify(
            at: try call.directory, quick: call.options.isSet(.quick), options: call.storeOptions)
        if report.isSound, !call.options.isSet(.quick) { call.record(.verification, of: try call.directory, report.line) }
        let lines = report.problems.map { "problem: \($0)" } + report.notes.map { "note: \($0)" } + [report.line]
        return try call.answer(.object(report.json), lines: lines, report.isSound ? .success : .failure)
    }

    static let rebuild = Command(
        "rebuild", "drop the indexes and rebuild them from the log", options: [.json, .store],
        example: Example("rebuild", "rebuilt 21 revisions in 0.02 s")
    ) { call in
        let start = ContinuousClock.now
        try Store.rebuild(at: try call.directory, options: call.storeOptions)
        let seconds = ((ContinuousClock.now - start) / .seconds(1) * 100).rounded() / 100
        let head = try call.withStore(.reading) { try $0.head.revision }
        return try call.answer(
            .object(["revision": .revision(head), "seconds": .number(seconds)]),
            lines: ["rebuilt \(counted(head.rawValue, "revision")) in \(seconds) s"])
    }

    static let acceptRollback = Command(
        "accept-rollback",
        "accept a log that has lost commits, a store that is missing, or an older token file, and record that",
        options: [.data, .json, .store],
        example: Example(
            "accept-rollback",
            "the log ends with r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f; recorded as refusal 2")
    ) { call in
        if case _? = call.options[.data] {
            let lost = try TokenRegistry(dataDirectory: try call.dataDirectory).acceptRollback(at: call.storeOptions.clock())
            return try call.answer(
                .object(["changes": .integer(Int64(lost.changes)), "had": .integer(Int64(lost.had))]),
                lines: [
                    "the token file has \(counted(UInt64(lost.changes), "change")) and had \(lost.had); tokens that were revoked "
                        + "in the lost changes are valid again: see `muniment token list`"
                ])
        }
        let directory = try call.directory
        if case _? = try Store.absence(at: directory) {
            try Store.acceptLoss(at: directory)
            let line = "the store in `\(directory)` is missing, and its loss is accepted: a new one can be created there"
            return try call.answer(.object(["message": .string(line)]), lines: [line])
        }
        let accepted = try Store.acceptRollback(at: directory, options: call.storeOptions)
        return try call.answer(
            .object([
                "revision": .revision(accepted.revision), "hash": .string(accepted.hash),
                "refusal": .integer(Int64(accepted.record.rawValue)), "message": .string(accepted.message),
            ]), lines: ["the log ends with r\(accepted.revision) \(accepted.hash); recorded as refusal \(accepted.record)"])
    }

    static let correctClock = Command(
        "correct-clock", "record that the clock was fast at the newest commits",
        options: [.corrector, .reason, .json, .store],
        example: Example(
            "correct-clock --comment battery",
            "revision 28: commits up to 2027-11-21T10:00:00Z now count as made no later than 2026-11-21T10:00:00Z")
    ) { call in
        let (caller, comment) = (try call.name(.corrector) ?? "user:root", call.options[.reason])
        let corrected = try call.withStore(.writing) { try $0.correctClock(as: caller, comment: comment) }
        return try call.answer(
            .object([
                "revision": .revision(corrected.revision), "time": .time(corrected.time), "before": .time(corrected.before),
            ]),
            lines: [
                "revision \(corrected.revision): commits up to \(corrected.before) now count as made no later than \(corrected.time)"
            ])
    }

    static let statistics = Command(
        "stats", "show the contents and the size of the store", options: [.json, .store],
        example: Example(
            "stats",
            """
            preset        open
            head          r21  2026-01-31T10:20:00Z
            hash          8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f
            events        36
            principals    3
            roles         1
            classes       2
            objects       2
            …
            """)
    ) { call in
        let statistics = try call.withStore(.reading) { try $0.statistics() }
        let code = try call.answer(.object(statistics.json), lines: statistics.lines)
        if statistics.isOpenToEveryone { call.warnOfOpenStore(try call.directory) }
        return code
    }
}

extension Command {
    static let confusableNames = Command(
        "lookalikes", "list names that look alike, one group per line", options: [.format, .json, .store],
        example: Example("lookalikes", "user:b0b  user:bob")
    ) { call in
        let groups = try call.withStore(.reading) { store in try store.read { try $0.confusableNames() } }
        return try call.answer(
            .object(["groups": .array(groups.map { .array($0.map { .string($0.text) }) })]),
            lines: groups.map { group in group.map(\.text.showingBlanks).joined(separator: "  ") },
            table: Table(
                ["group", "name"],
                groups.enumerated().flatMap { index, group in group.map { [.number(index + 1), .text($0.text)] } }))
    }
}

extension Invocation {
    /// Records the time of a successful verification or backup for the metrics and the console of the service.
    ///
    /// - Parameters:
    ///   - kind: a backup or a verification.
    ///   - store: the folder of the store.
    ///   - text: a description for people.
    func record(_ kind: LastRun.Kind, of store: String, _ text: String) {
        let store = URL(filePath: canonicalPath(store))
        guard let name = StoreName(store.lastPathComponent) else { return }
        do { try LastRun(dataDirectory: store.deletingLastPathComponent().path).record(kind, of: name, text) } catch {
            note("the time of the \(kind) is not recorded for the metrics of the service: \(error)")
        }
    }
}

extension VerificationReport {
    fileprivate var line: String {
        let verdict = isSound ? "sound" : counted(problems.count, "problem")
        let refused = refusals > 0 ? ", \(counted(refusals, "refusal"))" : ""
        let counts = "\(counted(commits, "commit")), \(counted(events, "event"))" + refused
        let end = head.map { ", head r\($0.revision) \($0.hash)" } ?? ""
        return "\(verdict): \(counts)" + end + (refusalHash.map { ", last refusal #\(refusals) \($0)" } ?? "")
    }
}

extension StoreStatistics {
    private var rows: [(name: String, value: String)] {
        [
            ("preset", preset.name),
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
}
