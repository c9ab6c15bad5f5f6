/// Encodes refused commands, without the hash that the log appends to each. `Docs/Format.md` describes every byte.
public enum RefusalCodec {
    /// The version of the layout that is written. In version 1, the names in a change were only in its JSON.
    public static let formatVersion: UInt8 = 2

    private enum Tried {
        static let nothing: UInt8 = 0
        static let whole: UInt8 = 1
        static let beginning: UInt8 = 2
    }

    private static let digestBytes = 32

    /// Encodes a refusal. Linear in the size of the record.
    public static func encode(_ refusal: RecordedRefusal, into writer: inout ByteWriter) {
        writer.byte(formatVersion)
        writer.varint(refusal.number.rawValue)
        writer.fixed64(UInt64(bitPattern: refusal.time.microseconds))
        writer.varint(refusal.head.rawValue)
        writer.text(refusal.caller)
        writer.origin(refusal.origin)
        writer.text(refusal.code)
        writer.text(refusal.message)
        writer.varint(refusal.change.map { UInt64($0) + 1 } ?? 0)
        writer.varint(UInt64(refusal.changeCount))
        guard let tried = refusal.tried else { return writer.byte(Tried.nothing) }
        writer.byte(tried.whole == nil ? Tried.whole : Tried.beginning)
        writer.text(tried.operation)
        writer.texts(tried.objects)
        writer.texts(tried.subjects)
        writer.text(tried.json)
        if let whole = tried.whole {
            writer.varint(whole.byteCount)
            writer.raw(whole.digest)
        }
    }

    /// Decodes a refusal. Linear in the size of the record.
    ///
    /// - Throws: ``Primitives/CodecError`` for bytes that no encoder writes, and for a layout of a later version.
    public static func decode(_ bytes: Span<UInt8>) throws(CodecError) -> RecordedRefusal {
        var reader = ByteReader()
        let version = try reader.byte(bytes)
        guard (1...formatVersion).contains(version) else { throw .unknownRefusalFormat(version: version) }
        let number = RefusalNumber(try reader.varint(bytes))
        let time = Instant(microseconds: Int64(bitPattern: try reader.fixed64(bytes)))
        let head = Revision(try reader.varint(bytes))
        let caller = try reader.text(bytes)
        let origin = try reader.origin(bytes)
        let code = try reader.text(bytes)
        let message = try reader.text(bytes)
        let change = try reader.whole(bytes, "the number of a change")
        let count = try reader.whole(bytes, "a number of changes")
        let refusal = RecordedRefusal(
            number: number, time: time, head: head, caller: caller, origin: origin, code: code, message: message,
            change: change == 0 ? nil : change - 1, changeCount: count, tried: try tried(bytes, &reader, version))
        guard reader.offset == bytes.count else { throw .malformed(what: "the end of the refusal", offset: reader.offset) }
        return refusal
    }

    private static func tried(
        _ bytes: Span<UInt8>, _ reader: inout ByteReader, _ version: UInt8
    ) throws(CodecError) -> RefusedChange? {
        let start = reader.offset
        let kind = try reader.byte(bytes)
        guard kind != Tried.nothing else { return nil }
        guard kind == Tried.whole || kind == Tried.beginning else { throw .malformed(what: "a tried change", offset: start) }
        var change = RefusedChange(operation: "", json: "")
        if version > 1 {
            change.operation = try reader.text(bytes)
            change.objects = try reader.texts(bytes)
            change.subjects = try reader.texts(bytes)
        }
        change.json = try reader.text(bytes)
        if kind == Tried.beginning {
            let count = try reader.varint(bytes)
            guard bytes.count - reader.offset >= digestBytes else { throw .truncated(offset: reader.offset) }
            var digest: [UInt8] = []
            for _ in 0..<digestBytes { digest.append(try reader.byte(bytes)) }
            change.whole = RefusedChange.FullTextDigest(byteCount: count, digest: digest)
        }
        if version == 1 { change.readNames() }
        return change
    }
}

extension RefusedChange {
    /// Reads the names in the JSON of a record of version 1. If the JSON is only a beginning, these are the names before its end.
    fileprivate mutating func readNames() {
        guard var reader = try? JSONReader(Array(json.utf8)) else { return }
        var texts: [(name: String, text: String)] = []
        try? reader.takeMembers { reader, name throws(JSONError) in
            if try reader.next() == .text { texts.append((name.text, try reader.takeText())) } else { try reader.skip() }
        }
        for (name, text) in texts {
            switch name {
            case "op": operation = text
            case "object", "role", "permission": objects.append(text)
            case "class": objects.append("class:" + text)
            case "subject", "member", "owner": subjects.append(text)
            case "principal" where operation == "register": objects.append(text)
            case "principal": (objects, subjects) = (["store"], [text])
            default: break
            }
        }
    }
}

extension ByteReader {
    /// Decodes a number that fits an `Int`.
    fileprivate mutating func whole(_ bytes: Span<UInt8>, _ what: String) throws(CodecError) -> Int {
        let start = offset
        guard let number = Int(exactly: try varint(bytes)) else { throw .malformed(what: what, offset: start) }
        return number
    }
}
