/// The flags of the origin in commits and refusals: one byte, followed by the fields with a set flag.
private enum OriginField {
    static let requestID: UInt8 = 1
    static let idempotencyKey: UInt8 = 2
    static let comment: UInt8 = 4
    static let importLine: UInt8 = 8
    static let credential: UInt8 = 16
}

extension ByteWriter {
    mutating func origin(_ origin: Origin) {
        byte(
            (origin.requestID == nil ? 0 : OriginField.requestID) | (origin.idempotencyKey == nil ? 0 : OriginField.idempotencyKey)
                | (origin.comment == nil ? 0 : OriginField.comment) | (origin.importLine == nil ? 0 : OriginField.importLine)
                | (origin.credential == nil ? 0 : OriginField.credential))
        if let requestID = origin.requestID { text(requestID) }
        if let key = origin.idempotencyKey {
            text(key)
            blob(origin.requestDigest)
        }
        if let comment = origin.comment { text(comment) }
        if let line = origin.importLine { varint(line) }
        if let credential = origin.credential { text(credential) }
    }
}

extension ByteReader {
    mutating func origin(_ bytes: Span<UInt8>) throws(CodecError) -> Origin {
        let start = offset
        let fields = try byte(bytes)
        guard fields < 32 else { throw .malformed(what: "the origin", offset: start) }
        var origin = Origin()
        if fields & OriginField.requestID != 0 { origin.requestID = try text(bytes) }
        if fields & OriginField.idempotencyKey != 0 {
            origin.idempotencyKey = try text(bytes)
            origin.requestDigest = try blob(bytes)
        }
        if fields & OriginField.comment != 0 { origin.comment = try text(bytes) }
        if fields & OriginField.importLine != 0 { origin.importLine = try varint(bytes) }
        if fields & OriginField.credential != 0 { origin.credential = try text(bytes) }
        return origin
    }
}
