/// A run of property keys: from `lower` until before `upper`.
struct PropertyRange: Equatable {
    var lower: [UInt8] = []
    /// nil for no end.
    var upper: [UInt8]?

    /// Every key.
    static let everything = PropertyRange()
    /// No key.
    static let nothing = PropertyRange(lower: [], upper: [])

    /// Every key that begins with some bytes.
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

    /// The first bytes behind everything that begins with some; nil where nothing is behind.
    static func successor(of bytes: [UInt8]) -> [UInt8]? {
        guard let last = bytes.lastIndex(where: { $0 < 255 }) else { return nil }
        return bytes[..<last] + [bytes[last] + 1]
    }
}
