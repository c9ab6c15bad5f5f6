internal import Events
internal import Permissions

/// The ranges of property keys that can satisfy a condition.
extension Condition {
    /// Returns a range of keys that contains the keys of every object that satisfies the condition. It may contain others.
    func range(of property: String) -> PropertyRange {
        switch self {
        case .compare(let other, let comparison, let wanted) where ExactText(other) == ExactText(property):
            PropertyRange(comparison, PropertyKey(wanted))
        case .hasPrefix(let other, let prefix) where ExactText(other) == ExactText(property):
            .beginning(with: PropertyKey.textPrefix(prefix))
        case .all(let conditions): conditions.reduce(.everything) { $0.intersection($1.range(of: property)) }
        case .compare, .hasPrefix, .any: .everything
        }
    }

    /// Returns lists of ranges. The ranges of each list together contain every object that satisfies the condition.
    func coverings() -> [[(property: String, range: PropertyRange)]] {
        if case .all = self {
            let ranges = properties.map { (property: $0, range: range(of: $0)) }.filter { $0.range != .everything }
            if !ranges.isEmpty { return ranges.map { [$0] } }
        }
        return covering().map { [$0] } ?? []
    }

    /// Returns ranges of keys that together contain every object that satisfies the condition; nil if only the full range does.
    func covering() -> [(property: String, range: PropertyRange)]? {
        switch self {
        case .compare(let property, _, _), .hasPrefix(let property, _): return [(property, range(of: property))]
        case .all:
            // Without statistics all properties are equal, except that one with a single value is best.
            let ranges = properties.map { (property: $0, range: range(of: $0)) }.filter { $0.range != .everything }
            if let best = ranges.max(by: { $0.range.narrowness < $1.range.narrowness }) { return [best] }
            return parts.lazy.compactMap { $0.covering() }.first
        case .any(let conditions):
            var ranges: [(property: String, range: PropertyRange)] = []
            for condition in conditions {
                guard let more = condition.covering() else { return nil }
                ranges += more
            }
            return ranges
        }
    }

    private var parts: [Condition] {
        switch self {
        case .all(let conditions), .any(let conditions): conditions
        case .compare, .hasPrefix: []
        }
    }
}

extension PropertyRange {
    /// Creates the range of keys that satisfy a comparison with a key.
    fileprivate init(_ comparison: Condition.Comparison, _ key: PropertyKey) {
        let equal = PropertyRange.beginning(with: key.bytes)
        guard comparison != .equal else {
            self = equal
            return
        }
        guard key.isComparable, let tag = key.bytes.first else {
            self = .nothing
            return
        }
        self = .beginning(with: [tag])
        switch comparison {
        case .equal, .atLeast: lower = key.bytes
        case .greater: lower = key.isExact ? equal.upper ?? key.bytes : key.bytes
        case .atMost: upper = equal.upper
        case .less: upper = key.isExact ? key.bytes : equal.upper
        }
    }

    /// Higher if the range is likely to contain fewer keys.
    fileprivate var narrowness: Int {
        if isEmpty { return Int.max }
        guard let upper else { return 0 }
        return lower.indices.first { $0 >= upper.count || lower[$0] != upper[$0] } ?? lower.count
    }
}
