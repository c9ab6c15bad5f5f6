/// Appends numbers and texts to a run of bytes, in the encodings that `Docs/Format.md` describes.
@frozen public struct ByteWriter: Sendable {
    @usableFromInline var storage: [UInt8] = []

    @inlinable public init(capacity: Int = 64) { storage.reserveCapacity(capacity) }

    @inlinable public var bytes: [UInt8] { storage }

    public mutating func removeAll() { storage.removeAll(keepingCapacity: true) }

    /// Removes the bytes from an offset on.
    public mutating func truncate(to count: Int) { storage.removeSubrange(count...) }

    @inlinable public mutating func byte(_ value: UInt8) { storage.append(value) }

    /// Appends an unsigned number in groups of seven bits, the least significant first. The high bit is set if more groups
    /// follow.
    @inlinable public mutating func varint(_ value: UInt64) {
        if value < 0x80 { return storage.append(UInt8(truncatingIfNeeded: value)) }
        longVarint(value)
    }

    @usableFromInline mutating func longVarint(_ value: UInt64) {
        storage.append(addingCapacity: 10) { $0.varint(value) }
    }

    /// Appends two numbers, as two calls of ``varint(_:)`` do.
    public mutating func varints(_ first: UInt64, _ second: UInt64) {
        storage.append(addingCapacity: 20) { output in
            output.varint(first)
            output.varint(second)
        }
    }

    /// Appends many numbers, without a check of the capacity for each.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that `body` may write.
    ///   - body: writes the numbers.
    @inlinable public mutating func append(atMost limit: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        storage.append(addingCapacity: limit) { body(&$0) }
    }

    /// Appends eight bytes, the least significant first.
    public mutating func fixed64(_ value: UInt64) {
        storage.append(addingCapacity: 8) { $0.fixed64(value) }
    }

    /// Appends four bytes, the least significant first.
    public mutating func fixed32(_ value: UInt32) {
        storage.append(addingCapacity: 4) { output in
            for shift in stride(from: UInt32(0), to: 32, by: 8) { output.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
    }

    /// Appends the low bytes of a number, the most significant first.
    public mutating func bigEndian(_ value: UInt64, byteCount: Int) {
        storage.append(addingCapacity: byteCount) { output in
            for index in 0..<byteCount { output.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - index)))) }
        }
    }

    /// Appends the number of bytes, and then the bytes.
    @inlinable public mutating func blob(_ value: some Collection<UInt8>) {
        varint(UInt64(value.count))
        storage.append(contentsOf: value)
    }

    /// Appends the length in bytes, and then the UTF-8 bytes.
    public mutating func text(_ value: String) { blob(value.utf8) }

    @inlinable public mutating func raw(_ value: some Collection<UInt8>) { storage.append(contentsOf: value) }

    /// Overwrites a byte written before, such as the placeholder for a length.
    @inlinable public mutating func replaceByte(at offset: Int, with value: UInt8) { storage[offset] = value }

    /// Overwrites four bytes written before, the least significant first.
    public mutating func replaceFixed32(at offset: Int, with value: UInt32) {
        var bytes = storage.mutableSpan
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    }

    /// Inserts bytes before an offset.
    public mutating func insert(_ value: some Collection<UInt8>, at offset: Int) { storage.insert(contentsOf: value, at: offset) }
}

extension OutputSpan<UInt8> {
    /// Appends at most 10 bytes, as ``ByteWriter/varint(_:)`` does.
    @inlinable public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends eight bytes, the least significant first.
    @inlinable public mutating func fixed64(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
