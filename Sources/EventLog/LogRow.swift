internal import Events
internal import Hashing

/// The value of a row of the log: the bytes of a commit or a refusal, and behind them the hash of the chain up to there.
struct LogRow {
    let body: Range<Int>
    let hash: Digest

    /// Nil for a value that is too short to be one.
    init?(_ value: Span<UInt8>) {
        guard value.count > Digest.byteCount else { return nil }
        body = 0..<value.count - Digest.byteCount
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Digest.byteCount)
        for index in body.upperBound..<value.count { bytes.append(value[index]) }
        guard let hash = Digest(bytes: bytes) else { return nil }
        self.hash = hash
    }

    /// Whether the hash vouches for the body behind the hash before it.
    func isSound(_ value: Span<UInt8>, behind previous: Digest) -> Bool {
        Digest(chaining: previous, value.extracting(body)) == hash
    }
}

/// Writes rows one behind another, each chained to the one before.
struct LogRowWriter {
    private var writer = ByteWriter(capacity: 256)

    /// The value of the next row, and its hash.
    mutating func row(behind previous: Digest, _ encode: (inout ByteWriter) -> Void) -> (value: ArraySlice<UInt8>, hash: Digest) {
        // The hash before stands in front while the new one is computed.
        writer.removeAll()
        writer.raw(previous.bytes)
        encode(&writer)
        let hash = Digest(of: writer.bytes.span)
        return (writer.bytes[Digest.byteCount...] + hash.bytes, hash)
    }
}
