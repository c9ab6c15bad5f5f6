public import EventLog
public import Events
internal import Files
internal import Foundation
internal import Hashing
internal import Permissions
internal import Projections

/// A store whose log is shared by several nodes. Each node has a copy of the log and an index of its own.
extension Store {
    /// The state of this node's copy of the shared log; nil for a store on one machine.
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
    /// - Parameter limit: how long to wait for the commits.
    /// - Throws: `SharedLogError.unreachable`, also after the limit; ``StoreError/closed``.
    public func catchUp(within limit: Duration = .seconds(5)) throws {
        guard let shared = options.sharedLog else { return }
        try users.during {
            let deadline = ContinuousClock.now + limit
            guard let end = try shared.position() else { throw SharedLogError.noStore }
            try wait(for: end.revision, until: deadline)
        }
    }

    /// Waits until this node has a revision.
    ///
    /// - Returns: whether it has it. Immediately for a store on one machine, which has every revision that exists.
    public func wait(for revision: Revision, atMost limit: Duration) throws -> Bool {
        guard options.sharedLog != nil else { return try head.revision >= revision }
        return try users.during {
            do { try wait(for: revision, until: .now + limit) } catch is SharedLogError { return false }
            return true
        }
    }

    private func wait(for revision: Revision, until deadline: ContinuousClock.Instant) throws {
        // Answers come from the index, which gets a commit after the log.
        while case let known = try head.revision, known < revision {
            if let failure = log.failure { throw LogError.stopped(failure) }
            guard ContinuousClock.now < deadline, !users.isClosed else {
                throw SharedLogError.unreachable("this node has revision \(known), and \(revision) did not arrive in time")
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    /// Copies a store from its shared log into a folder without one, for a new node.
    ///
    /// Linear in the log. Bounded memory. An interrupted copy leaves no store.
    ///
    /// - Parameters:
    ///   - path: the folder. It is created if it does not exist.
    ///   - options: with the shared log; receives the progress.
    /// - Returns: whether the shared log has a store. If not, nothing was created.
    public static func join(at path: String, options: StoreOptions) throws -> Bool {
        guard let shared = options.sharedLog, try shared.position() != nil else { return false }
        let folder = StoreFolder(path)
        try makeFolder(folder.path)
        let lock = try folder.takeLock()
        defer { lock.release() }
        try makeCopy(of: shared, in: folder, options)
        return true
    }

    /// Copies a store from its shared log again. The former copy stays in the folder `log.old`, which replaces an earlier one.
    ///
    /// - Throws: ``StoreError/notShared(path:)``, `SharedLogError`. After an error the former copy is in use, or in `log.old`.
    public static func copyAfresh(at path: String, options: StoreOptions) throws {
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
        guard try !folder.isMissing() else { throw StoreError.missing(path: path) }
        try removeFlatFolder(folder.index)
        try replaceFile(folder.sharedMark, with: [])
        try Store.makeLog(in: folder) { log in try copy(shared, to: log, options) }
        try makeFolder(folder.index)
    }

    /// Appends a closed store to a shared log without it, or with the beginning of it. The store is a copy of that log afterwards.
    ///
    /// The hashes of the shared log are those of the store. Can be repeated after a failure.
    ///
    /// - Parameters:
    ///   - path: the folder of the store.
    ///   - shared: the log.
    ///   - options: the options to open the store's own log with; receives the progress.
    /// - Throws: `SharedLogError.diverged` if the log has another store, ``StoreError``, or `LogError` for a damaged log.
    /// - Returns: the last revision.
    @discardableResult
    public static func move(at path: String, to shared: any SharedLog, options: StoreOptions = StoreOptions()) throws -> Revision {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        try OpenStores.enter(folder.path)
        defer { OpenStores.leave(folder.path) }
        let lock = try folder.takeLock()
        defer { lock.release() }
        let log = try EventLog(path: folder.log, isReadOnly: false, mapBytes: options.mapBytes)
        defer { log.close() }
        try folder.logSeal.check(log)
        guard let end = log.end else { throw LogError.empty }
        var position = try shared.position()
        while position != end {
            let group = try log.records(after: position, limitBytes: SharedWriting.batchBytes)
            let next = try group.end(after: position)
            guard !group.isEmpty, try shared.append(group, after: position) else {
                throw SharedLogError.diverged("the shared log changes, or continues after \(end)")
            }
            position = next
            options.progress?(
                Progress(stage: "copying to the shared log", done: next.revision.rawValue, total: end.revision.rawValue))
        }
        guard try shared.position() == end else { throw SharedLogError.diverged("the shared log does not end with \(end)") }
        try replaceFile(folder.sharedMark, with: [])
        return end.revision
    }

    /// Ends the connection of a closed store to its shared log. The store is on one machine afterwards, and continues from its copy.
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

    /// Copies the records of a shared log that a copy lacks.
    static func copy(_ shared: any SharedLog, to log: EventLog, _ options: StoreOptions) throws {
        guard let last = try shared.position() else { throw SharedLogError.noStore }
        while true {
            let group = try shared.records(after: log.end, limitBytes: SharedWriting.batchBytes)
            if group.isEmpty { return }
            _ = try group.decoded()
            guard try log.append(group, after: log.end) else { throw LogError.outOfOrder("the copy has moved") }
            let done = log.end?.revision.rawValue ?? 0
            options.progress?(
                Progress(stage: "copying the shared log", done: done, total: max(done, last.revision.rawValue)))
        }
    }
}
