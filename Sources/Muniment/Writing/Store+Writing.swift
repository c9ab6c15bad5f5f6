public import Events
internal import Synchronization

/// Changing a store.
extension Store {
    /// Carries out a transaction and returns when it is on the disk. Concurrent callers share the cost of that.
    ///
    /// - Throws: `Refusal`, where nothing was changed; ``StoreError`` or `LogError` where the store cannot write.
    @discardableResult
    public func commit(_ transaction: Transaction) throws -> Receipt { try openWriter().commit(transaction) }

    /// Carries out a transaction and returns when it is on the disk. Concurrent callers share the cost of that.
    ///
    /// - Throws: `Refusal`, where nothing was changed; ``StoreError`` or `LogError` where the store cannot write.
    @discardableResult
    public func commit(_ transaction: Transaction) async throws -> Receipt {
        let writer = try openWriter()
        return try await withCheckedThrowingContinuation { continuation in
            writer.commit(transaction) { continuation.resume(with: $0) }
        }
    }

    /// Ends the access that falls due by an instant, with a commit for each moment at which some ends.
    public func advance(to instant: Instant) throws { try openWriter().expire(by: instant) }

    /// Takes many transactions and brings them to the disk in large batches.
    public func importer() throws -> Importer { Importer(writer: try openWriter()) }

    func openWriter() throws(StoreError) -> Writer {
        if isClosed.withLock({ $0 }) { throw .closed }
        guard let writer else { throw .openedForReading(path: folder.path) }
        return writer
    }
}
