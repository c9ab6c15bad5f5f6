internal import Events
internal import Foundation
internal import Hashing
internal import LMDB
internal import Synchronization

/// A log in a folder, under the rules of a shared log: a node's copy, and the log of a store on one machine.
extension EventLog: SharedLog {
    public func position() throws -> LogPosition? {
        _ = try refreshHead()
        return end
    }

    /// Appends a group after checking that its hashes and times continue the log.
    public func append(_ group: LogGroup, after position: LogPosition?) throws -> Bool {
        try appending.withLock { _ in try appendAlone(group, after: position) }
    }

    private func appendAlone(_ group: LogGroup, after position: LogPosition?) throws -> Bool {
        if let failure { throw LogError.stopped(failure) }
        guard !group.isEmpty else { throw LogError.outOfOrder("nothing to append") }
        let present = end
        guard position == present else { return false }
        let next = try group.end(after: present)
        var rows = LogRows(after: present?.hash ?? .zero)
        for record in group.commits {
            let key = LogKeys.commit(Revision(record.number), isAfterTheName: present?.refusal != nil)
            rows.add(key, record)
        }
        var refusalRows = LogRows(after: present?.refusal?.hash ?? .zero)
        for record in group.refusals { refusalRows.add(LogKeys.record(record.number), record) }
        guard let newHead = try headAfter(group) ?? head else { throw LogError.outOfOrder("a refusal needs an earlier commit") }
        try write(rows, refusalRows, head: newHead, lastRefusal: next.refusal)
        return true
    }

    /// Returns the head after the last commit of a group; nil for a group without commits.
    private func headAfter(_ group: LogGroup) throws(LogError) -> LogHead? {
        guard let last = group.commits.last else { return nil }
        let revision = Revision(last.number)
        do throws(CodecError) {
            return LogHead(revision: revision, time: try CommitCodec.decodeHeader(last.bytes.span).time, hash: last.hash)
        } catch {
            throw .unreadable(revision, error)
        }
    }

    public func records(after position: LogPosition?, limitBytes: Int) throws -> LogGroup {
        guard let present = try self.position() else {
            guard position == nil else { throw SharedLogError.diverged("the log has no store") }
            return LogGroup(commits: [], refusals: [])
        }
        return try readRefusals { reader in
            if let position {
                guard position.revision <= present.revision, try reader.hash(of: position.revision) == position.hash else {
                    throw SharedLogError.diverged("the log ends with \(present) and does not contain \(position)")
                }
            }
            let commits = try reader.commitRecords(from: position?.revision.next ?? .genesis, limitBytes: limitBytes)
            let first = position?.refusal?.number.next ?? .first
            let refusals = try reader.refusalRecords(from: first, limitBytes: limitBytes)
            return LogGroup(commits: commits, refusals: refusals)
        }
    }

    public func wait(after position: LogPosition, atMost duration: Duration) throws -> ContinuousClock.Instant? {
        let end = ContinuousClock.now + duration
        while true {
            let now = ContinuousClock.now
            if try self.position() != position { return nil }
            if now >= end { return now }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}
