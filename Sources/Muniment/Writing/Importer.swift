public import Events

/// Carries out many transactions, many to one sync. What was added is durable once ``finish()`` has returned; after a crash
/// some of the last transactions may be missing, never one from the middle.
public final class Importer {
    private let writer: Writer
    private let users: StoreUsers

    init(writer: Writer, users: StoreUsers) { (self.writer, self.users) = (writer, users) }

    /// Carries out a transaction; answers the revision that it made, nil where it changed nothing.
    ///
    /// - Throws: `Refusal`, where this transaction changed nothing and those before it stand; ``StoreError/closed``.
    @discardableResult
    public func add(_ transaction: Transaction) throws -> Revision? {
        try users.during { try writer.add(transaction).revision }
    }

    /// Brings everything to the disk. More can be added afterwards.
    ///
    /// - Throws: ``StoreError/closed``, where closing has brought everything to the disk; `LogError` where the store cannot write.
    public func finish() throws { try users.during { try writer.writeOut() } }
}
