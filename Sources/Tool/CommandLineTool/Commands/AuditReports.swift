import Events
import Muniment
import Permissions
import Wire

/// Reports for auditors. Each answers a question about all subjects at once.
extension Command {
    static let auditTurnover = Command(
        "audit turnover",
        "list who gained and who lost privileges on an object during a span, and by which change; default: each one",
        sentence: "[PRIVILEGE[,PRIVILEGE…]] [on] OBJECT", options: [.firstMoment, .lastMoment, .format, .utc, .json, .store],
        example: Example(
            "audit turnover read on doc:plan --to 9",
            """
            …
            user:ann  in   r9  2026-01-31T10:02:00Z  user:root
                user:ann was granted read, update on doc:plan until 2999-12-31T00:00:00Z
            """)
    ) { call in
        call.skip("on")
        let asked = call.wordsLeft > 1 ? try call.privileges() : nil
        let object = try call.name("the object", after: "on")
        try call.end()
        let found = try call.withAccess(to: object, asked ?? []) { store, privileges in
            let sets = try asked.map { [(names: $0, privileges)] } ?? store.read { $0.names(.all) }.map { (names: [$0], [$0]) }
            return try store.turnover(of: sets, on: object, from: try call.from, to: try call.to)
        }
        if found.isEmpty { call.note("no access was gained or lost between these moments") }
        let zone = try call.zone
        return try call.answer(
            .object(
                QueryMembers(privileges: asked, object: object).members.with(["transitions": .array(found.map(\.json))])),
            lines: found.flatMap { turn in
                let lines = turn.transition.lines(in: zone)
                let privileges = asked == nil ? turn.privileges.joined(separator: ", ") + "  " : ""
                return ["\(turn.subject)  \(privileges)\(lines[0])"] + lines.dropFirst()
            },
            table: Table(
                ["subject", "privileges"] + AccessTransition.columns,
                found.flatMap { turn in
                    turn.transition.rows(in: zone).map { [.text(turn.subject), .list(turn.privileges)] + $0 }
                }))
    }

    static let auditFormer = Command(
        "audit former", "list the subjects that had a privilege on an object and no longer have it, and when each had it",
        sentence: "PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: [.firstMoment, .lastMoment, .format, .utc, .json, .store],
        example: Example(
            "audit former update on doc:plan",
            """
            user:ann  r9 2026-01-31T10:05:00Z – r11 2026-01-31T10:06:00Z
            user:ann  r19 2026-01-31T10:12:00Z – r20 2026-01-31T10:13:00Z  as administrator
            """)
    ) { call in
        try call.printAccess(emptyNote: "everyone who had this in the span has it at its end") { $0.spans.last?.until != nil }
    }

    static let auditPaths = Command(
        "audit paths", "explain the access of everyone who has a privilege on an object: every path of each subject",
        sentence: "PRIVILEGE[,PRIVILEGE…] [on] OBJECT", options: Option.question,
        example: Example(
            "audit paths read on doc:plan",
            """
            yes: user:ann may read doc:plan
            …
            """)
    ) { call in
        let (privileges, object) = try call.privilegesOnObject()
        let (witnesses, when) = try call.ask(about: privileges) { snapshot, privileges in
            try call.noteUnknown(snapshot, [object])
            return (try snapshot.witnesses(of: privileges, on: object), snapshot.members)
        }
        if witnesses.isEmpty { call.note("no user has this access") }
        var members = QueryMembers(privileges: privileges, object: object).answer([], as: "subjects", when)
        members["subjects"] = .array(witnesses.map { WitnessJSON($0).value })
        return try call.answer(.object(members), lines: witnesses.flatMap(\.lines))
    }

    static let auditUnused = Command(
        "audit unused", "list unused roles: those without members, and those that open nothing",
        options: Option.list,
        example: Example("audit unused", "role:editors  no members")
    ) { call in
        let (found, when) = try call.ask { (try UnusedRoles($0).all, $0.members) }
        if found.isEmpty { call.note("every role has members and opens something") }
        let table = Table(["role", "reasons"], found.map { [.text($0.role), .list($0.reasons)] })
        return try call.answer(
            .object(JSONObject(["roles": .array(table.objects)]).with(when)),
            lines: found.map { "\($0.role)  \($0.reasons.joined(separator: ", "))" }, table: table)
    }
}

