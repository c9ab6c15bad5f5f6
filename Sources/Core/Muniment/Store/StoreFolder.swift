internal import EventLog
internal import Events
internal import Files
internal import Foundation
internal import Hashing
internal import LMDB
internal import Projections
internal import Synchronization

/// Where the parts of a store are.
///
///     DIR/log/         the truth; made as `log.new` and renamed when it holds a store
///     DIR/index/       everything derived; `boot` in it says that it is open for writing, and since which start of the machine;
///                      `clock` the offset of the machine's clock
///     DIR/writer.lock  held by the one process that writes
///     DIR/head         how far the log went when the store was last opened or closed for writing; the same is in
///                      `.muniment/heads/NAME` of a data directory
///     DIR/levels.json  names for sets of privileges, where the history that was imported had some
struct StoreFolder: Sendable {
    let path: String
    /// Elsewhere for a backup, into which nothing is written.
    private(set) var index: String

    var log: String { path + "/log" }
    var bootMark: String { index + "/boot" }
    var clockMark: ClockMark { ClockMark(path: index + "/clock") }
    var lock: String { path + "/writer.lock" }
    var levels: String { path + "/levels.json" }
    var seenHead: SeenHead { SeenHead(folder: path) }
    var logSeal: PageSeal { PageSeal(folder: log) }
    var indexSeal: PageSeal { PageSeal(folder: index) }

    init(_ path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        index = path + "/index"
    }

    /// Whether the machine went down while the index was open for writing.
    ///
    /// - Throws: `FileError` if the process lacks the descriptor to look.
    var isLeftByCrash: Bool {
        get throws(FileError) {
            guard let boot = try readFileIfThere(bootMark) else { return false }
            return boot != bootIdentity()
        }
    }

    /// Whether the folder is a backup, which is read and never written to.
    var isBackup: Bool { Backup.isThere(at: path) }

    /// Whether the index is in a temporary folder, which belongs to this process alone and is removed on closing.
    private(set) var hasTemporaryIndex = false

    /// The same folder, its index folded anew in a temporary folder: for a backup, and for a disk that has no room for the index.
    var withTemporaryIndex: StoreFolder {
        var folder = self
        folder.index = FileManager.default.temporaryDirectory.path + "/muniment-index-\(UUID().uuidString)"
        folder.hasTemporaryIndex = true
        return folder
    }

    /// Opens the log for reading. That leaves nothing in a backup.
    func openLogForReading(_ options: StoreOptions) throws -> EventLog {
        try EventLog(path: log, isReadOnly: true, isStill: isBackup, mapBytes: options.mapBytes)
    }

    /// Where a log is made before it is put in place whole.
    var logDraft: String { path + "/log.new" }

    var holdsStore: Bool { fileExists(log + "/data.mdb") }

    /// Looks for the store before anything is opened, so that a log that is lost is told from a store that never was.
    ///
    /// - Throws: ``StoreError/notAStore(path:)``, ``StoreError/logIsLost(path:)``, or what keeps this process from looking.
    func checkHoldsStore() throws {
        if try exists(log + "/data.mdb") {
            guard Environment.fileBytes(in: log) ?? 0 > 0 else { throw StoreError.logIsLost(path: path) }
        } else {
            if try exists(index + "/data.mdb") { throw StoreError.logIsLost(path: path) }
            throw try isMissing() ? StoreError.missing(path: path) : StoreError.notAStore(path: path)
        }
    }

    /// Whether the data directory had a store here, and nothing is left of it.
    func isMissing() throws -> Bool {
        try !holdsStore && !exists(index + "/data.mdb") && seenHead.isKnownOutside()
    }

    func takeLock() throws -> FileLock {
        guard !isBackup else { throw BackupError.isNotWritable(path: path) }
        do { return try FileLock(path: lock, holder: processDescription()) } catch let held as FileLock.Held {
            throw StoreError.heldByAnotherWriter(path: path, holder: held.holder)
        }
    }
}

/// The stores that this process has open: LMDB allows each environment once in a process.
enum OpenStores {
    /// By the path that each was opened with, the one spelling of it.
    private static let paths = Mutex<[String: String]>([:])

    static func enter(_ path: String) throws(StoreError) {
        let canonical = canonicalPath(path)
        let isNew = paths.withLock { paths in
            guard !paths.values.contains(canonical) else { return false }
            paths[path] = canonical
            return true
        }
        if !isNew { throw .alreadyOpen(path: path) }
    }

    static func leave(_ path: String) { _ = paths.withLock { $0.removeValue(forKey: path) } }
}

/// Opening the index that belongs to a log: as it is where that is possible, folded from the log where it is not.
struct IndexOpening {
    let folder: StoreFolder
    let log: EventLog
    let options: StoreOptions

    /// Versions folded in memory before they are written out together: rows are written fastest, and pages become fullest, in
    /// one long sorted run, so it is as many as a quarter of the machine's memory holds.
    static let versionsPerBatch = Int(ProcessInfo.processInfo.physicalMemory / 4 / 128)

    /// Opens the index for writing, folding what it has not seen. The caller holds the writer's lock.
    func forWriting() throws -> (Index, WorkingSet) {
        if let index = try usable() {
            // A damaged row: what is derived can be derived again.
            do { return (index, try caughtUp(index)) } catch is IndexError {}
        }
        let index = try fresh()
        return (index, try caughtUp(index))
    }

