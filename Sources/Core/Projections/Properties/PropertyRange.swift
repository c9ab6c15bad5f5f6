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
