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
    /// Number of records of refused commands.
    public let refusals: UInt64
    /// The hash of the last of these records, which covers all of them; nil without records.
    public let refusalHash: String?
    /// The last commit; nil if the log could not be read that far.
    public let head: StoreHead?
    /// The problems, a sentence each.
    public let problems: [String]
    /// Findings that are not problems, a sentence each.
    public let notes: [String]

    public var isSound: Bool { problems.isEmpty }
}

extension Store {
    /// Checks a store that is not open in this process: the pages of the log against their seal, the hash chain from the first
    /// commit to the last, every event, and the chain of refused commands. Unless `quick`, also compares every row of the index with a
    /// fresh fold of the log.
    ///
    /// Changes nothing. Makes a temporary index, in the store's folder or in that for temporary files, and removes it again.
    public static func verify(
        at path: String, quick: Bool = false, options: StoreOptions = StoreOptions()
    ) throws -> VerificationReport {
        let folder = StoreFolder(path)
        do { try folder.checkHoldsStore() } catch let error as StoreError where error == .logIsLost(path: folder.path) {
            return VerificationReport(
                commits: 0, events: 0, refusals: 0, refusalHash: nil, head: nil, problems: ["\(error)"], notes: [])
        }
        try OpenStores.enter(folder.path)
        defer { OpenStores.leave(folder.path) }
        var verification = Verification(folder: folder, options: options)
        return try verification.run(quick: quick)
    }

    /// Checks the log of this open store: the hash chain from the first commit to the last, every event, and the chain of refused
    /// commands. Linear in the log. Does not compare the index, which needs a separate process.
    ///
    /// - Parameter progress: called from time to time with the progress. An error that it throws ends the verification.
    /// - Throws: errors of `progress`; ``StoreError/closed`` if the store is being closed, which does not wait for the verification.
    package func verifyLog(progress: (Progress) throws -> Void) throws -> VerificationReport {
        try users.during {
            var verification = Verification(folder: folder, options: options)
            return try verification.run(on: log, through: head.revision) { stage in
                try progress(stage)
                if users.isClosed { throw StoreError.closed }
            }
        }
    }

    /// Removes the index of a store that is not open, and folds it again from the log.
    public static func rebuild(at path: String, options: StoreOptions = StoreOptions()) throws {
        let folder = StoreFolder(path)
        try folder.checkHoldsStore()
        let lock = try folder.takeLock()
        do {
            defer { lock.release() }
            let log = try folder.openLogForReading(options)
            defer { log.close() }
            // The index may contain the only evidence of a rollback.
            try IndexOpening(folder: folder, log: log, options: options).checkForRollback()
            try removeFlatFolder(folder.index)
        }
        try foldIndex(at: path, options, isUpkeep: true)
    }
}

private struct Verification {
    let folder: StoreFolder
    let options: StoreOptions
    var commits: UInt64 = 0
    var events: UInt64 = 0
    var refusals: UInt64 = 0
    var refusalHash: Digest?
    var problems: [String] = []
    var notes: [String] = []
    var isIndexSealed = true

    mutating func run(quick: Bool) throws -> VerificationReport {
        let sealed = try folder.logSeal.problems()
        if let found = sealed, !found.isEmpty {
            problems += found
            // A damaged page could cause wrong results in the following checks, so they are skipped.
            return report(nil)
        }
        let log: EventLog
        do {
            // A process that writes changes a head page, and the pages that it refers to, during the check.
            if !FileLock.isHeldReady(path: folder.lock) { try Environment.checkHeadOrder(of: folder.log) }
            log = try folder.openLogForReading(options)
        } catch {
            try add(error)
            return report(nil)
        }
        defer { log.close() }
        guard let head = log.head else {
            problems.append("\(LogError.empty)")
            return report(nil)
        }
        if sealed == nil {
            do { noteUse(try log.checkPages(), of: "log") } catch {
                try add(error)
                return report(nil)
            }
        }
        let progress = { [options] (stage: Progress) in options.progress?(stage) ?? () }
        do { try walk(log, to: head.revision, progress) } catch {
            try add(error)
            return report(nil)
        }
        do { try walkRefusals(log, progress) } catch { try add(error) }
        // The names of sets of privileges are not in the log.
        do { _ = try Store.levels(in: folder) } catch { problems.append("\(error)") }
        do { try IndexOpening(folder: folder, log: log, options: options).checkForRollback() } catch {
            try add(error)
            return report(StoreHead(revision: head.revision, time: head.time, hash: head.hash.description))
        }
        if folder.isBackup {
            notes.append("this is a backup without an index: only its log was checked")
        } else if !quick {
            try compareIndex(with: log, head)
        }
        return report(StoreHead(revision: head.revision, time: head.time, hash: head.hash.description))
    }

