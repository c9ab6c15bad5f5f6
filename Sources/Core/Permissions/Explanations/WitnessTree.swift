internal import Events

extension Witness: CustomStringConvertible {
    /// The answer in words, and below it a tree of the grants. Each step is a line with the revision, the time and the actor that
    /// established it.
    public var lines: [String] { lines(time: { "\($0)" }) }

    /// Returns ``lines`` with another text for each time.
    package func lines(time: @escaping (Instant) -> String) -> [String] { WitnessTree(witness: self, time: time).lines }

    public var description: String { lines.joined(separator: "\n") }

    /// Returns a fact in words, with the names of this witness.
    public func sentence(_ fact: Fact) -> String { sentence(fact, time: { "\($0)" }) }

    fileprivate func sentence(_ fact: Fact, time: (Instant) -> String) -> String {
        switch fact {
        case .object(let object, let classID): "\(name(object)) exists, of \(name(classID))"
        case .child(let child, let parent): "\(name(child)) is in \(name(parent))"
        case .options(let classID, let options):
            options.objectACL == .none
                ? "\(name(classID)) has no object ACLs, so its objects deny nothing"
                : "objects of \(name(classID)) inherit \(options.inherits == .all ? "everything" : words(names(options.inherits)))"
        case .member(let member, let role): "\(name(member)) is a member of \(name(role))"
        case .entry(let subject, let object, let privileges, let until):
            "\(name(subject)) has \(words(names(privileges))) on \(name(object))"
                + (until == .forever ? "" : " until \(time(until))")
        case .permission(let permission, let subject, let privileges):
            "\(name(permission)) gives \(name(subject)) \(words(names(privileges)))"
        case .attachment(let permission, let object): "\(name(permission)) is attached to \(name(object))"
        case .link(let source, let target): "\(name(source)) links to \(name(target))"
        case .administrator(let principal): "\(name(principal)) is an administrator"
        }
    }

    private func names(_ privileges: Privileges) -> [String] { privilegeNames.names(of: privileges) }

    private func words(_ names: [String]) -> String { names.joined(separator: ", ") }
}

/// A witness in words.
private struct WitnessTree {
    let witness: Witness
    let time: (Instant) -> String

    var lines: [String] {
        var lines = TextTree(answer, branches).lines
        if !witness.isComplete { lines.append("more paths exist than are shown") }
        return lines
    }

    // MARK: The answer

    private var answer: String {
        let held = words(witness.outcomes.filter(\.isAllowed).map(\.privilege))
        let lacking = words(witness.outcomes.filter { !$0.isAllowed }.map(\.privilege))
        let (subject, object) = (witness.subject, witness.object)
        if lacking.isEmpty { return "yes: \(subject) may \(held) \(object)" }
        return held.isEmpty
            ? "no: \(subject) may not \(lacking) \(object)" : "no: \(subject) may \(held) \(object), and may not \(lacking) it"
    }

    private var branches: [TextTree] {
        if let appointment = witness.appointment {
            return [leaf(appointment)] + unknownToClass + unknownToStore
        }
        guard let target = witness.target else { return nowhere }
        return [
            level(.store, "store", witness.storeLevel), level(.class, witness.name(classID(of: target)), target.classLevel),
            level(.object, witness.object.text, target.objectPart),
        ] + unknownToClass + unknownToStore
    }

    /// The text for a question that does not reach the levels.
    private var nowhere: [TextTree] {
        guard let decider = witness.outcomes.first?.decider else { return [] }
        return switch decider {
        case .unknownSubject where witness.subject.isSubject:
            [TextTree("\(witness.subject) does not exist at revision \(witness.revision)")]
        case .unknownSubject: [TextTree("\(witness.subject) is not a user, thing or role, and cannot have access")]
        case .unknownPrivilege: unknownToStore
        default: [TextTree("\(witness.object) does not exist at revision \(witness.revision)")]
        }
    }

    private var unknownToStore: [TextTree] {
        let unknown = witness.outcomes.filter { $0.decider == .unknownPrivilege }.map(\.privilege)
        guard !unknown.isEmpty else { return [] }
        return [TextTree("the store has no privilege \(words(unknown)), only \(words(names(.all)))")]
    }

    private var unknownToClass: [TextTree] {
        let unknown = witness.outcomes.filter { $0.decider == .unknownToClass }.map(\.privilege)
        guard !unknown.isEmpty, let target = witness.target else { return [] }
        return [TextTree("\(witness.name(classID(of: target))) does not have the privilege \(words(unknown)): this decides")]
    }

