internal import Events
internal import HTTPServer
internal import Muniment
internal import Wire

/// The moment of a query, and the revision that its response must include.
struct ReadPoint: Sendable {
    let moment: Moment
    /// A revision that the store must have reached.
    let atLeast: Revision?
}

extension Arguments {
    /// Reads `at` and `atLeast`, the arguments of every query.
    mutating func point() throws(Problem) -> ReadPoint {
        ReadPoint(moment: try optionalMoment("at") ?? .now, atLeast: try optionalRevision("atLeast"))
    }
}

extension Call {
    /// Returns the arguments of the request: from its body if its route has one, and from its address otherwise.
    func arguments() throws -> Arguments {
        route.bodyLimitBytes > 0 ? try Arguments(body: try json()) : Arguments(address: try query)
    }

    /// Runs a query at its moment.
    func read<R>(at point: ReadPoint, _ body: (Snapshot) throws -> R) throws -> R {
        try requireVisible(point.atLeast)
        return try store.read(at: point.moment, body)
    }

    /// Throws unless the store has reached a revision.
    ///
    /// A revision that this service has returned is visible immediately, so waiting is not needed. A revision that is missing
    /// belongs to another store, or to this one before it was restored from an older copy.
    func requireVisible(_ revision: Revision?) throws {
        guard let revision else { return }
        let head = try store.head.revision
        guard revision <= head else {
            throw Problem(
                .notYetVisible,
                "the store is at revision \(head), not yet at \(revision): try again, or check the revision",
                members: ["head": .revision(head)], headers: [HTTPHeader("Retry-After", "1")])
        }
    }
}
