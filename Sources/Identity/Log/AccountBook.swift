internal import Dispatch
internal import EventLog
internal import Events
internal import Files
internal import Secrets
internal import Synchronization

/// All accounts of a data directory: their log, their keys, and what these have led to, in memory.
///
/// The log is the truth. What is personal in it is sealed by a key for each account, and the keys by the master key. There is no
/// index: opening goes through the log. One process at a time has the accounts open.
final class AccountBook: Sendable {
    let master: MasterKey
    private let lock: FileLock
    private let keys: KeyFile
    private let log: RecordLog
    private let known: KnownHead
    private let keysPlace: FilePlace
    /// One change after the other; what a change waits for, reading does not.
    private let writer = DispatchQueue(label: "accounts.writer")
    private let current = Mutex(AccountState())
    /// What is called in `writer` finds it as it stays until it is done.
    private let isClosed = Mutex(false)

    /// Opens the accounts of a data directory, or begins them.
    ///
    /// - Parameter folder: the folder `.muniment` of the data directory, which has to be there.
    /// - Throws: ``AccountBookError``; `LogError` for a damaged log; `FileError` and `StorageError` for what the disk says.
    init(folder: String) throws {
        let own = folder + "/accounts"
        try makePrivateFolder(own)
        do { lock = try FileLock(path: own + "/writer.lock", holder: processDescription()) } catch let held as FileLock.Held {
            throw AccountBookError.held(by: held.holder)
        }
        var opened: [() -> Void] = [lock.release]
        do {
            try makePrivateFolder(own + "/log")
            log = try RecordLog(path: own + "/log", isReadOnly: false)
            opened.append(log.close)
            known = KnownHead(path: own + "/head")
            try AccountBook.check(log, against: known.read())
            master = try MasterKey.load(path: folder + "/master.key", isNeeded: log.head != nil)
            keys = try KeyFile(path: own + "/keys", master: master, isNeeded: log.head != nil)
            opened.append(keys.close)
            keysPlace = FilePlace(own + "/keys")
            let state = try AccountBook.fold(log, keys)
            current.withLock { $0 = state }
            if let head = log.head { try known.write(head) }
        } catch {
            for close in opened.reversed() { close() }
            throw error
        }
        lock.announceReady()
    }

    /// Closes the accounts, behind the change that is being made: no other is made any more. Doing it again does nothing.
    func close() {
        writer.sync {
            let wasClosed = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return isClosed
            }
            if wasClosed { return }
            // What is not noted is only looked for from an earlier record on.
            if failure == nil, let head = log.head { try? known.write(head) }
            keys.close()
            log.close()
            lock.release()
        }
    }

    /// Throws where a log does not have the record that it had.
    static func check(_ log: RecordLog, against known: RecordHead?) throws {
        guard let noted = known else { return }
        guard let head = log.head, head.number >= noted.number else {
            throw AccountBookError.endsEarly(record: log.head?.number.rawValue ?? 0, known: noted.number.rawValue)
        }
        try log.forEachRecord(from: noted.number, to: noted.number) { number, _, hash in
            guard hash == noted.hash else { throw AccountBookError.replaced(record: number.rawValue) }
        }
    }

    /// Goes through the log, and destroys the keys of accounts that were being deleted when whoever did so was stopped.
    static func fold(_ log: RecordLog, _ keys: KeyFile) throws -> AccountState {
        var folding = Folding(keys: keys)
        try log.forEachRecord { number, bytes, _ in try folding.fold(bytes, as: number.rawValue) }
        let state = try folding.finish()
        try keys.destroy(folding.undestroyed)
        return state
    }

    /// Why the accounts take no more changes; nil while they do.
    var failure: String? { log.failure ?? (isInPlace ? nil : "\(displaced)") }

    /// Whether the paths of the log and of the keys still lead to the files that are open.
    private var isInPlace: Bool { log.isInPlace && keysPlace.isUnchanged }

    private var displaced: AccountBookError { .displaced(path: keysPlace.path) }

    /// What there is now. Never waits for the disk.
    func read<R>(_ body: (AccountState) throws -> R) rethrows -> R { try body(current.withLock { $0 }) }

    /// Changes accounts: all that `body` records, or nothing. Returns when it is on the disk.
    ///
    /// One change is decided behind the other. Others see what there was before until this one is on the disk.
    ///
    /// - Parameters:
    ///   - now: what the clock shows. The change is recorded with the time of the one before where the clock went back.
    ///   - body: decides, against ``AccountChange/state``, and records what happens. What it throws changes nothing.
    /// - Throws: what `body` throws; ``AccountBookError/stopped(_:)`` after a write that failed; ``AccountBookError/closed``; what the
    ///   disk says, behind which nothing is changed any more.
    func change<R>(at now: Instant, _ body: (inout AccountChange) throws -> R) throws -> R {
        try writer.sync {
            try checkOpen()
            if let reason = log.failure { throw AccountBookError.stopped(reason) }
            guard isInPlace else { throw displaced }
            var change = AccountChange(current.withLock { $0 }, at: now)
            let result = try body(&change)
            if let problem = change.problem { throw AccountBookError.unfit(problem) }
            if !change.events.isEmpty { try write(change) }
            return result
        }
    }

    /// Called in `writer`: behind closing, the numbers of the files can be those of others.
    private func checkOpen() throws(AccountBookError) {
        if isClosed.withLock({ $0 }) { throw .closed }
    }

    /// The keys of new accounts are on the disk before the log tells of the accounts, and those of deleted ones are destroyed behind
    /// it: an account that the log tells of can always be read, and one that is deleted stays so wherever this process ends.
    private func write(_ change: AccountChange) throws {
        do {
            let (events, time) = (change.events, change.time)
            let seals = try prepareKeys(for: events)
            try log.append { number, writer in
                AccountRecordCodec.encode(events, at: time, as: number.rawValue, sealedBy: seals, into: &writer)
            }
            let outcome = change.outcome()
            current.withLock { $0 = outcome }
            try keys.destroy(events.compactMap { if case .accountDeleted(let id) = $0 { id } else { nil } })
        } catch {
            log.stop("\(error)")
            throw error
        }
    }

    /// Makes the keys of new accounts, and looks up those that something is to be sealed by.
    private func prepareKeys(for events: [IdentityEvent]) throws -> SealingKeys {
        var found = try keys.make(for: events.compactMap { if case .accountOpened(let id, _, _) = $0 { id } else { nil } })
        for case let account? in events.map(\.sealedFor) where found[account] == nil { found[account] = try keys.key(of: account) }
        return SealingKeys(keys: found)
    }

    /// Goes through the log and the keys again, and compares what they lead to with what is in memory. No change is made meanwhile.
    ///
    /// - Returns: how many records, accounts and sessions there are.
    /// - Throws: as opening does, ``AccountBookError/different(_:)`` and ``AccountBookError/closed``.
    func verify() throws -> AccountVerification {
        try writer.sync {
            try checkOpen()
            let state = try AccountBook.fold(log, keys)
            let current = current.withLock { $0 }
            guard state == current else {
                throw AccountBookError.different("\(current.accountCount) accounts, of which the log tells otherwise")
            }
            return AccountVerification(
                records: log.head?.number.rawValue ?? 0, headHash: log.head.map { "\($0.hash)" }, accounts: state.accountCount,
                sessions: state.sessionCount)
        }
    }
}

/// What a verification of accounts has gone through.
public struct AccountVerification: Hashable, Sendable {
    public let records: UInt64
    /// The hash of the last record, in hexadecimal digits, which vouches for all of them; nil where there is none.
    public let headHash: String?
    public let accounts: Int
    public let sessions: Int
}
