internal import Events
public import Muniment
internal import Permissions

/// The access differences between two histories after one entry of the first.
public struct HistoryDifference: Sendable {
    /// The index of the entry in the first history, from 0.
    public let entry: Int
    /// The entry as a line of a scenario.
    public let cause: String
    /// Sorted by subject, then by object. `before` is the result of the first history, `after` that of the second.
    public let differences: [WhatIf.Difference]
}

extension History {
    /// Runs this history and another one, and lists the differences in access at their ends (CONFORMANCE E12).
    ///
    /// ```swift
    /// let widened = history.changing(class: "doc") { $0.composition = .widening }
    /// for difference in try history.whatIf(widened) { print(difference) }
    /// ```
    ///
    /// The comparison covers all users and things that either history names, `everyone` and `anonymous`, on all objects, classes,
    /// roles and permissions, and the store. Outcomes of transactions are ignored.
    ///
    /// - Parameter other: usually a variant of this history.
    /// - Returns: the differences, sorted by subject, then by object. `before` is the result of this history, `after` that of the
    ///   other one.
    /// - Throws: ``HistoryError``, and the errors of the store.
    public func whatIf(_ other: History) throws -> [WhatIf.Difference] {
        let comparison = try HistoryComparison(self, other)
        try comparison.finish()
        return try comparison.differences
    }

    /// Runs this history and a variant of it, and lists the differences in access after each entry.
    ///
    /// - Parameter other: a variant of this history.
    /// - Returns: each entry of this history after which the differences changed.
    /// - Throws: ``HistoryError``, and the errors of the store.
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

/// Two histories that run in parallel.
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

    /// Runs the first history through an entry, and the second one through all entries derived from it and the earlier ones.
    func advance(through index: Int) throws {
        try first.execute(index)
        while next < second.history.entries.count, second.history.entries[next].place ?? History.putIn <= index {
            try second.execute(next)
            next += 1
        }
    }

    func finish() throws {
        for index in first.history.entries.indices { try first.execute(index) }
        for index in second.history.entries.indices { try second.execute(index) }
    }

    var differences: [WhatIf.Difference] {
        get throws {
            let (before, after) = (try access(in: first.store), try access(in: second.store))
            var found: [WhatIf.Difference] = []
            for subject in subjects {
                // A subject that exists in neither store is skipped.
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

    /// Returns the current access of all known subjects to all objects, in the order of the objects.
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
