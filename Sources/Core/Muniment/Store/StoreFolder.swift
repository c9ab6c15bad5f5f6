internal import EventLog
internal import Events
internal import Files
internal import Foundation
internal import Hashing
internal import LMDB
internal import Projections
internal import Synchronization

/// The paths of a store's files.
///
///     DIR/log/         the log; created as `log.new`, and renamed when it contains a store
///     DIR/index/       all derived data; while it is open for writing, the file `boot` in it contains the id of the machine's
///                      boot; the file `clock` contains the offset of the machine's clock
///     DIR/writer.lock  locked by the one process that writes
///     DIR/head         the last commit when the store was last opened or closed for writing; also stored in
///                      `.muniment/heads/NAME` of a data directory
///     DIR/shared       exists in a node's copy of a shared log
///     DIR/levels.json  names for sets of privileges, if the imported history defined them
struct StoreFolder: Sendable {
    let path: String
    /// The folder of the index. For a backup it is outside of the backup, since nothing is written into a backup.
    private(set) var index: String

    /// The folders and files that a writer opens.
    var files: [String] {
        [
            path, lock, path + "/head", log, log + "/data.mdb", log + "/lock.mdb", log + "/seal", index, index + "/data.mdb",
            index + "/lock.mdb", index + "/seal", bootMark,
        ]
    }

    var log: String { path + "/log" }
    var bootMark: String { index + "/boot" }
    var clockMark: ClockMark { ClockMark(path: index + "/clock") }
    var lock: String { path + "/writer.lock" }
    var levels: String { path + "/levels.json" }
    /// Marks a copy of a shared log: nothing may be appended to it without that log.
    var sharedMark: String { path + "/shared" }
    var seenHead: LastKnownHead { LastKnownHead(folder: path) }
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
    /// - Throws: `FileError` if the process has no free file descriptor for the check.
    var isLeftByCrash: Bool {
        get throws(FileError) {
            guard let boot = try readFileIfThere(bootMark) else { return false }
            return boot != bootIdentity()
        }
    }

    /// Whether the folder is a backup, which can only be read.
    var isBackup: Bool { Backup.exists(at: path) }

    /// Whether the index is in a temporary folder. This process alone uses the folder, and removes it when the store is closed.
    private(set) var hasTemporaryIndex = false

    /// The same store with a new index in a temporary folder: for a backup, and if the disk has no room for the index.
    var withTemporaryIndex: StoreFolder {
        var folder = self
        folder.index = FileManager.default.temporaryDirectory.path + "/muniment-index-\(UUID().uuidString)"
        folder.hasTemporaryIndex = true
        return folder
    }

    /// Opens the log for reading. This writes nothing into a backup.
    func openLogForReading(_ options: StoreOptions) throws -> EventLog {
        try EventLog(path: log, isReadOnly: true, isStill: isBackup, mapBytes: options.mapBytes)
    }

    /// The temporary path of a new log, before it is moved into place.
    var logDraft: String { path + "/log.new" }

    /// Gives the files that LMDB has created to the owner of the folder; see `giveToOwnerOfFolder`.
    func giveToOwner() {
        for folder in [log, index] {
            for file in ["/data.mdb", "/lock.mdb"] { giveToOwnerOfFolder(folder + file) }
        }
    }

    var holdsStore: Bool { fileExists(log + "/data.mdb") }

    /// Checks that the store exists before anything is opened. Distinguishes a lost log from a store that never existed.
    ///
    /// - Throws: ``StoreError/notAStore(path:)``, ``StoreError/logIsLost(path:)``, the error of ``absence()``, or an error that prevents
    ///   the check.
    func checkHoldsStore() throws {
        if try exists(log + "/data.mdb") {
            guard Environment.fileBytes(in: log) ?? 0 > 0 else { throw StoreError.logIsLost(path: path) }
        } else {
            if try exists(index + "/data.mdb") { throw StoreError.logIsLost(path: path) }
            throw try absence() ?? StoreError.notAStore(path: path)
        }
    }

    /// Checks that a store can be created here.
    ///
    /// - Throws: ``StoreError/alreadyExists(path:)``, ``StoreError/logIsLost(path:)``, the error of ``absence()``,
    ///   ``BackupError/isNotWritable(path:)``, or an error that prevents the check.
    func checkIsFree() throws {
        guard !isBackup else { throw BackupError.isNotWritable(path: path) }
        guard !holdsStore else { throw StoreError.alreadyExists(path: path) }
        if let absence = try absence() { throw absence }
        // An index without a log is a damaged store. A new store in its place would hide the loss.
        guard !fileExists(index + "/data.mdb") else { throw StoreError.logIsLost(path: path) }
    }

