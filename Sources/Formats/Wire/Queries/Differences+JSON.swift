package import Events
package import Muniment
package import Permissions

/// Differences in access between two times, or with and without hypothetical changes.
extension AccessDifference {
    package var gained: [String] { after.filter { !before.contains($0) } }
    package var lost: [String] { before.filter { !after.contains($0) } }

    package var json: JSONValue {
        .object([
            "name": .string(name), "before": .texts(before), "after": .texts(after), "gained": .texts(gained), "lost": .texts(lost),
        ])
    }
}

extension Store {
    /// Returns the access of a subject or to an object at two times, and both times.
    ///
    /// - Throws: ``SpanError`` if the second time is earlier than the first.
    package func difference(
        of name: Name, from earlier: Moment, to later: Moment, for audience: Audience = .unrestricted
    ) throws -> (differences: [AccessDifference], moments: JSONObject) {
        let (first, from) = try read(at: earlier) { ($0.revision, $0.members) }
        let (last, to) = try read(at: later) { ($0.revision, $0.members) }
        guard first <= last else { throw SpanError(from: first, to: last) }
        let differences =
            try name.isSubject
            ? difference(for: name, from: earlier, to: later) : difference(on: name, from: earlier, to: later, for: audience)
        return (differences, ["from": .object(from), "to": .object(to)])
    }
}

/// A span of revisions with an end before its start.
package struct SpanError: Error, Hashable, CustomStringConvertible {
    package let from: Revision
    package let to: Revision

    package init(from: Revision, to: Revision) {
        self.from = from
        self.to = to
    }

    package var description: String { "the span ends at revision \(to), before its start \(from); swap the two" }
}

extension [AccessDifference] {
    package func json(of name: Name, _ moments: JSONObject) -> JSONObject {
        JSONObject(["name": .name(name), "differences": .array(map(\.json))]).with(moments)
    }
}

extension WhatIf {
    /// - Parameter refusals: the refused transactions, each with its place: a line of a file, or an index from 0.
    /// - Parameter place: the name of the place.
    package func json(_ refusals: [(place: Int, refusal: Refusal)], place: String) -> JSONObject {
        let refused = refusals.map { number, refusal in JSONValue.object(refusal.members.with([place: .count(number)])) }
        return [
            "revision": .revision(revision), "time": .time(instant), "differences": .array(differences.map(\.json)),
            "refused": .array(refused), "complete": .bool(isComplete),
        ]
    }
}

extension Refusal {
    /// The index of the refused change, the code, and the message.
    package var members: JSONObject {
        [
            "change": change.map { .count($0) } ?? .null, "code": .string(code.rawValue), "message": .string(message),
        ]
    }
}

extension WhatIf.Difference {
    package var json: JSONValue {
        .object([
            "subject": .string(subject), "object": .string(object), "before": .texts(before), "after": .texts(after),
            "gained": .texts(gained), "lost": .texts(lost),
        ])
    }
}
