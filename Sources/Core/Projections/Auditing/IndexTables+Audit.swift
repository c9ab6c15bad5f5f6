internal import Events
internal import LMDB

/// Reading the blocks of the audit.
extension IndexTables {
    /// Passes the payload of a block to `body`, after checking its checksum.
    ///
    /// - Throws: ``IndexError/damaged`` for a missing block: blocks have consecutive numbers.
    func withBlock<R>(
        _ stream: AuditStream, _ block: UInt64, in transaction: ReadTransaction,
        _ body: (Span<UInt8>, inout ByteReader) throws -> R
    ) throws -> R {
        let found = try AuditRows.key(stream, block).withBytes { key in
            try read(transaction, audit, key, Tag.audit) { row, reader in try body(row, &reader) }
        }
        guard let found else { throw IndexError.damaged }
        return found
    }

    /// Returns the events of a block.
    func eventSpan(_ block: UInt64, in transaction: ReadTransaction) throws -> EventSpan {
        try withBlock(.events, block, in: transaction) { row, reader in try EventSpan(row, &reader) }
    }
}
