internal import Dispatch
internal import EventLog
internal import Files
internal import Hashing
internal import Primitives
internal import Secrets
internal import Synchronization

/// All accounts of a data directory: their log, their keys, and the resulting state in memory.
///
/// The log is authoritative. Personal data in it is sealed by one key per account, and these keys by the master key. Without an
/// index, opening reads the whole log. Only one process at a time can open the accounts.
final class AccountDatabase: Sendable {
    let master: MasterKey
    private let lock: FileLock
    private let keys: KeyFile
    private let log: RecordLog
    private let known: LastKnownHead
    private let keysPlace: FilePathCheck
    /// Serializes changes. Readers do not wait for it.
    private let writer = DispatchQueue(label: "accounts.writer")
    private let current = Mutex(AccountState())
    /// Does not change while a block runs in `writer`.
    private let isClosed = Mutex(false)

    /// Opens the accounts of a data directory, or creates an empty set.
    ///
    /// - Parameter folder: the folder `.muniment` of the data directory, which must exist.
    /// - Throws: ``AccountDatabaseError``; `LogError` for a damaged log; `FileError` and `StorageError` for errors of the file system.
    init(folder: String) throws {
        let own = AccountsFolder(folder)
        try makePrivateFolder(own.path)
        do { lock = try FileLock(path: own.path + "/writer.lock", holder: processDescription()) } catch let held
            as FileLock.HeldError
        {
            throw AccountDatabaseError.held(by: held.holder)
        }
        var opened: [() -> Void] = [lock.release]
        do {
            try makePrivateFolder(own.log)
            log = try RecordLog(path: own.log, isReadOnly: false)
            opened.append(log.close)
            known = own.known
            try AccountDatabase.check(log, against: known.read())
            master = try MasterKey.load(path: folder + "/master.key", isNeeded: log.head != nil)
            keys = try KeyFile(path: own.keys, master: master, isNeeded: log.head != nil)
            opened.append(keys.close)
            keysPlace = FilePathCheck(own.keys)
            let state = try AccountDatabase.fold(log, keys)
            current.withLock { $0 = state }
            if let head = log.head { try known.write(head) }
        } catch {
            for close in opened.reversed() { close() }
            throw error
        }
        lock.announceReady()
    }

