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
        guard name.utf8.count > Self.nameKeyBytes else { return try number(ofKey: name.utf8Span.span, in: transaction) }
        // A long name is stored by its hash, and two names could have the same one.
        guard let number = try number(ofKey: Self.nameKey(name).span, in: transaction),
            try self.name(of: number, in: transaction) == name
        else { return nil }
        return number
    }

    private func number(ofKey key: Span<UInt8>, in transaction: ReadTransaction) throws -> UInt64? {
        try read(transaction, names, key, Tag.names) { row, reader in try reader.varint(row) }
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

    /// - Parameter isSound: whether the checksum of the row was found right before.
    func read<R>(
        _ transaction: ReadTransaction, _ table: Table, _ key: Span<UInt8>, _ tag: UInt32, isSound: Bool = false,
        _ decode: (Span<UInt8>, inout ByteReader) throws -> R
    ) throws -> R? {
        var result: Result<R, any Error>?
        // The bytes are valid only inside the closure, and it can throw only storage errors, so decoding returns a result.
        _ = try transaction.withValue(in: table, for: key) { row throws(StorageError) in
            do {
                if !isSound { try PlainRow.check(key: key, tag: tag, row) }
                var reader = ByteReader(offset: 4)
                result = .success(try decode(row, &reader))
            } catch {
                result = .failure(error)
            }
        }
        return try result?.get()
    }
}

/// The end of a subject's access to an object, ordered by time. Its key has eighteen bytes.
package struct Expiry: Hashable, Comparable {
    package let until: Instant
    package let object: ObjectID
    package let subject: PrincipalID

    static let keyBytes = 18

    var key: [UInt8] {
        var bytes: [UInt8] = []
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: until.ordered >> shift))
        }
        for id in [object.rawValue, subject.rawValue] {
            for shift in stride(from: UInt64(32), through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: id >> shift)) }
        }
        return bytes
    }

    init(until: Instant, object: ObjectID, subject: PrincipalID) {
        self.until = until
        self.object = object
        self.subject = subject
    }

    init(key: Span<UInt8>) throws(IndexError) {
        guard key.count == Self.keyBytes else { throw .damaged }
        func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(key[$1]) } }
        until = Instant(microseconds: Int64(bitPattern: number(0..<8) ^ 1 << 63))
        object = ObjectID(rawValue: number(8..<13))
        subject = PrincipalID(rawValue: number(13..<18))
    }

    package static func < (left: Expiry, right: Expiry) -> Bool {
        (left.until, left.object, left.subject) < (right.until, right.object, right.subject)
    }
}