    /// Folds what an index has not seen. Where that fails the index is closed: another try in this process opens it anew.
    private func caughtUp(_ index: Index) throws -> WorkingSet {
        do {
            try markOpen()
            let workingSet = try index.workingSet()
            do { try catchUp(index, workingSet) } catch {
                workingSet.end()
                throw error
            }
            return workingSet
        } catch {
            index.close()
            throw error
        }
    }

    /// Opens the index for reading, or says why it cannot be read as it is.
    func forReading() throws -> Index {
        guard fileExists(folder.index + "/data.mdb") else { throw IndexError.unusable("it is not there") }
        if try folder.isLeftByCrash {
            throw IndexError.unusable("the machine went down while it was open")
        }
        // A writer that has just begun takes the seal away before it changes anything.
        if let found = try folder.indexSeal.problems(), let first = found.first, folder.indexSeal.isThere {
            throw IndexError.unusable(first)
        }
        let index = try Index(path: folder.index, isReadOnly: true, mapBytes: options.mapBytes)
        do {
            try check(index)
            return index
        } catch {
            index.close()
            throw error
        }
    }

    /// Whether an index is as far as its log, of this version, and of this history. A writer that is at work may be a moment ahead
    /// of its index, once it is ready: before, it may be folding the index from its beginning.
    private func check(_ index: Index) throws {
        guard let state = try index.state() else { throw IndexError.unusable("it is empty") }
        guard let head = try log.refreshHead() else { throw LogError.empty }
        try checkBelongs(state)
        if state.revision < head.revision, !FileLock.isHeldReady(path: folder.lock) {
            throw IndexError.unusable("it has folded \(state.revision) of \(head.revision) revisions")
        }
    }

    /// The index as it is on disk; nil where it has to be folded afresh.
    private func usable() throws -> Index? {
        guard fileExists(folder.index + "/data.mdb") else { return nil }
        if try folder.isLeftByCrash { return nil }
        if let found = try folder.indexSeal.problems(), !found.isEmpty { return nil }
        let index: Index
        do {
            index = try Index(path: folder.index, isReadOnly: false, mapBytes: options.mapBytes)
        } catch let error as StorageError where ![.notPermitted, .diskFull, .diskFailed, .lacksResources].contains(error.kind) {
            return nil
        }
        do {
            // An index of the creation alone is folded again, so that the writer has all of it in memory.
            if let state = try index.state() {
                try checkBelongs(state)
                if state.revision > .genesis { return index }
            }
        } catch is IndexError {} catch is DecodingFault {} catch {
            index.close()
            throw error
        }
        index.close()
        return nil
    }

    /// Throws where an intact index was not folded from this log, which then was rolled back.
    private func checkBelongs(_ state: IndexState) throws {
        try SeenHead.check(log, has: SeenCommit(revision: state.revision, hash: state.hash), in: folder.path)
    }

    private func fresh() throws -> Index {
        try removeFlatFolder(folder.index)
        try makeFolder(folder.index)
        return try Index(path: folder.index, isReadOnly: false, mapBytes: options.mapBytes)
    }

    /// Says that the index is open, before anything is written to it: if the machine goes down meanwhile, the mark stays behind.
    private func markOpen() throws {
        try folder.indexSeal.remove()
        try replaceFile(folder.bootMark, with: bootIdentity())
    }

    /// Folds what the index has not seen, in batches.
    ///
    /// - Parameter lastRefusal: the last refusal that the index is to know of; nil for all there are.
    func catchUp(_ index: Index, _ workingSet: WorkingSet, lastRefusal: RefusalNumber? = nil) throws {
        guard let head = log.head else { return }
        try takeUp(workingSet)
        try foldRefusals(workingSet, to: lastRefusal)
        let first = workingSet.isEmpty ? Revision.genesis : workingSet.state.revision.next
        guard first <= head.revision else {
            if workingSet.hasUnwritten { try index.flush(workingSet, hash: head.hash) }
            return
        }
        try log.read { reader in
            var folded: UInt64 = 0
            var previous: Digest?
            try reader.forEachCommit(from: first, to: head.revision) { commit, hash in
                // A correction changes rows of earlier commits, so these have to be in the index.
                if commit.correctsClock, let previous { try index.flush(workingSet, hash: previous) }
                previous = hash
                try workingSet.fold(commit)
                folded += 1
                let isLast = commit.revision == head.revision
                if isLast || workingSet.heldCount > Self.versionsPerBatch {
                    try index.flush(workingSet, hash: hash)
                }
                if isLast || folded % 1024 == 0 {
                    options.progress?(
                        Progress(stage: "folding the log", done: commit.revision.rawValue, total: head.revision.rawValue))
                }
            }
        }
    }
    /// Takes up the commits whose events the index knows, but for what the audit finds them by.
    private func takeUp(_ workingSet: WorkingSet) throws {
        guard let first = workingSet.firstUntaken else { return }
        try log.read { reader in
            try reader.forEachCommit(from: first, to: workingSet.state.revision) { commit, _ in workingSet.takeUp(commit) }
        }
    }

    private func foldRefusals(_ workingSet: WorkingSet, to last: RefusalNumber?) throws {
        let first = workingSet.firstOpenRefusal
        try log.readRefusals { reader in
            try reader.forEachRefusal(from: first, to: last ?? RefusalNumber(.max)) { refusal, _ in workingSet.fold(refusal) }
        }
    }
}
