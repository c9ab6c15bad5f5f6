public import Events
internal import LMDB

/// The result of a request with an idempotency key.
public struct RecordedRequest: Hashable, Sendable {
    public let revision: Revision
    /// SHA-256 of the request.
    public let digest: [UInt8]
}

/// Reading the tables without versions.
extension IndexTables {
    /// Returns the state that the index has folded; nil for a new index.
    func readState(in transaction: ReadTransaction) throws -> IndexState? {
        let key = Self.stateKey
        return try read(transaction, state, key.span, Tag.state) { row, reader in try IndexState.decode(row, &reader) }
    }

    func number(of name: String, in transaction: ReadTransaction) throws -> UInt64? {
        let key = Self.nameKey(name)
        guard let number = try read(transaction, names, key.span, Tag.names, { row, reader in try reader.varint(row) }) else {
            return nil
        }
        // A long name is stored by its hash, and two names could have the same one.
        if key.first == 0xFF, try self.name(of: number, in: transaction) != name { return nil }
        return number
    }

    func name(of id: UInt64, in transaction: ReadTransaction) throws -> String? {
        try Self.idKey(id).withBytes { key in
            try read(transaction, ids, key, Tag.ids) { row, reader in try reader.text(row) }
        }
    }

    func request(_ key: FixedKey, in transaction: ReadTransaction) throws -> RecordedRequest? {
        try key.withBytes { key in
            try read(transaction, requests, key, Tag.requests) { row, reader in
                RecordedRequest(revision: Revision(try reader.varint(row)), digest: try reader.blob(row))
            }
        }
    }

    func read<R>(
        _ transaction: ReadTransaction, _ table: Table, _ key: Span<UInt8>, _ tag: UInt32,
        _ decode: (Span<UInt8>, inout ByteReader) throws -> R
    ) throws -> R? {
        var result: Result<R, any Error>?
        // The bytes are valid only inside the closure, and it can throw only storage errors, so decoding returns a result.
        _ = try transaction.withValue(in: table, for: key) { row throws(StorageError) in
            do {
                try PlainRow.check(key: key, tag: tag, row)
                var reader = ByteReader(offset: 4)
                result = .success(try decode(row, &reader))
            } catch {
                result = .failure(error)
            }
        }
        return try result?.get()
    }
}
