internal import EventLog
internal import Events
internal import Files
internal import Foundation
internal import Hashing
internal import LMDB
internal import Projections

/// The result of a verification.
public struct VerificationReport: Sendable {
    public let commits: UInt64
    public let events: UInt64
    /// The number of records of refused commands.
    public let refusals: UInt64
    /// The last commit; nil if the log could not be read to its end.
    public let head: StoreHead?
    /// The problems found, one sentence each.
    public let problems: [String]
    /// Observations that are not problems.
    public let notes: [String]

    public var isSound: Bool { problems.isEmpty }
}

extension Store {
    /// Verifies a store that this process has not opened: the pages of the log with their seal, the hash chain from the first
    /// commit to the last, every event, and the chain of refused commands. Unless `quick` is true, also compares every row of the
    /// index with a new one built from the log.
    ///
    /// Changes nothing, except for a temporary index that it removes.
    public static func verify(
        at path: String, quick: Bool = false, options: StoreOptions = StoreOptions()
    ) throws -> VerificationReport {
        let folder = StoreFolder(path)
        do { try folder.checkHoldsStore() } catch let error as StoreError where error == .logIsLost(path: folder.path) {
            return VerificationReport(commits: 0, events: 0, refusals: 0, head: nil, problems: ["\(error)"], notes: [])
        }
        try OpenStores.enter(folder.path)
        defer { OpenStores.leave(folder.path) }
        var verification = Verification(folder: folder, options: options)
        return try verification.run(quick: quick)
    }

    /// Verifies the log of this open store: the hash chain from the first commit to the last, every event, and the chain of refused
    /// commands. Linear in the log. Does not compare the index, which requires a separate process.
    ///
    /// - Parameter progress: receives the progress at intervals. An error that it throws ends the verification.
    /// - Throws: errors of `progress`; ``StoreError/closed`` if the store is being closed, which does not wait for the
    ///   verification.
    package func verifyLog(progress: (Progress) throws -> Void) throws -> VerificationReport {
        try users.during {
            var verification = Verification(folder: folder, options: options)
            return try verification.run(on: log, through: head.revision) { stage in
                try progress(stage)
                if users.isClosed { throw StoreError.closed }
            }
        }
    }

    /// Checks for a rollback before the index is removed, because the index may contain the only evidence.
    private static func checkForRollback(_ folder: StoreFolder, _ options: StoreOptions) throws {
        let log = try folder.openLogForReading(options)
        defer { log.close() }
        try IndexOpening(folder: folder, log: log, options: options).checkForRollback()
    }

    /// Deletes the index of a closed store and rebuilds it from the log.
    public static func rebuild(at path: String, options: StoreOptions = StoreOptions()) throws {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        let lock = try folder.takeLock()
        do {
            defer { lock.release() }
            try checkForRollback(folder, options)
            try removeFlatFolder(folder.index)
        }
        var options = options
        // Opening must not add commits to the log.
        options.recordsEnds = .withCommits
        try Store.open(at: path, .writing, options: options).close()
    }
}

private struct Verification {
    let folder: StoreFolder
    let options: StoreOptions
    private var commits: UInt64 = 0
    private var events: UInt64 = 0
    private var refusals: UInt64 = 0
    private var problems: [String] = []
    private var notes: [String] = []

    init(folder: StoreFolder, options: StoreOptions) {
        self.folder = folder
        self.options = options
    }

