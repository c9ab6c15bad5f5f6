import Events
import Muniment
import Notices
import Permissions

/// Answers questions from a store, in the syntax of the format.
struct QuestionEvaluator {
    let store: Store
    /// The definitions of levels in questions, the smallest first; nil for none.
    let levels: [AccessLevel]?
    /// Names of revisions, used only in scenarios.
    var marks: [ExactText: Revision] = [:]

    /// Throws a ``MemberProblem`` if the question is invalid here.
    func answer(_ question: Question) throws -> OrderedJSON {
        let moment = try moment(question.at, "at")
        do {
            switch question.subject {
            case .notices(let subject, let since, let until):
                return try notices(for: subject, since: since, until: until ?? question.at)
            case .accessChanges(let user): return try accessChanges(of: user, until: moment)
            default: return try store.read(at: moment) { try answer(question.subject, from: $0) }
            }
        } catch let refusal as Refusal {
            throw MemberProblem(problem: "is not a valid question: \(refusal.message)", remedy: "correct it")
        }
    }

    private func answer(_ subject: Question.Subject, from snapshot: Snapshot) throws -> OrderedJSON {
        switch subject {
        case .check(let subject, let wanted, let object):
            .bool(try snapshot.check(subject, privileges(wanted), on: object).isAllowed)
        case .privileges(let subject, let object): .texts(try snapshot.privileges(of: subject, on: object))
        case .subjects(let wanted, let object): .texts(try snapshot.subjects(with: privileges(wanted), on: object))
        case .objects(let subject, let wanted, let className):
            .texts(try snapshot.objects(for: subject, with: privileges(wanted), class: className))
        case .entries(let object): .list(try snapshot.entries(on: object).map(QuestionEvaluator.row))
        case .members(let role): .texts(try snapshot.members(of: role))
        case .value(let object, let caller):
            try QuestionEvaluator.orRefusal { .value(try snapshot.value(of: object, as: caller)) }
        case .list(let className, let filter, let caller):
            try QuestionEvaluator.orRefusal {
                let condition = try Condition(json: .object(filter))
                return .texts(try snapshot.list(class: className, where: condition, as: caller))
            }
        case .notices, .accessChanges: preconditionFailure("these questions do not use one snapshot")
        }
    }

    /// For these questions a refusal is an answer.
    private static func orRefusal(_ answer: () throws -> OrderedJSON) throws -> OrderedJSON {
        do {
            return try answer()
        } catch let refusal as Refusal {
            return .members([("refused", .text(refusal.code.rawValue))])
        }
    }

    private static func row(_ entry: EntryDescription) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [("subject", .text(entry.subject)), ("privileges", .texts(entry.privileges))]
        if let until = entry.until, until != .forever { members.append(("until", .text(until.description))) }
        if entry.isPermanent { members.append(("permanent", .bool(true))) }
        if let permission = entry.permission { members.append(("permission", .text(permission))) }
        return .members(members)
    }

    /// Both times are converted to the revisions that were current then.
    private func notices(for subject: Name, since: Question.When, until: Question.When?) throws -> OrderedJSON {
        let first = try store.read(at: moment(since, "since")) { $0.revision }
        let last = try store.read(at: moment(until, "until")) { $0.revision }
        return .list(try store.notices(for: subject, after: first, through: last).map(QuestionEvaluator.notice))
    }

    private static func notice(_ notice: Notice) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("revision", .value(.integer(Int64(notice.revision.rawValue)))), ("kind", .text(notice.kind.rawValue)),
            ("object", .text(notice.object.text)),
        ]
        if notice.kind == .privilegesChanged {
            members += [("gained", .texts(notice.gained)), ("lost", .texts(notice.lost))]
        }
        return .members(members)
    }

    /// Changes after `moment` are omitted.
    private func accessChanges(of user: Name, until moment: Moment) throws -> OrderedJSON {
        guard let levels else { throw noLevels("ask") }
        let last = try store.read(at: moment) { $0.revision }
        return .list(
            try store.accessChanges(for: user, levels: levels, through: last).map { change in
                .members([
                    ("id", .optional(change.id)),
                    ("changes", .list(change.changes.map(QuestionEvaluator.levelChange))),
                ])
            })
    }

    private static func levelChange(_ change: AccessLevelChange) -> OrderedJSON {
        .members([("object", .text(change.object)), ("before", .optional(change.before)), ("after", .optional(change.after))])
    }
}

extension QuestionEvaluator {
    private func privileges(_ wanted: Question.Wanted) throws -> [String] {
        switch wanted {
        case .privilege(let name): return [name]
        case .level(let name):
            guard let levels else { throw noLevels("level") }
            guard let level = levels.first(where: { ExactText($0.name) == ExactText(name) }) else {
                let known = levels.map { "`\($0.name)`" }.joined(separator: ", ")
                throw MemberProblem(path: "level", problem: "has the unknown name `\(name)`", remedy: "use one of \(known)")
            }
            return level.privileges
        }
    }

    private func noLevels(_ key: String) -> MemberProblem {
        MemberProblem(
            path: key, problem: "needs levels, and the store has none",
            remedy: "import a history with levels, or start the file with a header that defines them")
    }

    /// A mark takes precedence over a time with the same text.
    private func moment(_ when: Question.When?, _ key: String) throws -> Moment {
        switch when {
        case nil: return .now
        case .revision(let revision):
            let head = try store.head.revision
            guard revision <= head else {
                throw MemberProblem(
                    path: key, problem: "asks for revision \(revision), but the newest is \(head)",
                    remedy: "use a revision up to the newest")
            }
            return .revision(revision)
        case .text(let text):
            if let revision = marks[ExactText(text)] { return .revision(revision) }
            guard let instant = try? Instant(text) else {
                throw MemberProblem(
                    path: key, problem: "has the unknown mark or time `\(text)`",
                    remedy: "write a revision number, a time like 2026-01-01T10:00:00Z or the name of an earlier mark")
            }
            return .time(instant)
        }
    }
}
