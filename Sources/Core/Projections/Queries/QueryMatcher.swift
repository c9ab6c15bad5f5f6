internal import Events
internal import Permissions

/// Decides for each object whether a query finds it.
final class QueryMatcher {
    private let reader: IndexReader
    private let rules: AccessRules<IndexReader>
    private let subjects: SubjectSet
    private let classID: ClassID
    private let condition: Condition?
    private let keyCondition: KeyCondition?
    /// The properties that the class names at the revision, with their numbers.
    let slots: [ExactText: UInt16]
    /// The number of each property of the condition and, after them, of the order; nil for a property that the class does not
    /// name.
    private let wantedSlots: [UInt16?]
    private let orderCount: Int
    /// The keys of the current object in these properties, after a lookup.
    private var keys: KnownKeys
    /// The number of objects examined.
    private(set) var examined = 0

    init(_ reader: IndexReader, _ query: Query, in classID: ClassID, for subjects: SubjectSet, at instant: Instant) throws {
        self.reader = reader
        rules = AccessRules(reader, at: instant)
        self.subjects = subjects
        self.classID = classID
        condition = query.condition
        keyCondition = query.condition.map(KeyCondition.init)
        let names = try reader.options(of: classID)?.properties ?? []
        let numbers = try reader.document(DocumentID(kind: .propertySlots, id: classID.rawValue), as: PropertySlots.self).value
        let slots = names.reduce(into: [ExactText: UInt16]()) { slots, name in slots[ExactText(name)] = numbers?[name] }
        self.slots = slots
        wantedSlots = ((keyCondition?.properties ?? []) + query.order.map(\.property)).map { slots[ExactText($0)] }
        orderCount = query.order.count
        keys = KnownKeys(bytes: [], ranges: Array(repeating: nil, count: wantedSlots.count))
    }

    /// Returns the match of a candidate; nil if the query does not find it.
    ///
    /// - Parameter slot: the number of the property that the candidate was found by, if any.
    func match(_ candidate: Candidate, by slot: UInt16?) throws -> QueryMatch? {
        examined += 1
        let object = candidate.object
        // A candidate that was not found by a property can be of another class.
        if candidate.key == nil, try reader.place(of: object)?.classID != classID { return nil }
        // Access is decided first: the time of a query must not depend on values that the caller may not read.
        guard try rules.verdict(for: subjects, on: object, wanted: [.read, .query]).allows([.read, .query]) else { return nil }
        var isLookedUp = false
        if let condition, let keyCondition {
            var holds: Bool?
            if let slot, let key = candidate.key { holds = keyCondition.holds(only(key, in: slot)) }
            if holds == nil {
                try lookUp(object)
                isLookedUp = true
                holds = keyCondition.holds(keys)
            }
            // The keys are not sufficient: two long texts, a list, or a property that the class does not name.
            guard try holds ?? condition.matches(reader.value(of: object).map(JSONText.decode)) else { return nil }
        }
        if orderCount == 0 { return QueryMatch(keys: [], object: object) }
        if orderCount == 1, let slot, slot == wantedSlots.last, let key = candidate.key {
            return QueryMatch(keys: [key], object: object)
        }
        if !isLookedUp { try lookUp(object) }
        return QueryMatch(keys: orderKeys, object: object)
    }

    private func only(_ key: PropertyKey, in slot: UInt16) -> KnownKeys {
        KnownKeys(bytes: key.bytes, ranges: wantedSlots.map { $0 == slot ? key.bytes.indices : nil })
    }

    private var orderKeys: [PropertyKey] {
        keys.ranges.suffix(orderCount).map { range in
            range.map { PropertyKey(bytes: Array(keys.bytes[$0])) } ?? PropertyKey(nil)
        }
    }

    /// Loads the keys of an object.
    private func lookUp(_ object: ObjectID) throws {
        keys.bytes.removeAll(keepingCapacity: true)
        for index in keys.ranges.indices { keys.ranges[index] = nil }
        try reader.withDocument(DocumentID(kind: .properties, id: object.rawValue)) { row in
            try ObjectProperties.forEachKey(row) { slot, range in
                guard wantedSlots.contains(slot) else { return }
                let start = keys.bytes.count
                for index in range { keys.bytes.append(row[index]) }
                for (index, wanted) in wantedSlots.enumerated() where wanted == slot {
                    keys.ranges[index] = start..<keys.bytes.count
                }
            }
        }
    }
}

/// An object that a query finds, with its sort keys.
struct QueryMatch {
    let keys: [PropertyKey]
    let object: ObjectID
}

/// The order of a query's matches: by its properties, and then by the numbers of objects.
struct MatchOrder {
    private let isDescending: [Bool]

    init(_ order: [Query.Order]) { isDescending = order.map(\.isDescending) }

    func isBefore(_ left: QueryMatch, _ right: QueryMatch) -> Bool {
        for (index, isDescending) in isDescending.enumerated() where left.keys[index] != right.keys[index] {
            return (left.keys[index] < right.keys[index]) != isDescending
        }
        if left.object == right.object { return false }
        return (left.object < right.object) != (isDescending.first ?? false)
    }
}