    mutating func run(quick: Bool) throws -> VerificationReport {
        if let found = try folder.logSeal.problems() {
            problems += found
            // Stops after a damaged page, because it could mislead the reading of others.
            if !found.isEmpty { return report(nil) }
        } else {
            notes.append("the log is not sealed, since it is open, was not closed or is very large: only its records were checked")
        }
        let log: EventLog
        do {
            // An active writer changes the head pages and the pages below them meanwhile.
            if !FileLock.isHeldReady(path: folder.lock) { try Environment.checkHeadOrder(of: folder.log) }
            log = try folder.openLogForReading(options)
        } catch {
            problems.append("\(error)")
            return report(nil)
        }
        defer { log.close() }
        guard let head = log.head else {
            problems.append("\(LogError.empty)")
            return report(nil)
        }
        let progress = { [options] (stage: Progress) in options.progress?(stage) ?? () }
        do { try walk(log, to: head.revision, progress) } catch {
            problems.append("\(error)")
            return report(nil)
        }
        do { try walkRefusals(log, progress) } catch { problems.append("\(error)") }
        do { try IndexOpening(folder: folder, log: log, options: options).checkForRollback() } catch {
            problems.append("\(error)")
            return report(StoreHead(revision: head.revision, time: head.time, hash: head.hash.description))
        }
        if folder.isBackup {
            notes.append("this is a backup, which has no index of its own: only its log was checked")
        } else if !quick {
            try compareIndex(with: log, head)
        }
        return report(StoreHead(revision: head.revision, time: head.time, hash: head.hash.description))
    }

    /// Verifies a log that is in use.
    ///
    /// - Parameter progress: receives the progress at intervals. An error that it throws ends the verification.
    mutating func run(
        on log: EventLog, through last: Revision, progress: (Progress) throws -> Void
    ) throws -> VerificationReport {
        notes.append("the store is open: its log was checked, and its index not compared; `muniment verify` does both")
        do { try walk(log, to: last, progress) } catch let ended as Ended { throw ended.reason } catch {
            problems.append("\(error)")
            return report(nil)
        }
        do { try walkRefusals(log, progress) } catch let ended as Ended { throw ended.reason } catch { problems.append("\(error)") }
        let (time, hash) = try log.read { (try $0.time(of: last), try $0.hash(of: last)) }
        return report(StoreHead(revision: last, time: time, hash: hash.description))
    }

    private func report(_ head: StoreHead?) -> VerificationReport {
        VerificationReport(commits: commits, events: events, refusals: refusals, head: head, problems: problems, notes: notes)
    }

    /// The progress callback ended the verification. Not a problem of the log.
    private struct Ended: Error {
        let reason: any Error
    }

    /// The number of commits, or refusals, between two progress reports.
    private static let stride: UInt64 = 4096

    /// Follows the chain, decodes every event, and checks that times never decrease.
    private mutating func walk(_ log: EventLog, to last: Revision, _ progress: (Progress) throws -> Void) throws {
        var previous = Instant.distantPast
        var (commits, events) = (UInt64(0), UInt64(0))
        defer { (self.commits, self.events) = (commits, events) }
        try log.read { reader in
            try reader.forEachCommit(from: .genesis, to: last) { commit, _ in
                if commit.revision > .genesis {
                    guard commit.time >= previous || commit.correctsClock else {
                        throw LogError.outOfOrder("the time of revision \(commit.revision) is before that of the one before")
                    }
                    previous = commit.time
                    commits += 1
                }
                events += UInt64(commit.events.count)
                guard commits % Self.stride == 0 else { return }
                do { try progress(Progress(stage: "checking the chain", done: commits, total: last.rawValue)) } catch {
                    throw Ended(reason: error)
                }
            }
        }
    }

    /// Follows the chain of refused commands, and checks that the revision of each exists.
    private mutating func walkRefusals(_ log: EventLog, _ progress: (Progress) throws -> Void) throws {
        var refusals: UInt64 = 0
        defer { self.refusals = refusals }
        try log.readRefusals { reader in
            let head = try reader.lastHead()?.revision ?? .genesis
            let total = try reader.lastRefusal()?.number.rawValue ?? 0
            var previous = Revision.genesis
            try reader.forEachRefusal(from: .first, to: RefusalNumber(.max)) { refusal, _ in
                guard refusal.head >= previous, refusal.head <= head else {
                    throw LogError.outOfOrder("refusal \(refusal.number) is of revision \(refusal.head), which cannot be")
                }
                previous = refusal.head
                refusals += 1
                guard refusals % Self.stride == 0 else { return }
                do { try progress(Progress(stage: "checking the refused commands", done: refusals, total: total)) } catch {
                    throw Ended(reason: error)
                }
            }
        }
    }

