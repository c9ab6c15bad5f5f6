internal import Events
internal import Permissions

/// A condition on the keys of properties, prepared for many objects.
struct KeyCondition {
    /// The properties in the condition; keys must be passed in this order.
    let properties: [String]
    private let root: Node

    private indirect enum Node {
        /// - comparable: whether values like the wanted one can be less or greater than others.
        case compare(property: Int, Condition.Comparison, [UInt8], isExact: Bool, comparable: Bool)
        /// - isWhole: whether the bytes are the whole prefix.
        case hasPrefix(property: Int, [UInt8], isWhole: Bool)
        case all([Node])
        case any([Node])
    }

    init(_ condition: Condition) {
        let properties = condition.properties
        self.properties = properties
        let numbers = Dictionary(uniqueKeysWithValues: properties.enumerated().map { (ExactText($1), $0) })
        root = KeyCondition.node(condition, numbers)
    }

    private static func node(_ condition: Condition, _ numbers: [ExactText: Int]) -> Node {
        switch condition {
        case .compare(let property, let comparison, let wanted):
            let key = PropertyKey(wanted)
            return .compare(
                property: numbers[ExactText(property)] ?? 0, comparison, key.bytes, isExact: key.isExact,
                comparable: key.isComparable)
        case .hasPrefix(let property, let prefix):
            let bytes = PropertyKey.textPrefix(prefix)
            return .hasPrefix(property: numbers[ExactText(property)] ?? 0, bytes, isWhole: bytes.count <= PropertyKey.byteLimit)
        case .all(let conditions): return .all(conditions.map { node($0, numbers) })
        case .any(let conditions): return .any(conditions.map { node($0, numbers) })
        }
    }

    /// Returns whether the condition holds for an object; nil if that requires other keys, or the value.
    ///
    /// - Parameters:
    ///   - row: the bytes that contain the keys.
    ///   - ranges: the range of the key of each of ``properties``; nil for an unknown key. Further ranges are ignored.
    func holds(_ row: Span<UInt8>, _ ranges: [Range<Int>?]) -> Bool? { Self.holds(root, row, ranges) }

    private static func holds(_ node: Node, _ row: Span<UInt8>, _ ranges: [Range<Int>?]) -> Bool? {
        switch node {
        case .compare(let property, let comparison, let wanted, let isExact, let comparable):
            guard let range = ranges[property] else { return nil }
            guard comparison == .equal || comparable && row[range.lowerBound] == wanted[0] else { return false }
            let order = order(row, range, wanted)
            if order == .same, !isExact { return nil }
            return comparison.holds(order)
        case .hasPrefix(let property, let prefix, let isWhole):
            guard let range = ranges[property] else { return nil }
            guard begins(row, range, with: prefix) else { return false }
            return isWhole ? true : nil
        case .all(let nodes): return decide(nodes, row, ranges, by: false)
        case .any(let nodes): return decide(nodes, row, ranges, by: true)
        }
    }

    /// Combines several conditions: returns `deciding` if one has that result, nil if an unknown one could have it, otherwise the
    /// opposite.
    private static func decide(_ nodes: [Node], _ row: Span<UInt8>, _ ranges: [Range<Int>?], by deciding: Bool) -> Bool? {
        var isKnown = true
        for node in nodes {
            let holds = holds(node, row, ranges)
            if holds == deciding { return deciding }
            if holds == nil { isKnown = false }
        }
        return isKnown ? !deciding : nil
    }

    /// Compares a key with another.
    private static func order(_ row: Span<UInt8>, _ range: Range<Int>, _ other: [UInt8]) -> Condition.Order {
        for index in 0..<min(range.count, other.count) where row[range.lowerBound + index] != other[index] {
            return row[range.lowerBound + index] < other[index] ? .ascending : .descending
        }
        return Condition.Order(range.count, other.count)
    }

    private static func begins(_ row: Span<UInt8>, _ range: Range<Int>, with prefix: [UInt8]) -> Bool {
        guard range.count >= prefix.count else { return false }
        for index in prefix.indices where row[range.lowerBound + index] != prefix[index] { return false }
        return true
    }
}
