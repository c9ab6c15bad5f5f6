internal import Events
internal import Permissions

/// Decides for each object whether a query finds it.
final class QueryMatcher {
    private let reader: IndexReader
    private let rules: AccessRules<IndexReader>
    private let subjects: SubjectSet
    private let wanted: Privileges
    private let classID: ClassID
    private let condition: Condition?
    private let keyCondition: KeyCondition?
    /// The properties that the class names at the revision, with their numbers.
    let slots: [ExactText: UInt16]
    /// The number of each property of the condition and, after them, of the order; nil for a property that the class does not
    /// name.
    private let wantedSlots: [UInt16?]
    private let orderCount: Int
    /// The number of the only property of the condition and the order; nil if they have several, or one that the class does not
    /// name.
    private let onlySlot: UInt16?
    /// The number of objects examined.
    private(set) var examined = 0

    /// - Parameter wanted: the privileges that the subjects need on an object.
    init(
        _ reader: IndexReader, _ query: Query, in classID: ClassID, for subjects: SubjectSet, wanted: Privileges,
        at instant: Instant
    ) throws {
        self.reader = reader
        self.wanted = wanted
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
        onlySlot = Set(wantedSlots).count == 1 ? wantedSlots[0] : nil
    }

    /// Returns an object as a match; nil if the query does not find it.
    ///
    /// - Parameter property: the source that has returned the object last; nil for a source of objects of any class.
    func match(_ object: ObjectID, from property: PropertySource?) throws -> QueryMatch? {
        examined += 1
        if property == nil, try reader.place(of: object)?.classID != classID { return nil }
        // Access is decided first: the time of a query must not depend on values that the caller may not read.
        guard try rules.verdict(for: subjects, on: object, wanted: wanted).allows(wanted) else { return nil }
        guard let property, property.slot == onlySlot, let key = property.key else { return try lookUp(object) }
        guard try holds(key.bytes.span, wantedSlots.map { _ in key.bytes.indices }, object) else { return nil }
        return QueryMatch(keys: Array(repeating: key, count: orderCount), object: object)
    }

    /// Returns whether the condition holds for an object.
    private func holds(_ row: Span<UInt8>, _ ranges: [Range<Int>?], _ object: ObjectID) throws -> Bool {
        guard let condition, let keyCondition else { return true }
        // The keys are not sufficient for two long texts, a list, or a property that the class does not name.
        return try keyCondition.holds(row, ranges) ?? condition.matches(reader.value(of: object).map(JSONText.decode))
    }

    /// Returns an object as a match by the row of its properties; nil if the condition does not hold.
    private func lookUp(_ object: ObjectID) throws -> QueryMatch? {
        guard condition != nil || orderCount > 0 else { return QueryMatch(keys: [], object: object) }
        var ranges = [Range<Int>?](repeating: nil, count: wantedSlots.count)
        var isFound = false
        var match: QueryMatch?
        try reader.withDocument(DocumentID(kind: .properties, id: object.rawValue)) { row in
            isFound = true
            try ObjectProperties.forEachKey(row) { slot, range in
                for index in wantedSlots.indices where wantedSlots[index] == slot { ranges[index] = range }
            }
            guard try holds(row, ranges, object) else { return }
            let keys = ranges.suffix(orderCount).map { range in
                range.map { PropertyKey(bytes: [UInt8](copying: row.extracting($0))) } ?? PropertyKey(nil)
            }
            match = QueryMatch(keys: keys, object: object)
        }
        if isFound { return match }
        guard try holds([UInt8]().span, ranges, object) else { return nil }
        return QueryMatch(keys: Array(repeating: PropertyKey(nil), count: orderCount), object: object)
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
