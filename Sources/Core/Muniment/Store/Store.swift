internal import EventLog
public import Events
internal import Files
internal import Hashing
internal import LMDB
internal import Permissions
internal import Projections

/// A permission store: a folder with an append-only log of every change of permissions, and indexes computed from the log. The indexes
/// answer queries about access at any time since the first event.
///
/// ```swift
/// let store = try Store.create(at: "demo", preset: .open, administrator: "user:root")
/// try store.commit(Transaction("user:root", [
///     .defineClass("doc"), .register("user:ann"),
///     .createObject("doc:1"), .grant("user:ann", on: "doc:1", ["read"]),
/// ]))
/// let mayRead = try store.read { try $0.check("user:ann", ["read"], on: "doc:1").isAllowed }
/// try store.close()
/// ```
///
/// Any number of threads may use a store. One process at a time can write; other processes can read at the same time.
public final class Store: Sendable {
    let folder: StoreFolder
    let log: EventLog
    let indexInUse: IndexInUse
    let options: StoreOptions
    private let lock: FileLock?
    let writer: Writer?
    let readers = ReaderPool()
    let queryMemory = QueryMemory()
    let spans = ReplicaSpans()
    let feed: CommitSignal
    /// Nil for a store on one machine.
    let follower: SharedLogFollower?
    let users = StoreUseCounter()
    /// What this process did to open the store for writing; nil for a reader.
    public let opening: StoreOpening?

    private init(
        folder: StoreFolder, log: EventLog, index: IndexInUse, options: StoreOptions, lock: FileLock?, writer: Writer?,
        feed: CommitSignal, follower: SharedLogFollower? = nil, opening: StoreOpening? = nil
    ) {
        self.folder = folder
        self.log = log
        indexInUse = index
        self.options = options
        self.lock = lock
        self.writer = writer
        self.feed = feed
        self.follower = follower
        self.opening = opening
    }

    var index: Index { indexInUse.current }

    /// Whether a folder contains a store.
    public static func exists(at path: String) -> Bool { StoreFolder(path).holdsStore }

    /// Creates a store in a folder without a store, and opens it for writing.
    ///
    /// - Parameters:
    ///   - path: the folder. It is created if it does not exist.
    ///   - preset: the initial privileges of everyone.
    ///   - administrator: the user or thing that administers the store.
    ///   - options: the clock, the progress and the limits of the opened store.
    /// - Throws: ``StoreError/alreadyExists(path:)`` or another ``StoreError`` about what is in the folder, `Refusal` if the
    ///   administrator's name is invalid, or an error of the file system. The folder contains no store then.
    public static func create(
        at path: String, preset: Preset = .locked, administrator: Name = "user:root", options: StoreOptions = StoreOptions()
    ) throws -> Store {
        if let problem = administrator.problem ?? administrator.problemAsNew { throw problem }
        guard administrator.kind == .caller else {
            throw Refusal(.malformed, "`\(administrator)` cannot administer a store: name a user or a thing")
        }
        let folder = StoreFolder(path)
        try folder.checkIsFree()
        try makeFolder(folder.path)
        let lock = try folder.takeLock()
        do {
            defer { lock.release() }
            // Another process may have created it meanwhile.
            try folder.checkIsFree()
            let time = try StoreError.checkRange(of: options.clock())
            let genesis = genesis(preset: preset, administrator: administrator, at: time)
            try makeLog(in: folder) { log in
                let group = try log.group(of: [genesis], refusals: [])
                if let shared = options.sharedLog, try !shared.append(group, after: nil) {
                    throw StoreError.alreadyExists(path: path)
                }
                _ = try log.append([genesis])
            }
            try makeFolder(folder.index)
        }
        return try open(at: path, .writing, options: options)
    }

    /// Opens a closed store for writing and closes it again, so that its index is folded. Adds no commits to the log.
    static func foldIndex(at path: String, _ options: StoreOptions, isUpkeep: Bool = false) throws {
        var options = options
        (options.expiryRecording, options.isUpkeep) = (.withCommits, isUpkeep)
        try open(at: path, .writing, options: options).close()
    }

    /// Creates a log, fills it, and moves it into place atomically. The store exists from that moment on.
    static func makeLog(in folder: StoreFolder, _ fill: (EventLog) throws -> Void) throws {
        try removeFlatFolder(folder.logDraft)
        try makeFolder(folder.logDraft)
        let log = try EventLog(path: folder.logDraft, isReadOnly: false)
        let filled = Result { try fill(log) }
        log.close()
        try filled.get()
        try renameFile(folder.logDraft, to: folder.log)
        try syncFolder(of: folder.log)
    }

