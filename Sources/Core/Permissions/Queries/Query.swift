internal import Events

/// A query for the objects of a class that a caller may read and query, by their properties (CONFORMANCE F15).
///
/// ```swift
/// var query = Query("doc", where: .compare("year", .atLeast, .integer(2024)), order: [.descending("year")])
/// query.limit = 50
/// ```
public struct Query: Hashable, Sendable {
    /// The class, without `class:`.
    public var className: String
    /// nil for all objects.
    public var condition: Condition?
    /// The sort order. Objects that are equal in all of these properties, and all objects if the list is empty, are in the order
    /// of the first appearance of their names, or in the reverse order if the first property descends. Here, texts that are equal
    /// in their first 200 bytes count as equal; lists count as equal, and so do objects.
    public var order: [Order]
    /// The maximum number of objects on a page; nil for all on one page.
    public var limit: Int?

    public init(_ className: String, where condition: Condition? = nil, order: [Order] = [], limit: Int? = 100) {
        self.className = className
        self.condition = condition
        self.order = order
        self.limit = limit
    }

    /// A property to order by. Values are in the order null, false, true, numbers, texts, lists, objects.
    public struct Order: Hashable, Sendable {
        public var property: String
        public var isDescending: Bool

        public static func ascending(_ property: String) -> Order { Order(property: property, isDescending: false) }
        public static func descending(_ property: String) -> Order { Order(property: property, isDescending: true) }
    }

    /// Every property in the query.
    package var exactProperties: Set<ExactText> {
        (condition?.exactProperties ?? []).union(order.map { ExactText($0.property) })
    }

    /// The reason a query is invalid in every store; nil if it is well formed.
    public var problem: Refusal? {
        if let limit, limit < 1 { return Refusal(.malformed, "a page has at least one object, not \(limit)") }
        if let limit, limit > Limits.objectsPerPage {
            return Refusal(
                .tooLarge, "a page has at most \(Limits.objectsPerPage) objects, not \(limit): omit the limit to get all")
        }
        guard condition?.count ?? 0 <= Limits.conditionsPerQuery, condition?.depth ?? 0 <= Limits.depthOfConditions else {
            let limits = "\(Limits.conditionsPerQuery) conditions, nested at most \(Limits.depthOfConditions) levels deep"
            return Refusal(.tooLarge, "a query has at most \(limits): split it")
        }
        guard condition?.isFinite ?? true else {
            return Refusal(.malformed, "a condition compares with NaN or infinity: use a finite number")
        }
        guard order.count <= Limits.ordersPerQuery else {
            return Refusal(.tooLarge, "a query orders by at most \(Limits.ordersPerQuery) properties, not \(order.count)")
        }
        guard Set(order.map { ExactText($0.property) }).count == order.count else {
            return Refusal(.malformed, "a query orders by a property twice: keep one of them")
        }
        return nil
    }
}