    /// The error if the data directory had a store here, and all of it is missing: ``StoreError/missing(path:)``, or
    /// ``StoreError/nested(path:found:)`` if a folder below contains a store, as after `mv COPY FOLDER` into an existing folder.
    func absence() throws -> StoreError? {
        guard !holdsStore, try !exists(index + "/data.mdb"), try seenHead.isKnownOutside() else { return nil }
        let below = (try? fileNames(in: path))?.sorted().map { path + "/" + $0 }
        return below?.first { StoreFolder($0).holdsStore }.map { .nested(path: path, found: $0) } ?? .missing(path: path)
    }

    /// Takes the lock of the writer, and removes what killed verifications have left.
    func takeLock() throws -> FileLock {
        guard !isBackup else { throw BackupError.isNotWritable(path: path) }
        let taken: FileLock
        do { taken = try FileLock(path: lock, holder: processDescription()) } catch let held as FileLock.HeldError {
            throw StoreError.heldByAnotherWriter(path: path, holder: held.holder)
        }
        VerificationDraft.removeAbandoned(in: path)
        return taken
    }
}

/// The stores that this process has open. LMDB allows a process to open each environment only once.
enum OpenStores {
    /// The canonical path of each store, by the path that it was opened with.
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

/// Opens the index of a log. Folds the index from the log if it cannot be used as it is.
struct IndexOpening {
    let folder: StoreFolder
    let log: EventLog
    let options: StoreOptions
    /// Whether no process writes to the store, so that the index is read without its lock file.
    var isStill = false

    /// Versions that are folded in memory before they are written together. Large sorted batches are written fastest and fill pages
    /// best, so a batch has as many versions as a quarter of the memory holds that this process may use.
    static let versionsPerBatch = memoryLimit() / 4 / bytesPerVersion
    /// The most memory for a version, measured: in memory, and as a row while a batch is sorted.
    private static let bytesPerVersion = 420

    /// Opens the index for writing, and folds missing commits. The caller must hold the writer's lock.
    func forWriting() throws -> (Index, WorkingSet, StoreOpening) {
        let wasClosed = !fileExists(folder.bootMark)
        if let index = try usable() {
            do {
                let known = (try? index.state())?.revision ?? .genesis
                let workingSet = try caughtUp(index)
                let folded = (log.head?.revision ?? known).rawValue - known.rawValue
                return (index, workingSet, StoreOpening(wasClosed: wasClosed, isRebuilt: false, foldedCommits: folded))
            } catch is IndexError {
                // A row is damaged. The index can be folded again, since it is derived data.
            }
        }
        let index = try fresh()
        let workingSet = try caughtUp(index)
        let head = log.head?.revision ?? .genesis
        let isRebuilt = head > .genesis
        let folded = isRebuilt ? head.rawValue + 1 : 0
        return (index, workingSet, StoreOpening(wasClosed: wasClosed, isRebuilt: isRebuilt, foldedCommits: folded))
    }

    /// Folds the commits that an index does not contain. If this fails, closes the index, so that this process can open it again.
    private func caughtUp(_ index: Index) throws -> WorkingSet {
        do {
            try markOpen()
            return try currentWorkingSet(of: index)
        } catch {
            index.close()
            throw error
        }
    }

    /// Returns a working set of an index, after folding the commits that the index does not contain.
    func currentWorkingSet(of index: Index) throws -> WorkingSet {
        let workingSet = try index.workingSet()
        do { try catchUp(index, workingSet) } catch {
            workingSet.end()
            throw error
        }
        return workingSet
    }

