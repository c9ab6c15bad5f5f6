/// The reason bytes cannot be decoded as a commit or a refusal.
public enum CodecError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the value does.
    case truncated(offset: Int)
    /// An invalid number, text or choice, which no encoder writes.
    case malformed(what: String, offset: Int)
    /// A later version of Muniment wrote the bytes.
    case unknownFormat(version: UInt8)
    /// A later version of Muniment recorded the refusal.
    case unknownRefusalFormat(version: UInt8)
    /// An event of a kind or version that only a later version of Muniment can decode.
    case unknownEvent(kind: UInt8, version: UInt8)

    /// Whether a later version of Muniment wrote the bytes, so that they are not damaged.
    public var isOfLaterVersion: Bool {
        switch self {
        case .truncated, .malformed, .unknownFormat(0): false
        case .unknownFormat, .unknownRefusalFormat, .unknownEvent: true
        }
    }

    public var description: String {
        switch self {
        case .truncated(let offset): "the bytes end at offset \(offset), inside a value"
        case .malformed(let what, let offset): "\(what) at offset \(offset) is not well formed"
        case .unknownFormat(0): "the commit has no format version"
        case .unknownFormat(let version):
            "the commit has format version \(version), which this Muniment cannot read: use a later one"
        case .unknownRefusalFormat(let version):
            "the refusal has format version \(version), which this Muniment cannot read: use a later one"
        case .unknownEvent(let kind, let version):
            "an event has kind \(kind), version \(version), which this Muniment does not know: use a later one"
        }
    }
}

/// Decodes the output of ``ByteWriter``. It stores only the position; each call receives the bytes.
@frozen public struct ByteReader: Sendable {
    public var offset: Int

    @inlinable public init(offset: Int = 0) { self.offset = offset }

    @inlinable public mutating func byte(_ bytes: Span<UInt8>) throws(CodecError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated(offset: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    @inlinable @inline(__always)
    public mutating func varint(_ bytes: Span<UInt8>) throws(CodecError) -> UInt64 {
        guard offset < bytes.count else { throw .truncated(offset: offset) }
        let first = bytes[offset]
        offset &+= 1
        return first < 0x80 ? UInt64(first) : try rest(of: UInt64(first & 0x7F), bytes)
    }

    /// Decodes the groups of a number after the first one.
    @inlinable @inline(__always) mutating func rest(of first: UInt64, _ bytes: Span<UInt8>) throws(CodecError) -> UInt64 {
        var value = first
        var shift: UInt64 = 7
        while offset < bytes.count {
            let byte = bytes[offset]
            offset &+= 1
            // Each number has one valid form: no bits beyond the 64th, and no empty last group.
            if shift == 63, byte > 1 { throw .malformed(what: "a number", offset: offset) }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte & 0x80 == 0 {
                if byte == 0 { throw .malformed(what: "a number", offset: offset) }
                return value
            }
            shift &+= 7
        }
        throw .truncated(offset: offset)
    }

    @inlinable public mutating func fixed64(_ bytes: Span<UInt8>) throws(CodecError) -> UInt64 {
        guard bytes.count - offset >= 8 else { throw .truncated(offset: offset) }
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += 8
        return value
    }

    @inlinable public mutating func fixed32(_ bytes: Span<UInt8>) throws(CodecError) -> UInt32 {
        guard bytes.count - offset >= 4 else { throw .truncated(offset: offset) }
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(bytes[offset + index]) << UInt32(8 * index) }
        offset += 4
        return value
    }

    /// Returns the range of a length-prefixed run of bytes.
    @inlinable public mutating func range(_ bytes: Span<UInt8>) throws(CodecError) -> Range<Int> {
        let count = try varint(bytes)
        guard count <= UInt64(bytes.count - offset) else { throw .truncated(offset: offset) }
        defer { offset += Int(count) }
        return offset..<offset + Int(count)
    }

    public mutating func blob(_ bytes: Span<UInt8>) throws(CodecError) -> [UInt8] {
        let range = try range(bytes)
        return [UInt8](copying: bytes.extracting(range))
    }

    public mutating func text(_ bytes: Span<UInt8>) throws(CodecError) -> String {
        let range = try range(bytes)
        let start = range.lowerBound
        guard let text = validText(bytes.extracting(range)) else { throw .malformed(what: "a text", offset: start) }
        return text
    }
}

extension [UInt8] {
    /// Copies a span.
    @inlinable public init(copying bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }
}
