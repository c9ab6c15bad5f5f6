internal import EventLog
public import Events
internal import Files
internal import Projections

/// An accepted rollback of a log.
public struct AcceptedRollback: Hashable, Sendable {
    /// The last commit in the log.
    public let revision: Revision
    /// Its hash, in hexadecimal digits.
    public let hash: String
    /// The number of the record of the rollback among the refused commands.
    public let record: RefusalNumber
    /// The text of the record.
    public let message: String
}

extension Store {
    /// Accepts that the log of a closed store has lost commits. Records this in the chain of refused commands. Afterwards the store
    /// can be opened again; its index is rebuilt.
    ///
    /// - Parameters:
    ///   - path: the folder of the store.
    ///   - options: the clock, the progress and the limits for rebuilding the index.
    /// - Throws: ``StoreError/notRolledBack(path:)``, `LogError` for a damaged log, ``StoreError``, or file errors. After an error,
    ///   nothing is changed.
    public static func acceptRollback(at path: String, options: StoreOptions = StoreOptions()) throws -> AcceptedRollback {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        guard !fileExists(folder.sharedMark) else { throw StoreError.shared(path: folder.path) }
        let accepted = try withLogForWriting(of: folder, options) { try recordRollback(folder, $0, options) }
        try foldIndex(at: path, options)
        return accepted
    }

    /// Returns the error of a store that a data directory had in a folder, and of which nothing is there: ``StoreError/missing(path:)``
    /// or ``StoreError/nested(path:found:)``; nil if the store is there, or never was.
    ///
    /// - Parameter path: the folder of the store.
    /// - Throws: an error that prevents the check.
    public static func absence(at path: String) throws -> StoreError? { try StoreFolder(path).absence() }

    /// Whether a folder has the log or the index of a store. A store that has only its index has lost its log.
    ///
    /// - Parameter path: the folder of the store.
    public static func hasFiles(at path: String) -> Bool {
        let folder = StoreFolder(path)
        return folder.holdsStore || fileExists(folder.index + "/data.mdb")
    }

    /// Returns the folders and files that a process opens to write to a store.
    ///
    /// - Parameter path: the folder of the store.
    public static func files(at path: String) -> [String] { StoreFolder(path).files }

    /// Accepts that a store of a data directory is lost, so that another store can be created in its place.
    ///
    /// - Parameter path: the folder that the store was in.
    /// - Throws: ``StoreError/notRolledBack(path:)`` if no store is missing, ``StoreError/nested(path:found:)``, or an error of the file
    ///   system.
    public static func acceptLoss(at path: String) throws {
        let folder = StoreFolder(path)
        guard let absence = try folder.absence() else { throw StoreError.notRolledBack(path: folder.path) }
        guard case .missing = absence else { throw absence }
        try folder.seenHead.removeOutside()
    }

    private static func recordRollback(
        _ folder: StoreFolder, _ log: EventLog, _ options: StoreOptions
    ) throws -> AcceptedRollback {
        guard let head = log.head else { throw LogError.empty }
        guard let problem = IndexOpening(folder: folder, log: log, options: options).rollback() else {
            throw StoreError.notRolledBack(path: folder.path)
        }
        try log.readRefusals { reader in
            try reader.forEachCommit(from: .genesis, to: head.revision) { _, _ in }
            try reader.forEachRefusal(from: .first, to: RefusalNumber(.max)) { _, _ in }
        }
        let message = "accepted: " + problem.prefix(utf8Bytes: Limits.refusalMessageBytes - 16)
        let record = RecordedRefusal(
            number: log.lastRefusal?.number.next ?? .first, time: max(options.clock(), head.time), head: head.revision,
            caller: "accept-rollback", code: "conflict", message: message, changeCount: 0)
        try folder.logSeal.remove()
        _ = try log.append([], refusals: [record])
        try removeFlatFolder(folder.index)
        try folder.seenHead.write(LastKnownCommit(revision: head.revision, hash: head.hash))
        return AcceptedRollback(
            revision: head.revision, hash: "\(head.hash)", record: record.number, message: message)
    }
}

extension IndexOpening {
    /// Throws if the log was rolled back: it lacks the commit recorded when the store was last opened or closed, or the last commit
    /// of an intact index.
    func checkForRollback() throws {
        let folded = lastFolded()
        try folder.seenHead.check(log)
        try LastKnownHead.check(log, has: folded, in: folder.path)
    }

    /// Returns the evidence of a rollback in words; nil without evidence.
    fileprivate func rollback() -> String? {
        do {
            try folder.logSeal.check(log)
            try checkForRollback()
            return nil
        } catch { return "\(error)" }
    }

    /// Returns the last commit in the index. Nil if the index is missing or damaged, or was open when the machine stopped.
    private func lastFolded() -> LastKnownCommit? {
        guard fileExists(folder.index + "/data.mdb") else { return nil }
        if (try? folder.isLeftByCrash) != false { return nil }
        guard (try? folder.indexSeal.problems()) ?? [] == [],
            let index = try? Index(path: folder.index, isReadOnly: true, isStill: isStill, mapBytes: options.mapBytes)
        else { return nil }
        defer { index.close() }
        return (try? index.state()).flatMap { $0 }.map { LastKnownCommit(revision: $0.revision, hash: $0.hash) }
    }
}
