public import Events
import Foundation
public import Muniment
import Permissions

/// How far an import is.
public struct ImportProgress: Hashable, Sendable {
    /// Bytes of the file that are in the store.
    public let bytesDone: UInt64
    /// Bytes of the file; 0 where its size is not known.
    public let bytesTotal: UInt64
    /// Transactions taken from the file in this run.
    public let transactions: Int
}

/// What an import came to.
public struct ImportSummary: Hashable, Sendable {
    /// Transactions taken from the file in this run; those without effect made no revision.
    public let transactions: Int
    /// Changes in these, those that the history leaves unsaid included.
    public let changes: Int
    /// The newest revision of the store.
    public let revision: Revision
    /// The time of that revision.
    public let time: Instant
    /// Whether the store is open or locked.
    public let preset: Preset
}

/// Brings a `permission-history/1` file into a store.
///
/// The file is read as a stream: memory does not grow with it. The file's transactions get their own times, their own actors, and
/// the line and id that they come from.
public struct HistoryImporter {
    private let directory: String
    private let options: StoreOptions

    /// - Parameters:
    ///   - directory: the store, made where there is none.
    ///   - options: how to open it; its clock is not used, since a history brings its own time, and nothing ends in between.
    public init(into directory: String, options: StoreOptions = StoreOptions()) {
        self.directory = directory
        self.options = options
    }

    /// Imports the file.
    ///
    /// - Parameters:
    ///   - file: the history.
    ///   - resume: goes on behind the last transaction of this file that the store has.
    ///   - progress: called now and then, on this thread.
    /// - Throws: ``FormatError``, ``ImportError``, ``UnreadableFile``, or what the store throws. What stands before a line at
    ///   fault is in the store then.
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
            // What went wrong first is what counts.
            try? store.close()
            throw error
        }
    }

    /// The store, created as the header says where there is none.
    private func openStore(for source: HistorySource) throws -> Store {
        var options = options
        options.recordsEnds = .withCommits
        // The history's own time from its first transaction on: today's would end what the history still has to change.
        if let begin = source.nextTime { options.clock = { begin } }
        if Store.exists(at: directory) { return try Store.open(at: directory, .writing, options: options) }
        let header = source.header
        return try Store.create(
            at: directory, preset: header.preset ?? .locked, administrator: header.administratorOrDefault, options: options)
    }

    /// Finds where to begin in the file, and which changes the file implies.
    private func prepare(_ store: Store, _ source: inout HistorySource, resume: Bool) throws {
        let isNew = try store.head.revision == .genesis
        if !isNew {
            if resume, let last = try HistoryImporter.lastImportedCommit(of: store) { try source.resume(behind: last) }
            source.earliest = try store.head.time
        }
        guard let levels = source.header.levels else { return }
        let isLocked = try store.preset == .locked
        // A locked store that has levels got them, and the grants that they need, from an earlier import.
        guard try isNew || !isLocked || store.levels != nil else { throw ImportError.storeIsLocked(directory: directory) }
        try keep(levels, in: store, file: source.file)
        source.implied = ImpliedChanges(levels: levels, isLocked: isLocked, isNew: isNew) { name in
            try store.read { try $0.customPrivileges(ofClass: name) }
        }
    }

    /// Questions about levels are answered from the store long after the file is gone.
    private func keep(_ levels: [Level], in store: Store, file: String) throws {
        guard let present = try store.levels else { return try store.setLevels(levels) }
        let isSame = present.elementsEqual(levels) { ExactText($0.name) == ExactText($1.name) && $0.privileges == $1.privileges }
        guard isSame else { throw ImportError.otherLevels(file: file, directory: directory) }
    }

    /// The newest commit, or nil if no import has committed anything yet. Ends of access are the store's own commits and are skipped.
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
            // The file is at fault and not the store: what came before the fault stays, and `resume` goes on behind it.
            try importer.finish()
            throw error
        }
        try importer.finish()
        let head = try store.head
        return ImportSummary(
            transactions: transactions, changes: changes, revision: head.revision, time: head.time, preset: try store.preset)
    }

    private static func error(_ refusal: Refusal, _ next: ImportedTransaction, file: String) -> ImportError {
        // The number of a change is one of the line only where nothing was put between the line's own changes.
        let change = next.isCompleted ? nil : refusal.change
        return .refused(
            file: file, line: next.line, id: next.id, Refusal(refusal.code, refusal.message, change: change))
    }
}
