public import EventLog
public import Events
internal import Files
internal import Foundation
internal import Hashing
internal import Permissions
internal import Projections

/// A store whose log is shared by several nodes. Each node has a copy of the log and an index of its own.
extension Store {
    /// The state of this node's copy of the shared log; nil for a store on one machine, or one that is open for reading only.
    public var sharedLogStatus: SharedLogStatus? {
        guard let follower, let shared = writer?.shared else { return nil }
        var status = follower.status
        status.conflicts = shared.conflicts.value
        return status
    }

    /// Returns after this node has every commit that was acknowledged, by any node, before the call.
    ///
    /// Does nothing for a store on one machine: its answers always include every acknowledged commit.
    ///
    /// - Parameter limit: how long to wait for the commits. The request to the shared log is not included.
    /// - Throws: `SharedLogError`: `unreachable` also after the limit, or if the store is closed during the wait.
    ///   ``StoreError/closed`` if the store was closed before. `LogError.stopped` if this node's copy cannot be written.
    public func catchUp(atMost limit: Duration = .seconds(5)) throws {
        guard let shared = options.sharedLog else { return }
        try users.during {
            let deadline = ContinuousClock.now + limit
            guard let end = try shared.position() else { throw SharedLogError.noStore }
            try wait(for: end.revision, until: deadline)
        }
    }

    /// Waits until this node has a revision. Returns immediately for a store on one machine, which has every revision that exists.
    ///
    /// - Returns: whether this node has the revision; false after the limit.
    /// - Throws: ``StoreError/closed``, or `LogError.stopped` if this node's copy cannot be written.
    public func wait(for revision: Revision, atMost limit: Duration) throws -> Bool {
        guard options.sharedLog != nil else { return try head.revision >= revision }
        return try users.during {
            do { try wait(for: revision, until: .now + limit) } catch is SharedLogError { return false }
            return true
        }
    }

    private func wait(for revision: Revision, until deadline: ContinuousClock.Instant) throws {
        // Reads use the index, which receives a commit after the log.
        while case let known = try head.revision, known < revision {
            if let failure = log.failure { throw LogError.stopped(failure) }
            guard ContinuousClock.now < deadline, !users.isClosed else {
                throw SharedLogError.unreachable("this node has revision \(known); revision \(revision) did not arrive in time")
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    /// Copies a store from its shared log into a folder without a store, for a new node.
    ///
    /// Linear in the log. Bounded memory. After an interruption, the folder contains no store.
    ///
    /// - Parameters:
    ///   - path: the folder. It is created if it does not exist.
    ///   - options: the options, with the shared log. Its `progress` is called during the copy.
    /// - Returns: whether the options have a shared log, and this log has a store. If not, nothing was created.
    /// - Throws: ``StoreError/alreadyExists(path:)``, `SharedLogError`, or an error of the file system.
    public static func join(at path: String, options: StoreOptions) throws -> Bool {
        guard let shared = options.sharedLog, try shared.position() != nil else { return false }
        let folder = StoreFolder(path)
        if let absence = try folder.absence() { throw absence }
        try makeFolder(folder.path)
        let lock = try folder.takeLock()
        defer { lock.release() }
        try makeCopy(of: shared, in: folder, options)
        return true
    }

    /// Replaces this node's copy of a store by a new copy from the shared log. The store must be closed.
    ///
    /// Moves the former copy to the folder `log.old`, and deletes an earlier `log.old`.
    ///
    /// - Throws: ``StoreError/notShared(path:)``, `SharedLogError`. After an error, the former copy is unchanged or in `log.old`.
    public static func replaceCopy(at path: String, options: StoreOptions) throws {
        let folder = StoreFolder(path)
        guard let shared = options.sharedLog, fileExists(folder.sharedMark) else { throw StoreError.notShared(path: path) }
        guard try shared.position() != nil else { throw SharedLogError.noStore }
        let lock = try folder.takeLock()
        defer { lock.release() }
        try removeFlatFolder(folder.path + "/log.old")
        if folder.holdsStore { try renameFile(folder.log, to: folder.path + "/log.old") }
        try removeFlatFolder(folder.index)
        try folder.seenHead.remove()
        try makeCopy(of: shared, in: folder, options)
    }

    /// Makes the log and the empty index of a new copy.
    private static func makeCopy(of shared: any SharedLog, in folder: StoreFolder, _ options: StoreOptions) throws {
        let path = folder.path
        guard !folder.holdsStore else { throw StoreError.alreadyExists(path: path) }
        if let absence = try folder.absence() { throw absence }
        try removeFlatFolder(folder.index)
        try replaceFile(folder.sharedMark, with: [])
        try Store.makeLog(in: folder) { log in try copy(shared, to: log, options) }
        try makeFolder(folder.index)
    }

    /// Appends the log of a closed store to a shared log. Afterwards the folder contains a node's copy of the shared log.
    ///
    /// The shared log must be empty, or contain the beginning of the same log, for example after a failed call. Commits keep their
    /// hashes. Can be repeated after a failure.
    ///
    /// - Parameters:
    ///   - path: the folder of the store.
    ///   - shared: the log.
    ///   - options: the options to open the store's log with. Its `progress` is called during the copy.
    /// - Throws: `SharedLogError.diverged` if the log has another store, ``StoreError``, or `LogError` for a damaged log.
    /// - Returns: the last revision.
    @discardableResult
    public static func move(at path: String, to shared: any SharedLog, options: StoreOptions = StoreOptions()) throws -> Revision {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        return try withLogForWriting(of: folder, options) { log in try move(log, of: folder, to: shared, options) }
    }

    private static func move(
        _ log: EventLog, of folder: StoreFolder, to shared: any SharedLog, _ options: StoreOptions
    ) throws -> Revision {
        try folder.logSeal.check(log)
        guard let end = log.end else { throw LogError.empty }
        var position = try shared.position()
        while position != end {
            let group = try log.records(after: position, limitBytes: SharedWriting.batchBytes)
            let next = try group.end(after: position)
            guard !group.isEmpty, try shared.append(group, after: position) else {
                throw SharedLogError.diverged("another node changes the shared log, or it has records after \(end)")
            }
            position = next
            options.progress?(
                Progress(stage: "copying to the shared log", done: next.revision.rawValue, total: end.revision.rawValue))
        }
        guard try shared.position() == end else { throw SharedLogError.diverged("the shared log does not end with \(end)") }
        try replaceFile(folder.sharedMark, with: [])
        return end.revision
    }

    /// Ends the connection of a closed store to its shared log. Afterwards the store is on one machine, and its log is this node's
    /// copy.
    ///
    /// - Throws: ``StoreError/notShared(path:)``.
    public static func leaveSharedLog(at path: String) throws {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        let lock = try folder.takeLock()
        defer { lock.release() }
        guard fileExists(folder.sharedMark) else { throw StoreError.notShared(path: folder.path) }
        try removeFile(folder.sharedMark)
    }

    /// Appends to `log` the records of a shared log that it lacks.
    static func copy(_ shared: any SharedLog, to log: EventLog, _ options: StoreOptions) throws {
        guard let last = try shared.position() else { throw SharedLogError.noStore }
        while true {
            let group = try shared.records(after: log.end, limitBytes: SharedWriting.batchBytes)
            if group.isEmpty { return }
            _ = try group.decoded()
            guard try log.append(group, after: log.end) else { throw LogError.outOfOrder("another writer changed the copy") }
            let done = log.end?.revision.rawValue ?? 0
            options.progress?(
                Progress(stage: "copying the shared log", done: done, total: max(done, last.revision.rawValue)))
        }
    }
}
