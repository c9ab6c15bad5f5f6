internal import EventLog
internal import Events
internal import Hashing

extension LogPosition {
    /// Reads revision, hash, refusal and its hash; nil for nulls.
    init?(_ row: ArraySlice<[UInt8]?>) throws(SharedLogError) {
        let row = Array(row)
        guard row[0] != nil else { return nil }
        guard let revision = Int64(bigEndian: row[0]), let hash = row[1].flatMap({ Digest(bytes: $0) }),
            let refusal = Int64(bigEndian: row[2]), revision >= 0, refusal >= 0
        else { throw .diverged("a row of `heads` cannot be read") }
        let last = row[3].flatMap { Digest(bytes: $0) }.map {
            RefusalHead(number: RefusalNumber(UInt64(refusal)), hash: $0)
        }
        self.init(revision: Revision(UInt64(revision)), hash: hash, refusal: refusal == 0 ? nil : last)
    }
}

extension ChainedRecord {
    /// Reads number, bytes and hash.
    init(_ row: [[UInt8]?]) throws(SharedLogError) {
        guard let number = Int64(bigEndian: row[0]), number >= 0, let bytes = row[1],
            let hash = row[2].flatMap({ Digest(bytes: $0) })
        else { throw .diverged("a record cannot be read") }
        self.init(number: UInt64(number), bytes: bytes, hash: hash)
    }
}
