public import Events
import Foundation
public import Muniment
public import Permissions

/// The progress of an import.
public struct ImportProgress: Hashable, Sendable {
    /// The bytes of the file that are already imported.
    public let bytesDone: UInt64
    /// The size of the file in bytes; 0 if unknown.
    public let bytesTotal: UInt64
    /// The transactions read from the file in this run.
    public let transactions: Int
}

/// The result of an import.
public struct ImportSummary: Hashable, Sendable {
    /// The transactions read from the file in this run. Those without effect created no revision.
    public let transactions: Int
    /// The changes in these transactions, including implied ones.
    public let changes: Int
    /// The head revision of the store.
    public let revision: Revision
    /// The time of that revision.
    public let time: Instant
    /// Whether the store is open or locked.
    public let preset: Preset
}

/// Imports a `permission-history/1` file into a store.
///
/// The file is read as a stream, so memory use does not depend on its size. The transactions keep the times and actors of the file,
/// and store their line and id.
public struct HistoryImporter {
    private let directory: String
    private let options: StoreOptions

    /// - Parameters:
    ///   - directory: the store, created if it does not exist.
    ///   - options: the options of the store. Its clock is replaced, because the history sets the time. Ends of access are recorded
    ///     only with the commits of the import.
    public init(into directory: String, options: StoreOptions = StoreOptions()) {
        self.directory = directory
        self.options = options
    }

    /// Imports the file.
    ///
    /// - Parameters:
    ///   - file: the history.
    ///   - resume: continues after the last transaction of this file in the store.
    ///   - progress: called from time to time on this thread.
    /// - Throws: ``FormatError``, ``ImportError``, ``UnreadableFileError``, or an error of the store. The lines before the faulty one
    ///   are then imported.
    public func run(
        file: String, resume: Bool = false, progress: ((ImportProgress) -> Void)? = nil
    ) throws -> ImportSummary {
        var source = try HistorySource(file: file)
        let store = try openStore(for: source)
        do {
            try prepare(store, &source, resume: resume)
            let summary = try load(source, into: store, progress)
            try store.close()
            return summary
        } catch {
            // The first error is the relevant one.
            try? store.close()
            throw error
        }
    }

    /// Opens the store, or creates it from the header.
    private func openStore(for source: HistorySource) throws -> Store {
        var options = options
        options.expiryRecording = .withCommits
        // Uses the time of the first transaction. With the current time, access would expire that the history still changes.
        if let begin = source.nextTime { options.clock = { begin } }
        if Store.exists(at: directory) { return try Store.open(at: directory, .writing, options: options) }
        let header = source.header
        return try Store.create(
            at: directory, preset: header.preset ?? .locked, administrator: header.administratorOrDefault, options: options)
    }

    /// Finds the start position in the file, and the implied changes.
    private func prepare(_ store: Store, _ source: inout HistorySource, resume: Bool) throws {
        let isNew = try store.head.revision == .genesis
        if !isNew {
            if resume, let last = try HistoryImporter.lastImportedCommit(of: store) { try source.resume(after: last) }
            source.earliest = try store.head.time
        }
        guard let levels = source.header.levels else { return }
        let isLocked = try store.preset == .locked
        // If a locked store has levels, an earlier import added them with the required grants.
        guard try isNew || !isLocked || store.levels != nil else { throw ImportError.storeIsLocked(directory: directory) }
        try keep(levels, in: store, file: source.file)
        source.implied = ImpliedChanges(levels: levels, isLocked: isLocked, isNew: isNew) { name in
            try store.read { try $0.customPrivileges(ofClass: name) }
        }
    }

    /// Stores the levels, because later questions about levels are answered without the file.
    private func keep(_ levels: [AccessLevel], in store: Store, file: String) throws {
        guard let present = try store.levels else { return try store.setLevels(levels) }
        let isSame = present.elementsEqual(levels) { ExactText($0.name) == ExactText($1.name) && $0.privileges == $1.privileges }
        guard isSame else { throw ImportError.otherLevels(file: file, directory: directory) }
    }

    /// Returns the newest commit, or nil if no import has committed anything yet. Expiry commits are skipped, because the store
    /// makes them itself.
    ///
    /// Linear in the commits since the newest import.
    private static func lastImportedCommit(of store: Store) throws -> Commit? {
        var (newest, wasImported): (Commit?, Bool) = (nil, false)
        try store.log(from: .genesis.next, to: store.head.revision) { described in
            let commit = described.commit
            if commit.actor != .system { newest = commit }
            if commit.origin.importLine != nil { wasImported = true }
        }
        return wasImported ? newest : nil
    }
}

extension HistoryImporter {
    private func load(
        _ source: HistorySource, into store: Store, _ progress: ((ImportProgress) -> Void)?
    ) throws -> ImportSummary {
        let importer = try store.importer()
        var (transactions, changes) = (0, 0)
        do {
            let total = source.totalBytes
            try ImportPipeline(source).run { next in
                do {
                    _ = try importer.add(next.transaction)
                } catch let refusal as Refusal {
                    throw HistoryImporter.error(refusal, next, file: source.file)
                }
                transactions += 1
                changes += next.transaction.changes.count
            } pause: { last in
                progress?(ImportProgress(bytesDone: last.end, bytesTotal: total, transactions: transactions))
            }
        } catch  where error is FormatError || error is ImportError {
            // The file is faulty, not the store: the transactions before the fault remain, and `resume` continues after them.
            try importer.finish()
            throw error
        }
        try importer.finish()
        let head = try store.head
        return ImportSummary(
            transactions: transactions, changes: changes, revision: head.revision, time: head.time, preset: try store.preset)
    }

    private static func error(_ refusal: Refusal, _ next: ImportedTransaction, file: String) -> ImportError {
        // The index of a change matches the line only if no implied changes were inserted.
        let change = next.isCompleted ? nil : refusal.change
        return .refused(
            file: file, line: next.line, id: next.id, Refusal(refusal.code, refusal.message, change: change))
    }
}

/// The reason why an import stopped, except for a malformed file (``FormatError``) and storage errors.
public enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store refused a transaction. Those before it are in the store.
    case refused(file: String, line: Int, id: String?, Refusal)
    /// The file does not continue at the end of the store.
    case cannotResume(file: String, line: Int?, reason: String)
    /// The history has levels, and the store is locked, in use, and has none. The import would grant everyone the levels'
    /// privileges on the store.
    case storeIsLocked(directory: String)
    /// The store and the file define levels differently.
    case otherLevels(file: String, directory: String)

    public var description: String {
        switch self {
        case .refused(let file, let line, let id, let refusal):
            "\(file):\(line): \(id.map { "transaction `\($0)` was " } ?? "")refused: \(refusal); "
                + "the earlier transactions are in the store: correct the line and continue with --resume"
        case .cannotResume(let file, let line, let reason):
            "\(file)\(line.map { ":\($0)" } ?? ""): cannot continue this import: \(reason); "
                + "resume with the original file of the import, or import into a new store"
        case .storeIsLocked(let directory):
            "the store `\(directory)` is locked, and a history with levels grants privileges to everyone at the store level. "
                + "Import the history into a new store."
        case .otherLevels(let file, let directory):
            "\(file): the levels in the header are not those of the store `\(directory)`; import into a new store"
        }
    }
}
