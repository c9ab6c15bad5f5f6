internal import Events

/// A JSON value as bytes in the order of values: null, false, true, numbers, texts, lists, objects.
///
/// Numbers are in the exact order of their values, whole or not; texts in the order of their UTF-8 bytes. Texts with the same
/// first ``byteLimit`` bytes share a key, and so do all lists, and all objects. For these ``isExact`` is false, and a caller that
/// must distinguish them compares the values.
struct PropertyKey: Hashable, Comparable, Sendable {
    /// Bytes of a text that are part of its key.
    static let byteLimit = 200

    let bytes: [UInt8]

    enum Tag {
        static let null: UInt8 = 1
        static let `false`: UInt8 = 2
        static let `true`: UInt8 = 3
        static let number: UInt8 = 4
        static let text: UInt8 = 5
        static let list: UInt8 = 6
        static let object: UInt8 = 7
    }

    /// The end of a text: less than any byte of a longer one. A byte 0 inside a text is written as 0 and 255.
    private static let end: [UInt8] = [0, 1]
    private static let cut: [UInt8] = [0, 2]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter value: nil for an absent property, which counts as null.
    init(_ value: JSONValue?) {
        switch value ?? .null {
        case .null: bytes = [Tag.null]
        case .bool(let value): bytes = [value ? Tag.true : Tag.false]
        case .integer(let value): bytes = [Tag.number] + Self.number(value)
        case .number(let value): bytes = [Tag.number] + Self.number(value)
        case .string(let text): bytes = Self.text(text.utf8)
        case .array: bytes = [Tag.list]
        case .object: bytes = [Tag.object]
        }
    }

    /// Whether all values with this key are equal.
    var isExact: Bool {
        switch bytes.first {
        case Tag.text: bytes.last == 1
        case Tag.list, Tag.object: false
        default: true
        }
    }

    /// Whether values with this key can be less or greater than others: numbers and texts.
    var isComparable: Bool { bytes.first == Tag.number || bytes.first == Tag.text }

    static func < (left: PropertyKey, right: PropertyKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    private static func text(_ utf8: String.UTF8View) -> [UInt8] {
        let (escaped, isCut) = escaped(utf8)
        return [Tag.text] + escaped + (isCut ? cut : end)
    }

    /// Returns the first bytes of every key of a text with a prefix.
    static func textPrefix(_ prefix: String) -> [UInt8] { [Tag.text] + escaped(prefix.utf8).bytes }

    private static func escaped(_ utf8: String.UTF8View) -> (bytes: [UInt8], isCut: Bool) {
        var bytes: [UInt8] = []
        for byte in utf8 {
            guard bytes.count < byteLimit else { return (bytes, true) }
            bytes.append(byte)
            if byte == 0 { bytes.append(255) }
        }
        return (bytes, false)
    }

    /// Returns eight bytes in the order of numbers of double precision, and two bytes for the distance of a whole number from the
    /// nearest of those: whole numbers of 64 bits are up to 512 away.
    private static func number(_ value: Int64) -> [UInt8] {
        let nearest = Double(value)
        // 2⁶³ does not fit a signed 64-bit number. It wraps around to the smallest number, and the difference is still right.
        let distance = value &- (nearest >= 0x1p63 ? Int64.min : Int64(nearest))
        return ordered(nearest) + distanceBytes(distance)
    }

    private static func number(_ value: Double) -> [UInt8] { ordered(value == 0 ? 0 : value) + distanceBytes(0) }

    private static func ordered(_ value: Double) -> [UInt8] {
        let bits = value.bitPattern
        return PropertyRow.bytes(bits >> 63 == 0 ? bits | 1 << 63 : ~bits, count: 8)
    }

    private static func distanceBytes(_ distance: Int64) -> [UInt8] {
        PropertyRow.bytes(UInt64(bitPattern: distance &+ 0x8000), count: 2)
    }
}

/// A range of property keys, from `lower` up to but excluding `upper`.
struct PropertyRange: Equatable {
    var lower: [UInt8] = []
    /// nil for no upper bound.
    var upper: [UInt8]?

    /// Every key.
    static let everything = PropertyRange()
    /// The empty range.
    static let nothing = PropertyRange(lower: [], upper: [])

    /// Returns the range of keys with a prefix.
    static func beginning(with bytes: [UInt8]) -> PropertyRange {
        PropertyRange(lower: bytes, upper: successor(of: bytes))
    }

    var isEmpty: Bool {
        guard let upper else { return false }
        return !lower.lexicographicallyPrecedes(upper)
    }

    func intersection(_ other: PropertyRange) -> PropertyRange {
        let lower = lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower
        guard let upper, let otherUpper = other.upper else { return PropertyRange(lower: lower, upper: upper ?? other.upper) }
        return PropertyRange(lower: lower, upper: upper.lexicographicallyPrecedes(otherUpper) ? upper : otherUpper)
    }

    /// Returns the first bytes after all keys with a prefix; nil if no bytes follow them.
    static func successor(of bytes: [UInt8]) -> [UInt8]? {
        guard let last = bytes.lastIndex(where: { $0 < 255 }) else { return nil }
        return bytes[..<last] + [bytes[last] + 1]
    }
}