extension Invocation {
    /// Opens the store for a question about the access of a subject, or of all, to an object. Levels of the history count as privileges.
    ///
    /// - Throws: `Refusal` with `unknownObject` for a name that the store never had.
    func withAccess<R>(
        of subject: Name? = nil, to object: Name, _ privileges: [String], _ question: (Store, [String]) throws -> R
    ) throws -> R {
        try withStore(.reading) { store in
            let names = [subject, object].compactMap { $0 }
            try store.read { snapshot in
                for name in names where try name != .everyone && name != .anonymous && snapshot.changes(of: name) == nil {
                    throw Refusal(.unknownObject, "the store has no record of `\(name)`: check the name")
                }
                try noteUnknown(snapshot, names)
            }
            let privileges = try self.privileges(privileges, of: store)
            return try Invocation.understood { try question(store, privileges) }
        }
    }
}

/// A beginning or an end of the access of a subject, with the privileges that it concerns.
private struct Turnover {
    let subject: String
    var privileges: [String]
    let transition: AccessTransition

    var json: JSONValue { transition.json.with(["subject": .string(subject), "privileges": .texts(privileges)]) }
}

extension Store {
    /// Returns the transitions of all subjects, the oldest first. One transition of several sets of privileges is listed once.
    fileprivate func turnover(
        of sets: [(names: [String], privileges: [String])], on object: Name, from: Moment, to: Moment
    ) throws -> [Turnover] {
        var found: [Turnover] = []
        for (names, privileges) in sets {
            for subject in try accessSpans(with: privileges, on: object, from: from, to: to).map(\.subject) {
                for each in try accessTransitions(of: Name(subject), with: privileges, on: object, from: from, to: to) {
                    found.append(Turnover(subject: subject, privileges: names, transition: each))
                }
            }
        }
        // Equal transitions of a subject become neighbors.
        found.sort {
            ($0.transition.time, $0.subject, $0.transition.isGained ? 1 : 0) < (
                $1.transition.time, $1.subject, $1.transition.isGained ? 1 : 0
            )
        }
        return found.reduce(into: []) { merged, next in
            if let last = merged.last, last.subject == next.subject, last.transition == next.transition {
                merged[merged.count - 1].privileges += next.privileges
            } else {
                merged.append(next)
            }
        }
    }
}

extension Snapshot {
    /// Explains the access of every subject with privileges on an object, and of every administrator.
    fileprivate func witnesses(of privileges: [String], on object: Name) throws -> [Witness] {
        guard try exists(object) else { return [] }
        let subjects = Set(try subjects(with: privileges, on: object)).union(try administrators())
        return try subjects.map { Name($0) }.sorted().map { subject in
            try witness(of: explain(subject, privileges, on: object))
        }
    }
}

/// The roles of a store without effect.
private struct UnusedRoles {
    private let roles: [String: NameDescription]
    /// The roles that a permission on some object names.
    private let permitted: Set<String>

    init(_ snapshot: Snapshot) throws {
        func descriptions(_ className: String) throws -> [NameDescription] {
            try snapshot.names(NameFilter(className: className), limit: .max).compactMap { try snapshot.description(of: Name($0)) }
        }
        roles = Dictionary(uniqueKeysWithValues: try descriptions("role").map { ($0.name, $0) })
        permitted = Set(try descriptions("permission").compactMap { $0.permission }.filter { !$0.objects.isEmpty }.map(\.subject))
    }

    var all: [(role: String, reasons: [String])] {
        roles.keys.sorted().compactMap { role in
            var reasons: [String] = []
            if !isAny(from: role, \.members, { Name($0).kind != .role }) { reasons.append("no members") }
            if !isAny(from: role, \.roles, opens) { reasons.append("opens nothing") }
            return reasons.isEmpty ? nil : (role, reasons)
        }
    }

    private func opens(_ role: String) -> Bool { permitted.contains(role) || roles[role]?.entries.isEmpty == false }

    /// Whether a rule holds for a role, or for any name that can be reached from it.
    private func isAny(from role: String, _ next: (NameDescription) -> [String], _ rule: (String) -> Bool) -> Bool {
        var (queue, seen) = ([role], Set([role]))
        while let name = queue.popLast() {
            if rule(name) { return true }
            queue += (roles[name].map(next) ?? []).filter { seen.insert($0).inserted }
        }
        return false
    }
}
