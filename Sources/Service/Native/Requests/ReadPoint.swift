internal import Events
internal import HTTPServer
internal import Muniment
internal import Wire

/// The moment that a question is about, and what its answer must know of.
struct ReadPoint: Sendable {
    let moment: Moment
    /// A revision that the store must have come to.
    let atLeast: Revision?
}

extension Arguments {
    /// `at` and `atLeast`, which every question takes.
    mutating func point() throws(Problem) -> ReadPoint {
        ReadPoint(moment: try optionalMoment("at") ?? .now, atLeast: try optionalRevision("atLeast"))
    }
}

extension Call {
    /// What the request says: in its body where its route has one, and in its address otherwise.
    func arguments() throws -> Arguments {
        route.bodyLimitBytes > 0 ? try Arguments(body: try json()) : Arguments(address: try query)
    }

    /// Answers a question at its moment.
    func read<R>(at point: ReadPoint, _ body: (Snapshot) throws -> R) throws -> R {
        try requireVisible(point.atLeast)
        return try store.read(at: point.moment, body)
    }

    /// Makes sure that the store has come to a revision.
    ///
    /// A revision that this service has told anybody of is visible from that moment on, so there is nothing to wait for: one that is
    /// not there is of another store, or of this one before it was restored from an older copy.
    func requireVisible(_ revision: Revision?) throws {
        guard let revision else { return }
        let head = try store.head.revision
        guard revision <= head else {
            throw Problem(
                .notYetVisible,
                "the store has come to revision \(head) and not to \(revision): ask again, or find out why it should have",
                members: ["head": .revision(head)], headers: [HTTPHeader("Retry-After", "1")])
        }
    }
}
