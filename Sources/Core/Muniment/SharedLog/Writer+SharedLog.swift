internal import Dispatch
internal import EventLog
internal import Events
internal import Projections
internal import Synchronization

/// How a writer uses a log that several nodes share.
struct SharedWriting: Sendable {
    let log: any SharedLog
    /// Returns a working set of the index as it is.
    let makeWorkingSet: @Sendable () throws -> WorkingSet
    /// The number of groups that had to be decided again.
    let conflicts = ConflictCount()

    /// Bytes of records that are read at once.
    static let batchBytes = 4 << 20
}

/// How often another node was first.
final class ConflictCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}

/// Writing to a shared log. One group at a time is decided and appended: it is decided on the end of the log, and another node may append
/// first. The copy and the index are written after the shared log.
extension Writer {
    /// Decides, and appends the result to the shared log. Starts again, with the commits of the other node, if the log has moved. Called
    /// while holding the turn.
    ///
    /// - Parameter decide: adds commits and refused transactions.
    /// - Throws: `SharedLogError` if it is unknown whether the result was appended.
    func append<R>(
        to shared: SharedWriting, _ decide: (inout [Commit], inout [RecordedRefusal]) -> R
    ) throws -> (R, Announcement) {
        while true {
            var (commits, refused): ([Commit], [RecordedRefusal]) = ([], [])
            let result = decide(&commits, &refused)
            if let reason = log.failure { throw LogError.stopped(reason) }
            let rows = workingSet.hasUnwritten ? workingSet.takePendingRows() : nil
            watchEnds()
            workingSet.endTurn()
            do {
                let group = try log.group(of: commits, refusals: refused)
                // Without a write, too, the result is right only if no other node has written since.
                if try group.isEmpty ? shared.log.position() == log.end : shared.log.append(group, after: log.end) {
                    writeCopy(group, rows)
                    return (result, { self.feed.tell(commits) })
                }
            } catch {
                try? forget(shared)
                throw error
            }
            shared.conflicts.add()
            try forget(shared)
            try catchUp(with: shared)
        }
    }

    /// Removes decisions from memory that were not appended. Called while holding the turn.
    private func forget(_ shared: SharedWriting) throws {
        if let reason = log.failure { throw LogError.stopped(reason) }
        do { try replaceWorkingSet(shared.makeWorkingSet) } catch {
            stop("the index could not be read again: \(error)")
            throw error
        }
    }

    /// Writes a group that is in the shared log to the copy and to the index. If that fails, the node stops. The group is durable
    /// in any case. Called while holding the turn.
    private func writeCopy(_ group: LogGroup, _ rows: PendingRows?) {
        disk.wait()
        defer { disk.signal() }
        do {
            guard try group.isEmpty || log.append(group, after: log.end) else { throw LogError.outOfOrder("the copy has moved") }
            if let rows, let head = log.head { try index.write(rows, hash: head.hash) }
        } catch {
            stop("a commit of the shared log could not be written here: \(error)")
        }
    }

    /// Copies and folds all records that this node does not have. Called while holding the turn.
    private func catchUp(with shared: SharedWriting) throws {
        while true {
            let group = try shared.log.records(after: log.end, limitBytes: SharedWriting.batchBytes)
            if group.isEmpty { return }
            try fold(group)()
        }
    }

    /// Copies and folds a group of other nodes, as far as this node does not have it.
    func follow(_ group: LogGroup, after position: LogPosition?) throws {
        if group.isEmpty { return }
        turn.wait()
        let announce: Announcement
        do {
            defer { turn.signal() }
            guard position == log.end else { return }
            announce = try fold(group)
        }
        announce()
    }

    /// Copies and folds a group of other nodes. A group that does not continue this node's copy stops the node. Called while holding
    /// the turn.
    private func fold(_ group: LogGroup) throws -> Announcement {
        let commits: [Commit]
        let refusals: [RecordedRefusal]
        do {
            _ = try group.end(after: log.end)
            (commits, refusals) = try group.decoded()
        } catch {
            stop("the shared log does not continue this node's copy: \(error)")
            throw error
        }
        try beginTurn()
        disk.wait()
        defer { disk.signal() }
        let end = log.end
        do {
            guard try log.append(group, after: end) else { throw LogError.outOfOrder("the copy has moved") }
            var hash = end?.hash
            for (commit, record) in zip(commits, group.commits) {
                // A correction changes rows of earlier commits, so these must be in the index.
                if commit.correctsClock, let hash { try index.flush(workingSet, hash: hash) }
                try workingSet.fold(commit)
                hash = record.hash
            }
            for refusal in refusals {
                workingSet.fold(refusal)
                nextRefusal = refusal.number.next
            }
            if let hash { try index.flush(workingSet, hash: hash) }
            watchEnds()
            workingSet.endTurn()
        } catch {
            stop("commits of the shared log could not be folded: \(error)")
            throw error
        }
        return { self.feed.tell(commits) }
    }

    /// Stops writes, and reads of the present: the index does not contain everything that was acknowledged.
    func stop(_ reason: String) {
        log.stop(reason)
        indexFailure.withLock { $0 = $0 ?? reason }
        feed.stop()
    }

    /// Replaces the working set, so that it has no decisions that were not written. Called while holding the turn.
    func replaceWorkingSet(_ make: () throws -> WorkingSet) throws {
        workingSet.end()
        workingSet = try make()
        nextRefusal = log.lastRefusal?.number.next ?? .first
        _ = try? workingSet.nextExpiries(by: .distantPast)
        watchEnds()
        workingSet.endTurn()
    }
}