    /// Builds a temporary index from the log and compares every row.
    private mutating func compareIndex(with log: EventLog, _ head: LogHead) throws {
        guard fileExists(folder.index + "/data.mdb") else {
            notes.append("there is no index: it is folded from the log when the store is next opened")
            return
        }
        // The disk content of such an index is undefined. The next opening rebuilds it.
        if try folder.isLeftByCrash {
            notes.append("the machine went down while the index was open: it is folded again when the store is next opened")
            return
        }
        if let found = try folder.indexSeal.problems(), !found.isEmpty {
            problems += found.map { $0 + ": the index is folded again when the store is next opened" }
            return
        }
        var obstacle = ""
        for parent in [folder.path, FileManager.default.temporaryDirectory.path] where mayWrite(to: parent) {
            do {
                return try compareIndex(with: log, head, draft: "\(parent)/verify-\(ProcessInfo.processInfo.processIdentifier)")
            } catch let error as FileError {
                obstacle = "\(error)"
            } catch let error as StorageError where [.diskFull, .diskFailed].contains(error.kind) {
                obstacle = "\(error)"
            } catch {
                return problems.append("the log cannot be folded: \(error)")
            }
        }
        problems.append("the index was not compared, since there is no room for a fresh one: \(obstacle)")
    }

    private mutating func compareIndex(with log: EventLog, _ head: LogHead, draft: String) throws {
        try removeFlatFolder(draft)
        defer { try? removeFlatFolder(draft) }
        try makeFolder(draft)
        let fresh = try Index(path: draft, isReadOnly: false, mapBytes: options.mapBytes)
        defer { fresh.close() }
        let workingSet = try fresh.workingSet()
        defer { workingSet.end() }
        // The index may lack the newest refusals, so the temporary one stops at the same refusal.
        let known = try? stored()?.lastRefusalInBlocks
        try IndexOpening(folder: folder, log: log, options: options).catchUp(fresh, workingSet, lastRefusal: known)
        try compare(with: fresh, log, head, known)
    }

    /// Returns the state of the existing index; nil for an empty one.
    private func stored() throws -> IndexState? {
        let index = try Index(path: folder.index, isReadOnly: true, mapBytes: options.mapBytes)
        defer { index.close() }
        return try index.state()
    }

    private mutating func compare(with fresh: Index, _ log: EventLog, _ head: LogHead, _ known: RefusalNumber?) throws {
        do {
            let index = try Index(path: folder.index, isReadOnly: true, mapBytes: options.mapBytes)
            defer { index.close() }
            guard let state = try index.state() else { throw IndexError.unusable("it is empty") }
            if state.revision < head.revision {
                notes.append(
                    "the index has folded \(state.revision) of \(head.revision) revisions: "
                        + "the rest is folded when the store is next opened")
            } else if state.revision == head.revision, let difference = try index.firstDifference(from: fresh),
                try index.state()?.revision == head.revision,
                try known == nil || index.state()?.lastRefusalInBlocks == known
            {
                problems.append("the index is damaged: \(difference); `muniment rebuild` mends it")
            } else if try index.state()?.revision != head.revision {
                // The log of an active writer is ahead of its index.
                guard let now = try log.refreshHead(), now.revision >= state.revision else {
                    return problems.append(
                        "the index has folded \(state.revision) revisions and the log has \(head.revision): commits are lost")
                }
                notes.append("the store was written to meanwhile: its index was not compared; verify again when it is at rest")
            }
        } catch {
            problems.append("the index cannot be read: \(error)")
        }
    }
}
