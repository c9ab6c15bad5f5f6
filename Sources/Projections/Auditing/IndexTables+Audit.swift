internal import Events
internal import LMDB

/// Reading the blocks of the audit.
extension IndexTables {
    /// Hands out the payload of a block, after its checksum was found right.
    ///
    /// - Throws: ``IndexError/damaged`` for one that is not there: blocks follow each other without a gap.
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

    /// Which events a block is of.
    func eventSpan(_ block: UInt64, in transaction: ReadTransaction) throws -> EventSpan {
        try withBlock(.events, block, in: transaction) { row, reader in try EventSpan(row, &reader) }
    }
}