    /// Closes the accounts after the current change. Later changes are rejected. Idempotent.
    func close() {
        writer.sync {
            let wasClosed = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return isClosed
            }
            if wasClosed { return }
            // If this write fails, the next opening only checks from an earlier record.
            if failure == nil, let head = log.head { try? known.write(head) }
            keys.close()
            log.close()
            lock.release()
        }
    }

    /// Throws if the log does not contain the known head.
    static func check(_ log: RecordLog, against known: RecordHead?) throws {
        guard let noted = known else { return }
        guard let head = log.head, head.number >= noted.number else {
            throw AccountDatabaseError.endsEarly(record: log.head?.number.rawValue ?? 0, known: noted.number.rawValue)
        }
        try log.forEachRecord(from: noted.number, to: noted.number) { number, _, hash in
            guard hash == noted.hash else { throw AccountDatabaseError.replaced(record: number.rawValue) }
        }
    }

    /// Reads the log, and destroys the keys of accounts with an interrupted deletion.
    static func fold(_ log: RecordLog, _ keys: KeyFile) throws -> AccountState {
        var folding = Folding(keys: keys)
        try log.forEachRecord { number, bytes, _ in try folding.fold(bytes, as: number.rawValue) }
        let state = try folding.finish()
        try keys.destroy(folding.undestroyed)
        return state
    }

    /// The reason why the accounts accept no changes; nil while they do.
    var failure: String? { log.failure ?? (isInPlace ? nil : "\(displaced)") }

    /// Whether the paths of the log and of the keys still refer to the open files.
    private var isInPlace: Bool { log.isInPlace && keysPlace.isUnchanged }

    private var displaced: AccountDatabaseError { .displaced(path: keysPlace.path) }

    /// Reads the current state. Never waits for the disk.
    func read<R>(_ body: (AccountState) throws -> R) rethrows -> R { try body(current.withLock { $0 }) }

    /// Changes accounts: everything that `body` records, or nothing. The change is durable on return.
    ///
    /// Changes are serialized. Readers see the previous state until the change is durable.
    ///
    /// - Parameters:
    ///   - now: the current time. If the clock was set back, the change is recorded with the time of the previous record.
    ///   - body: decides from ``AccountChange/state``, and records events. If it throws, nothing is changed.
    /// - Throws: the error of `body`; ``AccountDatabaseError/insufficientResources(path:)`` on a full disk;
    ///   ``AccountDatabaseError/stopped(_:)`` after a failed write; ``AccountDatabaseError/closed``; an error of
    ///   the file system, after which no change is accepted.
    func change<R>(at now: Instant, _ body: (inout AccountChange) throws -> R) throws -> R {
        try writer.sync {
            try checkOpen()
            if let reason = log.failure { throw AccountDatabaseError.stopped(reason) }
            guard isInPlace else { throw displaced }
            var change = AccountChange(current.withLock { $0 }, at: now)
            let result = try body(&change)
            if let problem = change.problem { throw AccountDatabaseError.unfit(problem) }
            guard !change.events.isEmpty else { return result }
            // Nothing is written yet, so changes are possible again once the disk has room.
            if DiskSpace(at: keysPlace.path)?.isShort == true {
                throw AccountDatabaseError.insufficientResources(path: keysPlace.path)
            }
            try write(change)
            return result
        }
    }

    /// Called in `writer`. After closing, the file descriptors may belong to other files.
    private func checkOpen() throws(AccountDatabaseError) {
        if isClosed.withLock({ $0 }) { throw .closed }
    }

    /// Writes the keys of new accounts before the log entry, and destroys the keys of deleted accounts after it. If the process
    /// ends in between, every account in the log is still readable, and every deletion in the log is completed at the next opening.
    /// If a key cannot be destroyed, the deletion is made, and ``failure`` has the reason.
    private func write(_ change: AccountChange) throws {
        do {
            let (events, time) = (change.events, change.time)
            let seals = try prepareKeys(for: events)
            try log.append { number, writer in
                AccountRecordCodec.encode(events, at: time, as: number.rawValue, sealedBy: seals, into: &writer)
            }
        } catch {
            log.stop("\(error)")
            throw error
        }
        let outcome = change.outcome()
        current.withLock { $0 = outcome }
        do { try keys.destroy(change.events.compactMap { if case .accountDeleted(let id) = $0 { id } else { nil } }) } catch {
            log.stop("the key of a deleted account is not destroyed until the next start: \(error)")
        }
    }

    /// Creates the keys of new accounts, and reads the keys that seal the events.
    private func prepareKeys(for events: [IdentityEvent]) throws -> AccountEncryptionKeys {
        var found = try keys.make(for: events.compactMap { if case .accountOpened(let id, _, _) = $0 { id } else { nil } })
        for case let account? in events.map(\.sealedFor) where found[account] == nil { found[account] = try keys.key(of: account) }
        return AccountEncryptionKeys(keys: found)
    }

    /// Checks the pages of the log, reads it and the keys again, and compares the result with the state in memory. Changes wait meanwhile.
    ///
    /// - Returns: the number of records, accounts, sessions and bytes.
    /// - Throws: the errors of opening, ``AccountDatabaseError/different(_:)`` and ``AccountDatabaseError/closed``.
    func verify() throws -> AccountVerification {
        try writer.sync {
            try checkOpen()
            let pages = try log.checkPages()
            let state = try AccountDatabase.fold(log, keys)
            let current = current.withLock { $0 }
            guard state == current else {
                throw AccountDatabaseError.different("\(current.accountCount) accounts, which differ from the log")
            }
            return AccountVerification(
                records: log.head?.number.rawValue ?? 0, headHash: log.head.map { "\($0.hash)" }, accounts: state.accountCount,
                sessions: state.sessionCount, checkedBytes: pages?.checkedBytes ?? 0, logBytes: pages?.fileBytes ?? 0)
        }
    }
}

/// The result of a verification of accounts.
public struct AccountVerification: Hashable, Sendable {
    public let records: UInt64
    /// The hash of the last record in hexadecimal digits. It covers all records; nil for an empty log.
    public let headHash: String?
    public let accounts: Int
    public let sessions: Int
    /// The bytes of the log that were checked. The others are not in use: free pages, room in pages, and the older of two heads.
    public let checkedBytes: Int
    /// The bytes of the log's file.
    public let logBytes: Int
}

/// A file with the last known head of the log. A log that ends before this head is damaged, or was replaced by an older one. An
/// older log would restore ended sessions.
struct LastKnownHead {
    let path: String

    /// Returns the noted head; nil if the file does not exist.
    func read() throws -> RecordHead? {
        guard try exists(path) else { return nil }
        let words = String(decoding: try readFile(path), as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let number = UInt64(words[0]), words[1].last == "\n",
            let hash = Digest(hexadecimal: words[1].dropLast())
        else { throw AccountDatabaseError.headMalformed(path: path) }
        return RecordHead(number: RecordNumber(number), hash: hash)
    }

    func write(_ head: RecordHead) throws(FileError) {
        try replaceFile(path, with: Array("\(head.number) \(head.hash)\n".utf8))
    }
}
