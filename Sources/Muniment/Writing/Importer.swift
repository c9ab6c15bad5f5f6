public import Events

/// Carries out many transactions, many to one sync. What was added is durable once ``finish()`` has returned; after a crash
/// some of the last transactions may be missing, never one from the middle.
public final class Importer {
    private let writer: Writer

    init(writer: Writer) { self.writer = writer }

    /// Carries out a transaction; answers the revision that it made, nil where it changed nothing.
    ///
    /// - Throws: `Refusal`, where this transaction changed nothing and those before it stand.
    @discardableResult
    public func add(_ transaction: Transaction) throws -> Revision? { try writer.add(transaction).revision }

    /// Brings everything to the disk. More can be added afterwards.
    public func finish() throws { try writer.writeOut() }
}
