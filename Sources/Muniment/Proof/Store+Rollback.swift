internal import EventLog
public import Events
internal import Files
internal import Projections

/// A rollback of a log that was accepted.
public struct AcceptedRollback: Hashable, Sendable {
    /// The last commit that the log has.
    public let revision: Revision
    /// Its hash, in hexadecimal digits.
    public let hash: String
    /// The record among the refused commands that says so.
    public let record: RefusalNumber
    /// What it says.
    public let message: String
}

extension Store {
    /// Accepts that the log of a store that is not open has lost commits that it had, and records it beside the commits, in the chain of
    /// refused commands. The store can be opened again then; its index is folded anew.
    ///
    /// - Parameters:
    ///   - path: the folder of the store.
    ///   - options: the clock, the progress and the limits with which the index is folded.
    /// - Throws: ``StoreError/notRolledBack(path:)``, `LogError` for a log that is damaged, ``StoreError``, or what the disk says; then
    ///   nothing is changed.
    public static func acceptRollback(at path: String, options: StoreOptions = StoreOptions()) throws -> AcceptedRollback {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        let accepted = try recordRollback(folder, options)
        var options = options
        // The log stays as it is.
        options.recordsEnds = .withCommits
        try Store.open(at: path, .writing, options: options).close()
        return accepted
    }

    private static func recordRollback(_ folder: StoreFolder, _ options: StoreOptions) throws -> AcceptedRollback {
        try OpenStores.enter(folder.path)
        defer { OpenStores.leave(folder.path) }
        let lock = try folder.takeLock()
        defer { lock.release() }
        let log = try EventLog(path: folder.log, isReadOnly: false, mapBytes: options.mapBytes)
        defer { log.close() }
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
        try folder.seenHead.write(SeenCommit(revision: head.revision, hash: head.hash))
        return AcceptedRollback(
            revision: head.revision, hash: "\(head.hash)", record: record.number, message: message)
    }
}

extension IndexOpening {
    /// Throws where the log was rolled back: it lacks the commit that the store was last opened or closed with, or the last one that an
    /// intact index knows.
    func checkForRollback() throws {
        let folded = lastFolded()
        try folder.seenHead.check(log)
        try SeenHead.check(log, has: folded, in: folder.path)
    }

    /// What says that the log was rolled back, in words; nil where nothing does.
    fileprivate func rollback() -> String? {
        do {
            try folder.logSeal.check(log)
            try checkForRollback()
            return nil
        } catch { return "\(error)" }
    }

    /// The last commit that the index knows; nil where it is missing or damaged, or was open when the machine went down.
    private func lastFolded() -> SeenCommit? {
        guard fileExists(folder.index + "/data.mdb") else { return nil }
        if let boot = try? readFile(folder.bootMark), boot != bootIdentity() { return nil }
        guard (try? folder.indexSeal.problems()) ?? [] == [],
            let index = try? Index(path: folder.index, isReadOnly: true, mapBytes: options.mapBytes)
        else { return nil }
        defer { index.close() }
        return (try? index.state()).flatMap { $0 }.map { SeenCommit(revision: $0.revision, hash: $0.hash) }
    }
}