    /// Returns the first commit of a store, revision 0: its preset and its administrator. In an open store it also grants everyone all
    /// privileges at the store and class levels.
    private static func genesis(preset: Preset, administrator: Name, at time: Instant) -> Commit {
        let principal = PrincipalID(rawValue: ReservedID.firstFree)
        var events: [Event] = [
            .storeCreated(preset),
            .principalRegistered(Introduction(principal, name: administrator.text)),
            .administratorAppointed(principal),
        ]
        if preset == .open {
            for object in [.store] + ClassID.builtIn.map({ ObjectID($0.id) }) {
                events.append(.accessGranted(AccessGranted(object: object, subject: .everyone, privileges: .all, cause: .preset)))
            }
        }
        return Commit(revision: .genesis, time: time, actor: principal, events: events)
    }

    /// Opens a store. If the index is not current, folds it first and reports the progress.
    ///
    /// - Throws: ``StoreError``, `LogError` for a damaged log, or an error of the file system.
    public static func open(
        at path: String, _ access: StoreAccess = .reading, options: StoreOptions = StoreOptions()
    ) throws -> Store {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        try OpenStores.enter(folder.path)
        do {
            return try access == .writing ? openForWriting(folder, options: options) : openForReading(folder, options: options)
        } catch {
            OpenStores.leave(folder.path)
            throw error.isLackOfDescriptors ? StoreError.insufficientResources(path: path, why: "\(error)") : error
        }
    }

    private static func openForWriting(_ folder: StoreFolder, options: StoreOptions) throws -> Store {
        let lock = try folder.takeLock()
        do {
            let log = try EventLog(path: folder.log, isReadOnly: false, mapBytes: options.mapBytes)
            do { return try openForWriting(folder, log: log, lock: lock, options: options) } catch {
                log.close()
                throw error
            }
        } catch {
            lock.release()
            throw error
        }
    }

    private static func openForWriting(
        _ folder: StoreFolder, log: EventLog, lock: FileLock, options: StoreOptions
    ) throws -> Store {
        guard log.head != nil else { throw LogError.empty }
        guard options.sharedLog != nil || options.isUpkeep || !fileExists(folder.sharedMark) else {
            throw StoreError.shared(path: folder.path)
        }
        try folder.logSeal.check(log)
        var current: ContinuousClock.Instant?
        if let shared = options.sharedLog {
            let begin = ContinuousClock.now
            if try bring(log, to: shared, folder, options) { current = begin }
        }
        try folder.seenHead.check(log)
        let opening = IndexOpening(folder: folder, log: log, options: options)
        let (index, workingSet, report) = try opening.forWriting()
        if let head = log.head { try folder.seenHead.write(LastKnownCommit(revision: head.revision, hash: head.hash)) }
        index.clearStaleReaders()
        let feed = CommitSignal(head: log.head?.revision ?? .genesis)
        let writer = Writer(
            path: folder.path, log: log, index: index, workingSet: workingSet, clock: options.clock,
            clockGuard: clockGuard(folder, log, options), workLimit: options.workPerTransaction,
            expiryRecording: options.expiryRecording, feed: feed,
            shared: options.sharedLog.map { shared in
                SharedWriting(log: shared) { try opening.currentWorkingSet(of: index) }
            }
        ) {
            try folder.logSeal.remove()
        }
        folder.giveToOwner()
        lock.announceReady()
        let inUse = try IndexInUse(in: folder) { index }
        let follower = options.sharedLog.map { SharedLogFollower(log: log, shared: $0, writer: writer, current: current) }
        let store = Store(
            folder: folder, log: log, index: inUse, options: options, lock: lock, writer: writer, feed: feed, follower: follower,
            opening: report)
        feed.findAffectedSubscribers { [weak store] in store?.affectedSubscribers(of: $0, readsValues: $1) }
        writer.watchEnds()
        return store
    }

    /// Copies the rest of a shared log, and marks the store as a node's copy of it.
    ///
    /// - Returns: false if the shared log does not answer. The node then begins with the copy that it has.
    private static func bring(
        _ log: EventLog, to shared: any SharedLog, _ folder: StoreFolder, _ options: StoreOptions
    ) throws -> Bool {
        let isCopy = fileExists(folder.sharedMark)
        let end = log.end
        // Before the first copied commit: without the mark, another start could commit to this machine's log alone.
        if !isCopy { try replaceFile(folder.sharedMark, with: []) }
        do {
            try copy(shared, to: log, options)
            return true
        } catch {
            // A store that was never in the shared log stays as it is.
            if !isCopy, log.end == end { try removeFile(folder.sharedMark) }
            guard isCopy, case SharedLogError.unreachable = error else { throw error }
            return false
        }
    }

    static func clockGuard(_ folder: StoreFolder, _ log: EventLog, _ options: StoreOptions) -> ClockGuard? {
        options.clockLimits.map { limits in
            ClockGuard(limits, mark: folder.clockMark) {
                let head = try? log.read { try $0.commit(at: log.head?.revision ?? .genesis) }
                return head?.origin.importLine != nil
            }
        }
    }

