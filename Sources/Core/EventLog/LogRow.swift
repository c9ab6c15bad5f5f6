internal import Events
internal import Hashing
internal import LMDB

/// The value of a row of the log: the bytes of a commit or a refusal, followed by the hash of the chain.
struct LogRow {
    let body: Range<Int>
    let hash: Digest

    /// Returns nil for a value that is too short.
    init?(_ value: Span<UInt8>) {
        guard value.count > Digest.byteCount else { return nil }
        body = 0..<value.count - Digest.byteCount
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Digest.byteCount)
        for index in body.upperBound..<value.count { bytes.append(value[index]) }
        guard let hash = Digest(bytes: bytes) else { return nil }
        self.hash = hash
    }

    /// Whether the hash matches the body and the previous hash.
    func isSound(_ value: Span<UInt8>, after previous: Digest) -> Bool {
        Digest(chaining: previous, value.extracting(body)) == hash
    }
}

/// Encodes consecutive rows, each chained to the previous one.
struct LogRowWriter {
    private var writer = ByteWriter(capacity: 256)

    /// Returns the value of the next row, and its hash.
    mutating func row(after previous: Digest, _ encode: (inout ByteWriter) -> Void) -> (value: ArraySlice<UInt8>, hash: Digest) {
        // While the new hash is computed, the previous hash precedes the body.
        writer.removeAll()
        writer.raw(previous.bytes)
        encode(&writer)
        let hash = Digest(of: writer.bytes.span)
        return (writer.bytes[Digest.byteCount...] + hash.bytes, hash)
    }
}

extension Environment {
    /// Whether a row with a hash is in a table, under one of some keys. False if the file was overwritten in place by an older copy
    /// or by another file. Takes a few microseconds.
    func hasRow(_ hash: Digest, under keys: [[UInt8]], in table: Table) -> Bool {
        do throws(StorageError) {
            let transaction = try beginReading(interruptible: false)
            defer { transaction.end() }
            for key in keys {
                let row = try transaction.withValue(in: table, for: key.span) { value throws(StorageError) in LogRow(value) }
                if row??.hash == hash { return true }
            }
            return false
        } catch {
            // The file was not read.
            return error.kind == .tooManyReaders || error.kind == .insufficientResources
        }
    }
}
