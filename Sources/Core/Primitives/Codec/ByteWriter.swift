/// Appends numbers and texts to a run of bytes, in the encodings that `Docs/Format.md` describes.
public struct ByteWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    @inlinable public mutating func byte(_ value: UInt8) { append(value) }

    /// Appends an unsigned number in groups of seven bits, the least significant first. The high bit is set if more groups
    /// follow.
    public mutating func varint(_ value: UInt64) {
        if value < 0x80 { return bytes.append(UInt8(truncatingIfNeeded: value)) }
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends eight bytes, the least significant first.
    public mutating func fixed64(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends four bytes, the least significant first.
    public mutating func fixed32(_ value: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends the number of bytes, and then the bytes.
    public mutating func blob(_ value: some Collection<UInt8>) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends the length in bytes, and then the UTF-8 bytes.
    public mutating func text(_ value: String) { blob(value.utf8) }

    public mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

    /// Overwrites a byte written before, such as the placeholder for a length.
    public mutating func replaceByte(at offset: Int, with value: UInt8) { bytes[offset] = value }

    /// Inserts bytes before an offset.
    public mutating func insert(_ value: some Collection<UInt8>, at offset: Int) { bytes.insert(contentsOf: value, at: offset) }

    @usableFromInline mutating func append(_ value: UInt8) { bytes.append(value) }
}