    private static func openForReading(_ folder: StoreFolder, options: StoreOptions) throws -> Store {
        if folder.isBackup { return try openAsReader(folder.withTemporaryIndex, options) }
        do { return try openAsReader(folder, options) } catch let error where error.isFullDisk {
            return try openAsReader(folder.withTemporaryIndex, options)
        }
    }

    private static func openAsReader(_ folder: StoreFolder, _ options: StoreOptions) throws -> Store {
        let log = try folder.openLogForReading(options)
        do {
            guard log.head != nil else { throw LogError.empty }
            try folder.logSeal.check(log)
            try folder.seenHead.check(log)
            let index = try IndexInUse(in: folder) { try openIndexForReading(folder, log, options) }
            let feed = CommitSignal(head: log.head?.revision ?? .genesis)
            return Store(folder: folder, log: log, index: index, options: options, lock: nil, writer: nil, feed: feed)
        } catch {
            log.close()
            if folder.hasTemporaryIndex { try? removeFlatFolder(folder.index) }
            throw error
        }
    }

    static func openIndexForReading(_ folder: StoreFolder, _ log: EventLog, _ options: StoreOptions) throws -> Index {
        let opening = IndexOpening(folder: folder, log: log, options: options)
        do {
            return try opening.forReading()
        } catch let reason where !(reason is LogError || reason is StoreError || reason.isLackOfDescriptors) {
            // The process folds the index as a writer, and then continues as a reader.
            try fold(folder, log: log, options: options, because: reason)
            return try opening.forReading()
        }
    }

    private static func fold(_ folder: StoreFolder, log: EventLog, options: StoreOptions, because reason: any Error) throws {
        let lock: FileLock?
        do { lock = try folder.hasTemporaryIndex ? nil : folder.takeLock() } catch StoreError.heldByAnotherWriter(_, let holder) {
            throw StoreError.indexUnavailable(path: folder.path, why: "\(reason); \(holder) is at it, try again in a moment")
        } catch {
            throw StoreError.indexUnavailable(path: folder.path, why: "\(reason); \(error)")
        }
        defer { lock?.release() }
        do {
            let (index, workingSet, _) = try IndexOpening(folder: folder, log: log, options: options).forWriting()
            workingSet.end()
            try finish(index, in: folder, options)
        } catch let error as FileError where !error.isFullDisk {
            throw StoreError.indexUnavailable(path: folder.path, why: "\(reason); \(error)")
        }
    }

    /// Syncs, seals and closes an index that was open for writing, and removes the mark of an open index.
    private static func finish(_ index: Index, in folder: StoreFolder, _ options: StoreOptions) throws {
        defer { index.close() }
        try index.sync()
        if let state = try index.state() {
            try folder.indexSeal.write(revision: state.revision, hash: state.hash, limit: options.indexSealLimitBytes)
        }
        try removeFile(folder.bootMark)
    }

    /// Closes the store after the current reads and writes have ended, and notifies its observers. Reads and writes that begin after this
    /// call throw ``StoreError/closed``.
    ///
    /// Must not be called inside a read: it would wait for itself. Later calls do nothing and return immediately.
    ///
    /// - Throws: an error if the index could not be written to the disk; the index is folded again when the store is next opened.
    ///   ``StoreError/displaced(path:)`` if the store's folder was removed or replaced; nothing is written into the new folder.
    public func close() throws {
        guard users.close() else { return }
        writer?.ends?.stop()
        follower?.stop()
        feed.close()
        users.waitUntilAllHaveLeft()
        readers.drain()
        defer {
            log.close()
            lock?.release()
            OpenStores.leave(folder.path)
        }
        if let writer {
            let index = index
            // This also writes the additions of an unfinished import.
            let written = Result { try log.failure == nil ? writer.writeOut() : () }
            writer.close()
            guard log.isInPlace, log.hasHead else {
                // The path now leads to another folder. Seals and marks of this store would be wrong there.
                index.close()
                throw StoreError.displaced(path: folder.path)
            }
            try Store.finish(index, in: folder, options)
            try written.get()
            if log.failure == nil, let head = log.head {
                try folder.seenHead.write(LastKnownCommit(revision: head.revision, hash: head.hash))
                try folder.logSeal.write(revision: head.revision, hash: head.hash, limit: options.logSealLimitBytes)
            }
        } else {
            indexInUse.close()
            if folder.hasTemporaryIndex { try removeFlatFolder(folder.index) }
        }
    }
}

extension Error {
    /// Whether the process has no free file descriptors or no memory.
    fileprivate var isLackOfDescriptors: Bool {
        switch self {
        case let error as FileError: error.isLackOfDescriptors
        case let error as StorageError: error.kind == .insufficientResources
        default: false
        }
    }

    fileprivate var isFullDisk: Bool {
        switch self {
        case let error as FileError: error.isDiskFull
        case let error as StorageError: error.kind == .diskFull
        default: false
        }
    }
}
