internal import EventLog
internal import Events
internal import Files
internal import Foundation
internal import Hashing
internal import LMDB
internal import Projections
internal import Synchronization

/// The paths of the parts of a store.
///
///     DIR/log/         the log, the primary data; created as `log.new` and renamed when it holds a store
///     DIR/index/       the derived data; `boot` in it says that it is open for writing, and since which start of the machine;
///                      `clock` the offset of the machine's clock
///     DIR/writer.lock  held by the one process that writes
///     DIR/head         the head of the log when the store was last opened or closed for writing
///     DIR/levels.json  names for sets of privileges, if the imported history had some
struct StoreFolder: Sendable {
    let path: String
    /// In another folder for a backup, because backups are read-only.
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

    /// Whether the machine stopped while the index was open for writing.
    ///
    /// - Throws: `FileError` if the process lacks the descriptor to check.
    var isLeftByCrash: Bool {
        get throws(FileError) {
            guard let boot = try readFileIfThere(bootMark) else { return false }
            return boot != bootIdentity()
        }
    }

    /// Whether the folder is a backup, which is read-only.
    var isBackup: Bool { Backup.isThere(at: path) }

    /// Whether the index is in a temporary folder of this process, which is removed on closing.
    private(set) var hasTemporaryIndex = false

    /// The same folder with a new index in a temporary folder: for a backup, and for a disk without space for the index.
    var withTemporaryIndex: StoreFolder {
        var folder = self
        folder.index = FileManager.default.temporaryDirectory.path + "/muniment-index-\(UUID().uuidString)"
        folder.hasTemporaryIndex = true
        return folder
    }

    /// Opens the log for reading. Creates no files in a backup.
    func openLogForReading(_ options: StoreOptions) throws -> EventLog {
        try EventLog(path: log, isReadOnly: true, isStill: isBackup, mapBytes: options.mapBytes)
    }

    /// The temporary path of a log before it is renamed.
    var logDraft: String { path + "/log.new" }

    var holdsStore: Bool { fileExists(log + "/data.mdb") }

    /// Checks that the store exists before anything is opened. Distinguishes a lost log from a missing store.
    ///
    /// - Throws: ``StoreError/notAStore(path:)``, ``StoreError/logIsLost(path:)``, or the error of the check.
    func checkHoldsStore() throws {
        if try exists(log + "/data.mdb") {
            guard Environment.fileBytes(in: log) ?? 0 > 0 else { throw StoreError.logIsLost(path: path) }
        } else {
            throw try exists(index + "/data.mdb") ? StoreError.logIsLost(path: path) : StoreError.notAStore(path: path)
        }
    }

    func takeLock() throws -> FileLock {
        guard !isBackup else { throw BackupError.isNotWritable(path: path) }
        do { return try FileLock(path: lock, holder: processDescription()) } catch let held as FileLock.Held {
            throw StoreError.heldByAnotherWriter(path: path, holder: held.holder)
        }
    }
}

/// The stores that this process has open. LMDB allows each environment once per process.
enum OpenStores {
    /// The resolved path of each store, by the path that was used to open it.
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

/// Opens the index of a log. Uses the existing index if possible, and rebuilds it from the log otherwise.
struct IndexOpening {
    let folder: StoreFolder
    let log: EventLog
    let options: StoreOptions

    /// The number of versions folded in memory before they are written together. Rows are written fastest, and pages become
    /// fullest, in one long sorted run. So this is the number that fits into a quarter of the machine's memory.
    static let versionsPerBatch = Int(ProcessInfo.processInfo.physicalMemory / 4 / 128)

    /// Opens the index for writing and adds the commits it lacks. The caller holds the writer's lock.
    func forWriting() throws -> (Index, WorkingSet) {
        if let index = try usable() {
            // Continues after a damaged row: derived data can be rebuilt.
            do { return (index, try caughtUp(index)) } catch is IndexError {}
        }
        let index = try fresh()
        return (index, try caughtUp(index))
    }

    /// Adds the commits that an index lacks. Closes the index on failure, so that another attempt in this process opens it again.
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

    /// Opens the index for reading, or throws why it cannot be read.
    func forReading() throws -> Index {
        guard fileExists(folder.index + "/data.mdb") else { throw IndexError.unusable("it is not there") }
        if let boot = try? readFile(folder.bootMark), boot != bootIdentity() {
            throw IndexError.unusable("the machine went down while it was open")
        }
        // A new writer removes the seal before it changes anything.
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

    /// Checks that an index is up to date with its log, and has this version and this history. The log of an active writer may be a
    /// moment ahead of its index after the index is ready. Before that, the writer may be building the index from the beginning.
    private func check(_ index: Index) throws {
        guard let state = try index.state() else { throw IndexError.unusable("it is empty") }
        guard let head = try log.refreshHead() else { throw LogError.empty }
        try checkBelongs(state)
        if state.revision < head.revision, !FileLock.isHeldReady(path: folder.lock) {
            throw IndexError.unusable("it has folded \(state.revision) of \(head.revision) revisions")
        }
    }

    /// Returns the index on disk; nil if it must be rebuilt.
    private func usable() throws -> Index? {
        guard fileExists(folder.index + "/data.mdb") else { return nil }
        if let boot = try? readFile(folder.bootMark), boot != bootIdentity() { return nil }
        if let found = try folder.indexSeal.problems(), !found.isEmpty { return nil }
        let index: Index
        do {
            index = try Index(path: folder.index, isReadOnly: false, mapBytes: options.mapBytes)
        } catch let error as StorageError where ![.notPermitted, .diskFull, .diskFailed].contains(error.kind) {
            return nil
        }
        do {
            // An index that contains only the first commit is rebuilt, so that the writer has all of it in memory.
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

    /// Throws if an intact index was not built from this log. In that case the log was rolled back.
    private func checkBelongs(_ state: IndexState) throws {
        try SeenHead.check(log, has: SeenCommit(revision: state.revision, hash: state.hash), in: folder.path)
    }

    private func fresh() throws -> Index {
        try removeFlatFolder(folder.index)
        try makeFolder(folder.index)
        return try Index(path: folder.index, isReadOnly: false, mapBytes: options.mapBytes)
    }

    /// Marks the index as open before anything is written to it. If the machine stops meanwhile, the mark remains.
    private func markOpen() throws {
        try folder.indexSeal.remove()
        try replaceFile(folder.bootMark, with: bootIdentity())
    }

    /// Adds the commits that the index lacks, in batches.
    ///
    /// - Parameter lastRefusal: the last refusal to add; nil for all.
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
                // A correction changes rows of earlier commits, so these must be in the index.
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
    /// Adds the commits whose events are in the index, without their audit entries.
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
