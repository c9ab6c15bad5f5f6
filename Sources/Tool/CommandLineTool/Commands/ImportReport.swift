import Events
import Foundation
import Histories
import Muniment
import Wire

/// The result of an import, with its duration.
struct ImportReport {
    private let summary: ImportSummary
    private let firstRevision: Revision
    private let eventCount: UInt64
    private let seconds: Double
    /// Whether every user may change the permissions of the store.
    let isOpenToEveryone: Bool

    /// Imports a file, with progress on the terminal.
    static func make(importing file: String, into directory: String, resume: Bool, options: StoreOptions) throws -> ImportReport {
        let before =
            Store.exists(at: directory)
            ? try extent(of: directory, options) : (events: 0, revision: Revision.genesis, isOpen: false)
        let start = ContinuousClock.now
        let summary = try HistoryImporter(into: directory, options: options).run(file: file, resume: resume) { progress in
            ProgressBar.standard.show(
                "importing", done: progress.bytesDone, total: progress.bytesTotal, note: "\(progress.transactions) transactions")
        }
        let time = ContinuousClock.now - start
        let after = try extent(of: directory, options)
        return ImportReport(
            summary: summary, firstRevision: before.revision.next, eventCount: after.events - before.events,
            seconds: time / .seconds(1), isOpenToEveryone: after.isOpen)
    }

    /// Returns the number of events in a store, its head revision, and whether it is open to every user.
    private static func extent(
        of directory: String, _ options: StoreOptions
    ) throws -> (events: UInt64, revision: Revision, isOpen: Bool) {
        let store = try Store.open(at: directory, .reading, options: options)
        let extent = (
            events: try store.eventCount, revision: try store.head.revision, isOpen: try store.read { try $0.isOpenToEveryone }
        )
        try store.close()
        return extent
    }

    private var eventsPerSecond: Int { Int(Double(eventCount) / max(seconds, 0.000_001)) }

    var line: String {
        let revisions =
            summary.revision < firstRevision ? "no new revision" : "revisions \(firstRevision) to \(summary.revision)"
        let time = String(format: "%.2f", seconds)
        let counts = "\(counted(summary.transactions, "transaction")), \(counted(eventCount, "event"))"
        return "\(counts), \(revisions), \(time) s, \(eventsPerSecond) events/s"
    }

    var json: JSONValue {
        .object([
            "transactions": .count(summary.transactions), "events": .count(eventCount),
            "revisions": .count(summary.revision.rawValue + 1 - firstRevision.rawValue), "revision": .revision(summary.revision),
            "time": .time(summary.time), "seconds": .number((seconds * 1000).rounded() / 1000),
            "eventsPerSecond": .count(eventsPerSecond), "preset": .string(summary.preset.name),
            "openToEveryone": .bool(isOpenToEveryone),
        ])
    }
}

/// Returns a count with its noun in singular or plural.
func counted(_ count: some BinaryInteger, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
