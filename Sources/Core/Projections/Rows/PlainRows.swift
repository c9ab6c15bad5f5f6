package import Events
internal import Hashing
internal import LMDB
package import Permissions

/// The result of a request with an idempotency key.
package struct RecordedRequest: Hashable, Sendable {
    /// The revision of the commit; for a refused request the last commit before it.
    package let revision: Revision
    /// SHA-256 of the request.
    package let digest: [UInt8]
    /// Nil for a committed request.
    package var refusal: Refusal?
}

/// A request with an idempotency key, which was or will be refused.
package struct KeyedRequest {
    /// The name of the caller.
    package let caller: String
    package let key: String
    /// SHA-256 of the request.
    package let digest: [UInt8]

    package init(caller: String, key: String, digest: [UInt8]) { (self.caller, self.key, self.digest) = (caller, key, digest) }
}

extension RecordedRequest {
    func encode(into writer: inout ByteWriter) {
        writer.varint(revision.rawValue)
        writer.blob(digest)
        guard let refusal else { return }
        writer.text(refusal.code.rawValue)
        writer.text(refusal.message)
        writer.varint(refusal.change.map { UInt64($0) + 1 } ?? 0)
    }

    fileprivate static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws -> RecordedRequest {
        var request = RecordedRequest(revision: Revision(try reader.varint(row)), digest: try reader.blob(row))
        guard reader.offset < row.count else { return request }
        guard let code = Refusal.Code(rawValue: try reader.text(row)) else { throw IndexError.damaged }
        let message = try reader.text(row)
        guard let change = Int(exactly: try reader.varint(row)) else { throw IndexError.damaged }
        request.refusal = Refusal(code, message, change: change == 0 ? nil : change - 1)
        return request
    }
}

/// Reading the tables without versions.
extension IndexTables {
    /// Returns the state that the index has folded; nil for a new index.
    func readState(in transaction: ReadTransaction) throws -> IndexState? {
        let key = Self.stateKey
        return try read(transaction, .state, key.span) { row, reader in try IndexState.decode(row, &reader) }
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
        try read(transaction, .names, key) { row, reader in try reader.varint(row) }
    }

    func name(of id: UInt64, in transaction: ReadTransaction) throws -> String? {
        try Self.idKey(id).withBytes { key in
            try read(transaction, .ids, key) { row, reader in try reader.text(row) }
        }
    }

    func request(_ key: FixedKey, in transaction: ReadTransaction) throws -> RecordedRequest? {
        try key.withBytes { key in
            try read(transaction, .requests, key) { row, reader in try RecordedRequest.decode(row, &reader) }
        }
    }

    /// - Parameter isSound: whether the checksum of the row was found right before.
    func read<R>(
        _ transaction: ReadTransaction, _ tag: Tag, _ key: Span<UInt8>, isSound: Bool = false,
        _ decode: (Span<UInt8>, inout ByteReader) throws -> R
    ) throws -> R? {
        var result: Result<R, any Error>?
        // The bytes are valid only inside the closure, and it can throw only storage errors, so decoding returns a result.
        _ = try transaction.withValue(in: self[tag], for: key) { row throws(StorageError) in
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

    var key: [UInt8] {
        PropertyRow.bytes(until.ordered, count: 8) + PropertyRow.bytes(object.rawValue, count: 5)
            + PropertyRow.bytes(subject.rawValue, count: 5)
    }

    package static func < (left: Expiry, right: Expiry) -> Bool {
        (left.until, left.object, left.subject) < (right.until, right.object, right.subject)
    }
}

extension Expiry {
    init(key: Span<UInt8>) throws(IndexError) {
        guard key.count == 18 else { throw .damaged }
        until = Instant(ordered: PropertyRow.number(key, at: 0..<8))
        object = ObjectID(rawValue: PropertyRow.number(key, at: 8..<13))
        subject = PrincipalID(rawValue: PropertyRow.number(key, at: 13..<18))
    }
}

extension Cursor {
    /// Calls `body` with the rows of the table `expiries`, the earliest end first, until it returns false.
    func forEachExpiry(_ body: (Expiry) throws -> Bool) throws {
        var isThere = try first()
        while isThere {
            let expiry = try withRow { key, row in
                try PlainRow.check(key: key, tag: .expiries, row)
                return try Expiry(key: key)
            }
            guard try body(expiry) else { return }
            isThere = try next()
        }
    }

    /// Returns the row of the table `times` at the cursor, after checking its checksum.
    func commitTime() throws -> (time: Instant, revision: Revision) {
        try withRow { key, row in try PlainRow.check(key: key, tag: .times, row) }
        let number = fixedKey.number
        return (
            Instant(ordered: UInt64(truncatingIfNeeded: number >> 40)),
            Revision(UInt64(truncatingIfNeeded: number) & Revision.open.rawValue)
        )
    }
}