    /// Checks a log that is in use.
    ///
    /// - Parameter progress: called from time to time with the progress. An error that it throws ends the check.
    mutating func run(
        on log: EventLog, through last: Revision, progress: (Progress) throws -> Void
    ) throws -> VerificationReport {
        notes.append("the store is open: its log was checked, but not its index; `muniment verify` checks both")
        do { try walk(log, to: last, progress) } catch let ended as EndedError { throw ended.reason } catch {
            problems.append("\(error)")
            return report(nil)
        }
        do { try walkRefusals(log, progress) } catch let ended as EndedError { throw ended.reason } catch {
            problems.append("\(error)")
        }
        let (time, hash) = try log.read { (try $0.time(of: last), try $0.hash(of: last)) }
        return report(StoreHead(revision: last, time: time, hash: hash.description))
    }

    /// Notes how much of a file without a seal was checked.
    private mutating func noteUse(_ use: PageUse?, of part: String) {
        let why = "the \(part) has no seal, because it is open, was not closed or is very large: "
        guard let use else { return notes.append(why + "only its records were checked, because it was written to meanwhile") }
        notes.append(
            why + "\(use.checkedBytes) of its \(use.fileBytes) bytes were checked, and the others are not in use: free pages, room "
                + "in pages, and the older of two heads")
    }

    /// Adds an error to the problems. Throws it if it says nothing about the store.
    private mutating func add(_ error: any Error, _ prefix: String = "") throws {
        if (error as? StorageError)?.kind == .processIDTaken { throw error }
        problems.append("\(prefix)\(error)")
    }

    private func report(_ head: StoreHead?) -> VerificationReport {
        VerificationReport(
            commits: commits, events: events, refusals: refusals, refusalHash: refusalHash.map { "\($0)" }, head: head,
            problems: problems, notes: notes)
    }

    /// The callback for the progress has thrown an error. This is not a problem of the log.
    private struct EndedError: Error {
        let reason: any Error
    }

    /// Commits, or refusals, between two reports of the progress.
    private static let stride: UInt64 = 4096

    private static func tell(_ progress: (Progress) throws -> Void, _ stage: String, _ done: UInt64, of total: UInt64) throws {
        guard done % stride == 0 else { return }
        do { try progress(Progress(stage: stage, done: done, total: total)) } catch { throw EndedError(reason: error) }
    }

    /// Checks the hash chain, decodes every event, and checks that times never decrease.
    private mutating func walk(_ log: EventLog, to last: Revision, _ progress: (Progress) throws -> Void) throws {
        var previous = Instant.distantPast
        var (commits, events) = (UInt64(0), UInt64(0))
        defer { (self.commits, self.events) = (commits, events) }
        try log.read { reader in
            try reader.forEachCommit(from: .genesis, to: last) { commit, _ in
                if commit.revision > .genesis {
                    guard commit.time >= previous || commit.correctsClock else {
                        throw LogError.outOfOrder(
                            "the time of revision \(commit.revision) is earlier than the time of the previous revision")
                    }
                    previous = commit.time
                    commits += 1
                }
                events += UInt64(commit.events.count)
                try Self.tell(progress, "checking the chain", commits, of: last.rawValue)
            }
        }
    }

    /// Checks the chain of refused commands, and that the revision of each exists.
    private mutating func walkRefusals(_ log: EventLog, _ progress: (Progress) throws -> Void) throws {
        var refusals: UInt64 = 0
        defer { self.refusals = refusals }
        try log.readRefusals { reader in
            let head = try reader.lastHead()?.revision ?? .genesis
            let total = try reader.lastRefusal()?.number.rawValue ?? 0
            var previous = Revision.genesis
            try reader.forEachRefusal(from: .first, to: RefusalNumber(.max)) { refusal, hash in
                guard refusal.head >= previous, refusal.head <= head else {
                    throw LogError.outOfOrder("refusal \(refusal.number) has the invalid revision \(refusal.head)")
                }
                previous = refusal.head
                refusals += 1
                refusalHash = hash
                try Self.tell(progress, "checking the refused commands", refusals, of: total)
            }
        }
    }

