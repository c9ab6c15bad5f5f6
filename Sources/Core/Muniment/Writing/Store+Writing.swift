public import Events
internal import Permissions

extension Store {
    /// Commits a transaction and returns after it is on the disk. Concurrent callers share the cost of the sync.
    ///
    /// - Throws: `Refusal` if the transaction was refused and changed nothing; ``StoreError`` or `LogError` if the store cannot
    ///   write.
    @discardableResult
    public func commit(_ transaction: Transaction) throws -> Receipt { try writing { try $0.commit(transaction) } }

    /// Commits a transaction and returns after it is on the disk. Concurrent callers share the cost of the sync.
    ///
    /// - Throws: `Refusal` if the transaction was refused and changed nothing; ``StoreError`` or `LogError` if the store cannot
    ///   write.
    @discardableResult
    public func commit(_ transaction: Transaction) async throws -> Receipt {
        let writer = try openWriter()
        try users.enter()
        return try await withCheckedThrowingContinuation { continuation in
            writer.commit(transaction) { [users] in
                users.leave()
                continuation.resume(with: $0)
            }
        }
    }

    /// Records access that has expired by an instant, with one commit for each moment of expiry. The store does this automatically,
    /// depending on ``StoreOptions/expiryRecording``.
    public func advance(to instant: Instant) throws { try writing { try $0.expire(by: instant) } }

    /// Records the expiries that are due by the clock, as the store does automatically, and returns after that: for tests.
    package func recordDueExpiries() { writer?.ends?.lookNow() }

    /// Returns an importer, which commits many transactions and syncs them to the disk in large batches. Until it has finished, the
    /// store does not record expiries automatically. If the transactions have past times, open the store with
    /// ``ExpiryRecording/withCommits``.
    public func importer() throws -> Importer { Importer(writer: try openWriter(), users: users) }

    /// Calls `body` with the writer. Closing waits for it.
    func writing<R>(_ body: (Writer) throws -> R) throws -> R {
        let writer = try openWriter()
        return try users.during { try body(writer) }
    }

    private func openWriter() throws(StoreError) -> Writer {
        if users.isClosed { throw .closed }
        guard let writer else { throw .openedForReading(path: folder.path) }
        return writer
    }
}

/// A correction of the clock that was committed.
public struct ClockCorrectionReceipt: Hashable, Sendable {
    /// The commit that records the correction.
    public let revision: Revision
    /// Its time. In queries, each earlier commit with a later time counts as made then.
    public let time: Instant
    /// The time of the commit before it.
    public let before: Instant
}

extension Store {
    /// Records that the machine's clock was ahead when earlier commits were made. The store's clock must be correct again.
    ///
    /// The commit has the time of the clock, and later commits continue from there. In queries about the past, each earlier commit
    /// with a later time counts as made at that time. Access that was recorded as expired stays expired. A correction cannot be
    /// reverted.
    ///
    /// - Parameters:
    ///   - caller: an administrator of the store.
    ///   - comment: the reason, up to 1,024 bytes.
    /// - Throws: `Refusal` if the caller does not administer the store or the comment is too long,
    ///   ``StoreError/clockNeedsNoCorrection(_:head:)`` if the newest commit is not later than the clock; ``StoreError`` or
    ///   `LogError` if the store cannot write. After an error, nothing is changed.
    public func correctClock(as caller: Name, comment: String? = nil) throws -> ClockCorrectionReceipt {
        try writing { try $0.correctClock(as: caller, comment: comment) }
    }
}
