internal import Events
internal import Permissions

/// A condition on the keys of properties, made ready to be put to many objects.
struct KeyCondition {
    /// The properties that it is about; keys are handed to it in this order.
    let properties: [String]
    private let root: Node

    private indirect enum Node {
        /// - comparable: whether values like the wanted one can be less or greater than others.
        case compare(property: Int, Condition.Comparison, [UInt8], isExact: Bool, comparable: Bool)
        /// - isWhole: whether the bytes are all of the prefix.
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

    /// Whether the condition holds for an object of which some keys are known; nil where that takes other keys, or the value.
    func holds(_ keys: KnownKeys) -> Bool? { Self.holds(root, keys) }

    private static func holds(_ node: Node, _ keys: KnownKeys) -> Bool? {
        switch node {
        case .compare(let property, let comparison, let wanted, let isExact, let comparable):
            guard let range = keys.ranges[property] else { return nil }
            guard comparison == .equal || comparable && keys.bytes[range.lowerBound] == wanted[0] else { return false }
            let order = keys.order(range, wanted)
            if order == .same, !isExact { return nil }
            return comparison.holds(order)
        case .hasPrefix(let property, let prefix, let isWhole):
            guard let range = keys.ranges[property] else { return nil }
            guard keys.bytes[range].starts(with: prefix) else { return false }
            return isWhole ? true : nil
        case .all(let nodes): return decide(nodes, keys, by: false)
        case .any(let nodes): return decide(nodes, keys, by: true)
        }
    }

    /// What one of several says, where one says what decides; nil where one that is not known could.
    private static func decide(_ nodes: [Node], _ keys: KnownKeys, by deciding: Bool) -> Bool? {
        var isKnown = true
        for node in nodes {
            let holds = holds(node, keys)
            if holds == deciding { return deciding }
            if holds == nil { isKnown = false }
        }
        return isKnown ? !deciding : nil
    }
}

/// The keys that are known of an object.
struct KnownKeys {
    var bytes: [UInt8]
    /// Where in the bytes the key of each property is; nil for one that is not known.
    var ranges: [Range<Int>?]

    /// How a key stands to another.
    fileprivate func order(_ range: Range<Int>, _ other: [UInt8]) -> Condition.Order {
        let shared = min(range.count, other.count)
        for index in 0..<shared where bytes[range.lowerBound + index] != other[index] {
            return bytes[range.lowerBound + index] < other[index] ? .ascending : .descending
        }
        return Condition.Order(range.count, other.count)
    }
}