    /// Folds the log into a draft and compares every row.
    private mutating func compareIndex(with log: EventLog, _ head: LogHead) throws {
        guard fileExists(folder.index + "/data.mdb") else {
            notes.append("the index is missing: it is rebuilt from the log when the store is next opened")
            return
        }
        // The content of such an index after a crash is unreliable, and the next opening folds it again.
        if try folder.isLeftByCrash {
            notes.append("the machine stopped while the index was open: it is rebuilt when the store is next opened")
            return
        }
        let sealed = try folder.indexSeal.problems()
        isIndexSealed = sealed != nil
        if let found = sealed, !found.isEmpty {
            problems += found.map { $0 + ": the index is rebuilt when the store is next opened" }
            return
        }
        VerificationDraft.removeAbandoned(in: folder.path)
        let parents = [folder.path, FileManager.default.temporaryDirectory.path]
        var (isFull, obstacle) = (false, "")
        for parent in parents where mayWrite(to: parent) {
            do {
                return try compareIndex(with: log, head, in: parent)
            } catch let error as FileError {
                (isFull, obstacle) = (isFull || error.isDiskFull, "\(error)")
            } catch let error as StorageError where [.diskFull, .diskFailed].contains(error.kind) {
                (isFull, obstacle) = (isFull || error.kind == .diskFull, "\(error)")
            } catch {
                return try add(error, "the log cannot be applied: ")
            }
        }
        let places = parents.map { "`\($0)`" }.joined(separator: " nor into ")
        problems.append(
            isFull
                ? "the index was not compared, because the disk is full: a new index fits neither into \(places). Make room, or set TMPDIR "
                    + "to a folder on another disk"
                : "the index was not compared, because no new index can be made: \(obstacle)")
    }

    private mutating func compareIndex(with log: EventLog, _ head: LogHead, in parent: String) throws {
        let draft = try VerificationDraft(in: parent)
        defer { draft.remove() }
        let fresh = try Index(path: draft.path, isReadOnly: false, mapBytes: options.mapBytes)
        defer { fresh.close() }
        let workingSet = try fresh.workingSet()
        defer { workingSet.end() }
        // The index may not include the last refusals yet. The fresh index then includes as many as the stored one.
        let known = try? stored()?.lastRefusalInRows
        try IndexOpening(folder: folder, log: log, options: options).catchUp(fresh, workingSet, lastRefusal: known)
        try compare(with: fresh, log, head, known)
    }

    /// Returns the state of the stored index; nil if it is empty.
    private func stored() throws -> IndexState? {
        let index = try Index(path: folder.index, isReadOnly: true, mapBytes: options.mapBytes)
        defer { index.close() }
        return try index.state()
    }

    private mutating func compare(with fresh: Index, _ log: EventLog, _ head: LogHead, _ known: RefusalNumber?) throws {
        do {
            let index = try Index(path: folder.index, isReadOnly: true, mapBytes: options.mapBytes)
            defer { index.close() }
            if !isIndexSealed { noteUse(try index.checkPages(), of: "index") }
            guard let state = try index.state() else { throw IndexError.unusable("it is empty") }
            if state.revision < head.revision {
                notes.append(
                    "the index has \(state.revision) of \(head.revision) revisions: "
                        + "the rest is added when the store is next opened")
            } else if state.revision == head.revision, let difference = try index.firstDifference(from: fresh),
                try index.state()?.revision == head.revision,
                try known == nil || index.state()?.lastRefusalInRows == known
            {
                problems.append("the index is damaged: \(difference); `muniment rebuild` repairs it")
            } else if try index.state()?.revision != head.revision {
                // If a writer has added commits meanwhile, the log is ahead of the index.
                guard let now = try log.refreshHead(), now.revision >= state.revision else {
                    return problems.append(
                        "the index has \(state.revision) revisions, but the log has \(head.revision): commits are lost")
                }
                notes.append("the store was changed meanwhile: its index was not compared; verify again when it is idle")
            }
        } catch {
            try add(error, "the index cannot be read: ")
        }
    }
}
