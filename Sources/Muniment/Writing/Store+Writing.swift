public import Events

/// Changing a store.
extension Store {
    /// Carries out a transaction and returns when it is on the disk. Concurrent callers share the cost of that.
    ///
    /// - Throws: `Refusal`, where nothing was changed; ``StoreError`` or `LogError` where the store cannot write.
    @discardableResult
    public func commit(_ transaction: Transaction) throws -> Receipt { try writing { try $0.commit(transaction) } }

    /// Carries out a transaction and returns when it is on the disk. Concurrent callers share the cost of that.
    ///
    /// - Throws: `Refusal`, where nothing was changed; ``StoreError`` or `LogError` where the store cannot write.
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

    /// Records the end of access that falls due by an instant, with a commit for each moment at which some ends. A store does this by
    /// itself where ``StoreOptions/recordsEnds`` says so.
    public func advance(to instant: Instant) throws { try writing { try $0.expire(by: instant) } }

    /// Looks for ends that are due by the clock, as the store does by itself, and returns when they are recorded: for tests.
    package func lookForEnds() { writer?.ends?.lookNow() }

    /// Takes many transactions and brings them to the disk in large batches. Until it has finished, the store records no ends by
    /// itself; where the transactions bring times of the past along, open the store with ``EndRecording/withCommits``.
    public func importer() throws -> Importer { Importer(writer: try openWriter(), users: users) }

    /// Writes to the store. Closing waits for it.
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
