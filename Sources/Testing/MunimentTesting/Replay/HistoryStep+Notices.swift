internal import Events
internal import Muniment
public import Notices
public import Permissions

extension HistoryStep {
    /// Returns the notices of this revision for a subscriber, sorted by kind and object.
    ///
    /// - Parameter subscriber: a user or thing, known or not; a role, `everyone` or `anonymous`.
    /// - Throws: the errors of the store.
    public func notices(for subscriber: Name) throws -> [Notice] {
        try store.notices(for: subscriber, after: Revision(revision.rawValue - 1), through: revision)
    }

    /// Expects exactly these notices of this revision for a subscriber.
    ///
    /// ```swift
    /// try step.expectNotices(for: "user:ben", [.shared: ["doc:plan"]])
    /// ```
    ///
    /// - Parameters:
    ///   - subscriber: a user or thing, known or not; a role, `everyone` or `anonymous`.
    ///   - expected: the objects of each kind of notice; empty to expect none.
    /// - Throws: ``ExpectationError`` with the actual notices.
    public func expectNotices(for subscriber: Name, _ expected: [Notice.Kind: [Name]]) throws {
        let actual = try notices(for: subscriber)
        let pairs = expected.flatMap { kind, objects in objects.map { NoticeKey(kind: kind, object: $0) } }.sorted()
        guard pairs != actual.map({ NoticeKey(kind: $0.kind, object: $0.object) }) else { return }
        let lines = pairs.map { pair -> JSONValue in
            var members: JSONObject = [
                "revision": .integer(Int64(clamping: revision.rawValue)), "kind": .string(pair.kind.rawValue),
                "object": .string(pair.object.text),
            ]
            // The expectation does not include the gained and lost privileges.
            if pair.kind == .privilegesChanged { (members["gained"], members["lost"]) = (.string("*"), .string("*")) }
            return .object(members)
        }
        throw unmet(
            "`\(subscriber)` receives: \(HistoryStep.list(pairs.map(\.description)))",
            "it receives: \(HistoryStep.list(actual.map { NoticeKey(kind: $0.kind, object: $0.object).description }))",
            because: nil,
            question: [
                ("ask", .string("notices")), ("subject", .string(subscriber.text)),
                ("since", .integer(Int64(clamping: revision.rawValue) - 1)),
                ("until", .integer(Int64(clamping: revision.rawValue))),
                ("answer", .array(lines)),
            ])
    }
}

/// A kind of notice, and its object.
private struct NoticeKey: Hashable, Comparable, CustomStringConvertible {
    let kind: Notice.Kind
    let object: Name

    static func < (left: NoticeKey, right: NoticeKey) -> Bool {
        left.kind == right.kind ? left.object < right.object : left.kind.rawValue < right.kind.rawValue
    }

    var description: String { "\(kind.rawValue) `\(object)`" }
}
