package import Events
package import Muniment
package import Permissions

/// How access differs: between two moments, or with and without changes that somebody thinks of.
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
    /// The access of somebody, or that to an object, at two moments, and both moments.
    ///
    /// - Throws: ``SpanRunsBackwards`` where the later moment is before the earlier one.
    package func difference(
        of name: Name, from earlier: Moment, to later: Moment, for audience: Audience = .unrestricted
    ) throws -> (differences: [AccessDifference], moments: JSONObject) {
        let (first, from) = try read(at: earlier) { ($0.revision, $0.members) }
        let (last, to) = try read(at: later) { ($0.revision, $0.members) }
        guard first <= last else { throw SpanRunsBackwards(from: first, to: last) }
        let differences =
            try name.isSubject
            ? difference(for: name, from: earlier, to: later) : difference(on: name, from: earlier, to: later, for: audience)
        return (differences, ["from": .object(from), "to": .object(to)])
    }
}

/// A span of revisions whose end lies before its beginning.
package struct SpanRunsBackwards: Error, Hashable, CustomStringConvertible {
    package let from: Revision
    package let to: Revision

    package init(from: Revision, to: Revision) {
        self.from = from
        self.to = to
    }

    package var description: String { "the span from revision \(from) to \(to) runs backwards; swap the two" }
}

extension [AccessDifference] {
    package func json(of name: Name, _ moments: JSONObject) -> JSONObject {
        JSONObject(["name": .name(name), "differences": .array(map(\.json))]).with(moments)
    }
}

extension WhatIf {
    /// - Parameter refusals: the transactions that were refused, each with its place: a line of a file, or a number from 0 on.
    /// - Parameter place: what the place is called.
    package func json(_ refusals: [(place: Int, refusal: Refusal)], place: String) -> JSONObject {
        let refused = refusals.map { number, refusal in JSONValue.object(refusal.members.with([place: .count(number)])) }
        return [
            "revision": .revision(revision), "time": .time(instant), "differences": .array(differences.map(\.json)),
            "refused": .array(refused), "complete": .bool(isComplete),
        ]
    }
}

extension Refusal {
    /// Which change it is about, the code, and the sentence.
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
