internal import Events
public import Muniment
internal import Permissions

/// Where access under two histories is another, behind one entry of the first.
public struct HistoryDifference: Sendable {
    /// The place of the entry among those of the first history, from 0.
    public let entry: Int
    /// The entry as a line of a scenario.
    public let cause: String
    /// Sorted by subject, then by object; `before` is what the first history leads to, `after` what the other one does.
    public let differences: [WhatIf.Difference]
}

extension History {
    /// Runs this history and another one, and lists whose access to what is another in the end (CONFORMANCE E12).
    ///
    /// ```swift
    /// let widened = history.changing(class: "doc") { $0.composition = .widening }
    /// for difference in try history.whatIf(widened) { print(difference) }
    /// ```
    ///
    /// Compared are all users and things that either history names, `everyone` and `anonymous`, beside all objects, classes,
    /// roles and permissions, and the store. What transactions come to is not judged.
    ///
    /// - Parameter other: most often this history under another rule, or with something put in or left out.
    /// - Returns: the differences, sorted by subject, then by object. `before` is what this history leads to, `after` what the
    ///   other one does.
    /// - Throws: ``HistoryError``, and what the store throws.
    public func whatIf(_ other: History) throws -> [WhatIf.Difference] {
        let comparison = try HistoryComparison(self, other)
        try comparison.finish()
        return try comparison.differences
    }

    /// Runs this history and one that was made from it, and lists whose access to what is another behind each entry.
    ///
    /// - Parameter other: this history under another rule, or with something put in or left out.
    /// - Returns: each entry of this history behind which the differences are others than behind the one before.
    /// - Throws: ``HistoryError``, and what the store throws.
    public func whatIfStepByStep(_ other: History) throws -> [HistoryDifference] {
        let comparison = try HistoryComparison(self, other)
        var found: [HistoryDifference] = []
        var last: [WhatIf.Difference] = []
        for index in entries.indices {
            try comparison.advance(through: index)
            let differences = try comparison.differences
            guard differences != last else { continue }
            last = differences
            found.append(HistoryDifference(entry: index, cause: comparison.cause, differences: differences))
        }
        return found
    }
}

/// Two histories that run beside each other.
private final class HistoryComparison {
    private let first: Replay
    private let second: Replay
    private var next = 0
    private let subjects: [Name]
    private let objects: [Name]

    init(_ history: History, _ other: History) throws {
        first = try Replay(of: history.numbered.expectingAnything)
        second = try Replay(of: other.numbered.expectingAnything)
        var names = Set(history.names + other.names + [.everyone, .anonymous, .store])
        names.formUnion([history.administrator, other.administrator])
        for (name, _) in ClassID.builtIn { names.insert(.class(name)) }
        for change in (history.transactions + other.transactions).flatMap(\.changes) {
            if case .defineClass(let name, _) = change { names.insert(.class(name)) }
        }
        let sorted = names.sorted().filter(\.isWellFormed)
        subjects = sorted.filter { [.caller, .everyone, .anonymous].contains($0.kind) }
        objects = sorted.filter { [.object, .class, .role, .permission, .store].contains($0.kind) }
    }

    var cause: String { first.cause }

    /// Runs the first history through an entry, and the other one as far as what was made from that and the ones before.
    func advance(through index: Int) throws {
        try first.carryOut(index)
        while next < second.history.entries.count, second.history.entries[next].place ?? History.putIn <= index {
            try second.carryOut(next)
            next += 1
        }
    }

    func finish() throws {
        for index in first.history.entries.indices { try first.carryOut(index) }
        for index in second.history.entries.indices { try second.carryOut(index) }
    }

    var differences: [WhatIf.Difference] {
        get throws {
            let (before, after) = (try access(in: first.store), try access(in: second.store))
            var found: [WhatIf.Difference] = []
            for subject in subjects {
                // Who is in neither store is nobody that a difference can be told of.
                guard let had = before[subject] ?? after[subject].map({ _ in before[.everyone] ?? [] }),
                    let has = after[subject] ?? after[.everyone]
                else { continue }
                for (object, (had, has)) in zip(objects, zip(had, has)) where had != has {
                    found.append(WhatIf.Difference(subject: subject.text, object: object.text, before: had, after: has))
                }
            }
            return found
        }
    }

    /// What everybody who is known has on everything, now: in the order of the objects.
    private func access(in store: Store) throws -> [Name: [[String]]] {
        try store.read { snapshot in
            var access: [Name: [[String]]] = [:]
            for subject in subjects {
                guard try subject.kind != .caller || snapshot.exists(subject) else { continue }
                access[subject] = try objects.map { try snapshot.privileges(of: subject, on: $0) }
            }
            return access
        }
    }
}