    // MARK: Levels and paths

    private func level(_ level: DecidingLevel, _ name: String, _ paths: [WitnessedPath]) -> TextTree {
        let given = names(paths.reduce(into: []) { $0.formUnion($1.privileges) })
        let missing = names(witness.missing[level] ?? [])
        var text = name
        if !given.isEmpty { text += " gives \(words(given))" }
        if !missing.isEmpty { text += (given.isEmpty ? "" : ",") + " does not give \(words(missing))" }
        if given.isEmpty, missing.isEmpty { text += " gives none of them" }
        if level == .object, !missing.isEmpty, isWidening { text += ", but one of the two would be enough" }
        let isDecided = witness.outcomes.contains { $0.decider.rawValue == level.rawValue && $0.isAllowed == witness.isAllowed }
        return TextTree(isDecided ? text + ": this decides" : text, paths.map(path))
    }

    private var isWidening: Bool {
        if case .options(_, let options)? = witness.target?.options.fact { options.composition == .widening } else { false }
    }

    private func path(_ path: WitnessedPath) -> TextTree {
        guard path.sources.isEmpty else { return links(path) }
        // The grant is first, and below it the memberships and the inheritance.
        let given = path.facts.firstIndex { $0.fact.isGift } ?? 0
        let others = path.facts.enumerated().filter { $0.offset != given && !$0.element.fact.isExistence }.map { leaf($0.element) }
        return leaf(path.facts[given], others, suffix: (path.isPermanent ? ", permanently" : "") + part(path))
    }

    /// The note at a path that gives only some of the privileges in the question.
    private func part(_ path: WitnessedPath) -> String {
        let given = names(path.privileges)
        return given.count < Set(witness.privileges).count ? ": a part, \(words(given))" : ""
    }

    private func links(_ path: WitnessedPath) -> TextTree {
        guard let last = path.sources.last else { return TextTree("") }
        let links = path.facts.map { leaf($0) }
        let ways = (last.classLevel + last.objectPart).map(self.path)
        return TextTree("\(witness.name(last.object)) is readable, and links to this object" + part(path), links + ways)
    }

    private func leaf(_ fact: WitnessedFact, _ branches: [TextTree] = [], suffix: String = "") -> TextTree {
        let citation = fact.citation
        var note = "r\(citation.revision)  \(time(citation.time))  \(actor(citation))"
        note += citation.origin.note
        return TextTree(witness.sentence(fact.fact, time: time) + suffix, note: note, branches)
    }

    private func actor(_ citation: Citation) -> String {
        citation.actor == .system ? "the store" : witness.name(citation.actor)
    }

    // MARK: Words

    private func classID(of target: WitnessedObject) -> ClassID {
        if case .object(_, let classID) = target.existence.fact { classID } else { .store }
    }

    private func name(_ id: some EntityID) -> String { witness.name(id) }

    private func names(_ privileges: Privileges) -> [String] { witness.privilegeNames.names(of: privileges) }

    private func words(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension Fact {
    /// Whether this fact gives privileges, to a subject or to every subject that the class level admits.
    fileprivate var isGift: Bool {
        switch self {
        case .entry, .permission: true
        case .options(_, let options): options.objectACL == .none
        default: false
        }
    }

    fileprivate var isExistence: Bool { if case .object = self { true } else { false } }
}

/// A line with other lines below it, for a terminal.
private struct TextTree {
    let text: String
    /// A note after the text, in a separate column.
    let note: String
    let branches: [TextTree]

    init(_ text: String, note: String = "", _ branches: [TextTree] = []) {
        self.text = text
        self.note = note
        self.branches = branches
    }

    /// The lines, with the notes aligned.
    var lines: [String] {
        let lines = drawn(first: "", rest: "")
        let width = lines.filter { !$0.note.isEmpty }.map(\.text.count).max() ?? 0
        return lines.map {
            $0.note.isEmpty ? $0.text : $0.text + String(repeating: " ", count: width - $0.text.count) + "  " + $0.note
        }
    }

    private func drawn(first: String, rest: String) -> [(text: String, note: String)] {
        var lines = [(first + text, note)]
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            lines += branch.drawn(first: rest + (isLast ? "└─ " : "├─ "), rest: rest + (isLast ? "   " : "│  "))
        }
        return lines
    }
}
