internal import Events
internal import Permissions

/// The keys of properties among which those are that satisfy a condition.
extension Condition {
    /// The keys that an object can have in a property where the condition holds. Others may be among them.
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

    /// Runs of keys that have every object among them for which the condition holds; nil where there are none short of all.
    func covering() -> [(property: String, range: PropertyRange)]? {
        switch self {
        case .compare(let property, _, _), .hasPrefix(let property, _): return [(property, range(of: property))]
        case .all:
            // One property narrows down at least as well as any other for all that is known; one that is pinned down does best.
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
    /// The keys that stand to another as a comparison says.
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

    /// More where fewer keys are likely to be in it.
    fileprivate var narrowness: Int {
        if isEmpty { return Int.max }
        guard let upper else { return 0 }
        return lower.indices.first { $0 >= upper.count || lower[$0] != upper[$0] } ?? lower.count
    }
}
