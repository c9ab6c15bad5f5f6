public import Events

/// Commits many transactions with few syncs. Transactions are durable after ``finish()`` has returned. After a crash, some of the
/// last transactions may be missing, but never one in the middle.
public final class Importer {
    private let writer: Writer
    private let users: StoreUseCounter

    init(writer: Writer, users: StoreUseCounter) { (self.writer, self.users) = (writer, users) }

    /// Commits a transaction. Returns its revision, or nil if it changed nothing.
    ///
    /// - Throws: `Refusal` if this transaction was refused: it changed nothing, and earlier ones remain; ``StoreError/closed``.
    @discardableResult
    public func add(_ transaction: Transaction) throws -> Revision? {
        try users.during { try writer.add(transaction).revision }
    }

    /// Syncs everything to the disk. More transactions can be added afterwards.
    ///
    /// - Throws: ``StoreError/closed``, if closing has already synced everything to the disk; `LogError` if the store cannot write.
    public func finish() throws { try users.during { try writer.writeOut() } }
}
