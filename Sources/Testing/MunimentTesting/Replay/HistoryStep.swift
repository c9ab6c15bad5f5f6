public import Events
public import Muniment
internal import Permissions

/// One revision of a replayed history: its cause, and the store at this revision. Valid only during the callback.
public struct HistoryStep {
    /// The store at this revision.
    public let snapshot: Snapshot
    /// The commit of this revision.
    public let commit: Commit
    /// The cause of this revision, as a line of a scenario: a transaction, or the clock.
    public let cause: String
    /// The index of the cause among the entries of the history, from 0.
    public let entry: Int
    /// The title of the history.
    let title: String?
    let store: Store
    /// Whether this is the last revision of the entry.
    let isLast: Bool
    /// The named revisions so far.
    public let marks: [String: Revision]

    public var revision: Revision { commit.revision }
    /// The time of this revision.
    public var time: Instant { commit.time }
}

extension HistoryStep {
    /// Expects a subject to have all of these privileges on an object at this revision.
    ///
    /// - Throws: ``ExpectationError`` with the reason of the missing privilege.
    public func expect(_ subject: Name, may privileges: String..., on object: Name) throws {
        try expect(subject, privileges, on: object, isAllowed: true)
    }

    /// Expects a subject to have none of these privileges on an object at this revision.
    ///
    /// - Throws: ``ExpectationError`` with the source of the privilege.
    public func expect(_ subject: Name, mayNot privileges: String..., on object: Name) throws {
        try expect(subject, privileges, on: object, isAllowed: false)
    }

    private func expect(_ subject: Name, _ privileges: [String], on object: Name, isAllowed: Bool) throws {
        for privilege in privileges {
            let answer = try snapshot.check(subject, [privilege], on: object)
            guard answer.isAllowed != isAllowed else { continue }
            throw unmet(
                "`\(subject)` \(isAllowed ? "may" : "may not") \(privilege) `\(object)`",
                isAllowed ? "it may not" : "it may", because: try reason(answer, subject, privilege, object),
                question: [
                    ("ask", .string("check")), ("subject", .string(subject.text)), ("object", .string(object.text)),
                    ("privilege", .string(privilege)), ("answer", .bool(isAllowed)),
                ])
        }
    }

    /// Expects a subject to have exactly these privileges on an object at this revision.
    ///
    /// - Throws: ``ExpectationError`` with the actual privileges.
    public func expectPrivileges(of subject: Name, on object: Name, _ privileges: [String]) throws {
        let (expected, actual) = (privileges.sorted(), try snapshot.privileges(of: subject, on: object))
        guard Set(expected) != Set(actual) else { return }
        throw unmet(
            "`\(subject)` has \(HistoryStep.list(expected)) on `\(object)`", "it has \(HistoryStep.list(actual))", because: nil,
            question: [
                ("ask", .string("privileges")), ("subject", .string(subject.text)), ("object", .string(object.text)),
                ("answer", .array(expected.map(JSONValue.string))),
            ])
    }

    /// Expects exactly these users and things to have a privilege on an object, as ``Muniment/Snapshot/subjects(with:on:)`` lists
    /// them.
    ///
    /// - Throws: ``ExpectationError`` with the actual subjects.
    public func expectSubjects(with privilege: String, on object: Name, _ subjects: [Name]) throws {
        let (expected, actual) = (subjects.sorted().map(\.text), try snapshot.subjects(with: [privilege], on: object))
        guard expected != actual else { return }
        throw unmet(
            "only \(HistoryStep.list(expected)) may \(privilege) `\(object)`",
            "\(HistoryStep.list(actual)) may", because: nil,
            question: [
                ("ask", .string("subjects")), ("object", .string(object.text)), ("privilege", .string(privilege)),
                ("answer", .array(expected.map(JSONValue.string))),
            ])
    }

    /// Expects any other condition at this revision.
    ///
    /// - Parameters:
    ///   - isMet: whether the condition holds.
    ///   - expectation: the condition, written after "expected:".
    /// - Throws: ``ExpectationError``.
    public func expect(_ isMet: Bool, _ expectation: String) throws {
        if !isMet { throw unmet(expectation, nil, because: nil, question: nil) }
    }

    func unmet(
        _ expected: String, _ actual: String?, because reason: String?, question: [(String, JSONValue)]?
    ) -> ExpectationError {
        // The kind of a check includes its answer: allowed and denied are different failures.
        var kind = expected
        if let question, case .string(let word)? = question.first?.1 {
            kind = word
            if case .bool(let answer)? = question.last?.1 { kind += " \(answer)" }
        }
        var question = question
        if !isLast, question?.contains(where: { $0.0 == "until" }) == false {
            question?.insert(("at", .integer(Int64(clamping: revision.rawValue))), at: 1)
        }
        return ExpectationError(
            expected: expected, actual: actual, reason: reason, revision: revision, time: time, cause: cause, title: title,
            entry: entry, question: question.map(History.line), isOutcome: false, kind: kind)
    }

    static func list(_ names: [String]) -> String { names.isEmpty ? "nothing" : names.joined(separator: ", ") }
}