    /// Opens the index for reading. Throws with the reason if it cannot be read as it is.
    func forReading() throws -> Index {
        guard fileExists(folder.index + "/data.mdb") else { throw IndexError.unusable("it is not there") }
        if try folder.isLeftByCrash {
            throw IndexError.unusable("the machine went down while it was open")
        }
        // A writer that has just begun removes the seal before it changes anything.
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

    /// Checks that an index is current, and belongs to this version and this history. While a ready writer is working, the index may be
    /// behind the log for a moment. Before the writer is ready, it may be folding the index from the beginning.
    private func check(_ index: Index) throws {
        guard let state = try index.state() else { throw IndexError.unusable("it is empty") }
        guard let head = try log.refreshHead() else { throw LogError.empty }
        try checkBelongs(state)
        if state.revision < head.revision, !FileLock.isHeldReady(path: folder.lock) {
            throw IndexError.unusable("it has folded \(state.revision) of \(head.revision) revisions")
        }
    }

    /// Opens the existing index; nil if it must be folded again.
    private func usable() throws -> Index? {
        guard fileExists(folder.index + "/data.mdb") else { return nil }
        if try folder.isLeftByCrash { return nil }
        if let found = try folder.indexSeal.problems(), !found.isEmpty { return nil }
        let index: Index
        do {
            index = try Index(path: folder.index, isReadOnly: false, mapBytes: options.mapBytes)
        } catch let error as StorageError
            where ![.notPermitted, .diskFull, .diskFailed, .insufficientResources, .processIDTaken].contains(error.kind)
        {
            return nil
        }
        do {
            // An index with only the first commit is folded again, so that the writer has all of it in memory.
            if let state = try index.state() {
                try checkBelongs(state)
                if state.revision > .genesis { return index }
            }
        } catch is IndexError {} catch is CodecError {} catch {
            index.close()
            throw error
        }
        index.close()
        return nil
    }

    /// Throws if an intact index was not folded from this log. In this case the log was rolled back.
    private func checkBelongs(_ state: IndexState) throws {
        try LastKnownHead.check(log, has: LastKnownCommit(revision: state.revision, hash: state.hash), in: folder.path)
    }

    private func fresh() throws -> Index {
        try removeFlatFolder(folder.index)
        try makeFolder(folder.index)
        return try Index(path: folder.index, isReadOnly: false, mapBytes: options.mapBytes)
    }

    /// Marks the index as open, before anything is written to it. If the machine stops meanwhile, the mark remains.
    private func markOpen() throws {
        try folder.indexSeal.remove()
        try replaceFile(folder.bootMark, with: bootIdentity())
    }

    /// Folds the commits that the index does not contain, in batches.
    ///
    /// - Parameter lastRefusal: the last refusal to include; nil for all of them.
    func catchUp(_ index: Index, _ workingSet: WorkingSet, lastRefusal: RefusalNumber? = nil) throws {
        guard let head = log.head else { return }
        try loadOpenBlock(workingSet)
        try foldCommits(index, workingSet, to: head)
        try foldRefusals(workingSet, to: lastRefusal) { try index.flush(workingSet, hash: head.hash) }
        if workingSet.hasUnwritten { try index.flush(workingSet, hash: head.hash) }
    }

    private func foldCommits(_ index: Index, _ workingSet: WorkingSet, to head: LogHead) throws {
        let first = workingSet.isEmpty ? Revision.genesis : workingSet.state.revision.next
        guard first <= head.revision else { return }
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
                if !isLast, workingSet.heldCount > Self.versionsPerBatch {
                    try index.flush(workingSet, hash: hash)
                }
                if isLast || folded % 1024 == 0 {
                    options.progress?(
                        Progress(stage: "folding the log", done: commit.revision.rawValue, total: head.revision.rawValue))
                }
            }
        }
    }

    /// Loads the folded commits whose events belong to the open block of the audit.
    private func loadOpenBlock(_ workingSet: WorkingSet) throws {
        guard let first = workingSet.firstUntaken else { return }
        try log.read { reader in
            try reader.forEachCommit(from: first, to: workingSet.state.revision) { commit, _ in workingSet.loadOpenBlock(commit) }
        }
    }

    /// - Parameter flush: called when many refusals are in memory.
    private func foldRefusals(_ workingSet: WorkingSet, to last: RefusalNumber?, flush: () throws -> Void) throws {
        let first = workingSet.firstOpenRefusal
        try log.readRefusals { reader in
            try reader.forEachRefusal(from: first, to: last ?? RefusalNumber(.max)) { refusal, _ in
                workingSet.fold(refusal)
                if workingSet.newRequestCount > Self.requestsPerBatch { try flush() }
            }
        }
    }

    /// Refusals with idempotency keys that are folded before they are written to the index.
    private static let requestsPerBatch = 20_000
}
