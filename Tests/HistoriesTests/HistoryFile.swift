import Events
import Foundation
import Histories
import Muniment
import Permissions
import TestSupport

/// A file of lines, and a store in the same folder.
struct HistoryFile {
    let folder: String
    var path: String { folder + "/history.jsonl" }
    var storePath: String { folder + "/store" }

    init(in folder: String) { self.folder = folder }

    func write(_ lines: [String]) throws {
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: path))
    }

    @discardableResult
    func load(resume: Bool = false) throws -> ImportSummary {
        try HistoryImporter(into: storePath).run(file: path, resume: resume)
    }

    /// Opens the store with a clock that shows a constant time.
    func withStore<R>(at now: Instant = .newYear.later(seconds: 1_000_000_000), _ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(at: storePath, .writing, options: StoreOptions(clock: { now }, expiryRecording: .withCommits))
        let result = Result { try body(store) }
        try store.close()
        return try result.get()
    }

    func export() throws -> [String] {
        var lines: [String] = []
        try withStore { store in _ = try HistoryExporter(store).export { lines.append($0) } }
        return lines
    }
}

extension Snapshot {
    func may(_ subject: Name, _ privilege: String, _ object: Name) throws -> Bool {
        try check(subject, [privilege], on: object).isAllowed
    }
}

/// Returns the error that the body throws as text, or an empty text if it throws none.
func complaint(_ body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch {
        return "\(error)"
    }
}
