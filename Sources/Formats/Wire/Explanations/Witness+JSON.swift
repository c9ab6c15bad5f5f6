package import Events
package import Muniment
package import Permissions

/// A witness as JSON: names instead of numbers, and every step with its causing event.
package struct WitnessJSON {
    private let witness: Witness

    package init(_ witness: Witness) { self.witness = witness }

    package var value: JSONValue {
        var members: JSONObject = [
            "subject": .name(witness.subject), "privileges": .texts(witness.privileges), "object": .name(witness.object),
            "allowed": .bool(witness.isAllowed), "complete": .bool(witness.isComplete),
            "outcomes": .array(witness.outcomes.map(json)),
        ]
        if let appointment = witness.appointment { members["appointment"] = json(appointment) }
        if let target = witness.target, witness.appointment == nil {
            members["levels"] = .array([
                level(.store, witness.storeLevel), level(.class, target.classLevel), level(.object, target.objectPart),
            ])
        }
        return .object(members)
    }

    private func json(_ outcome: PrivilegeResult) -> JSONValue {
        .object([
            "privilege": .string(outcome.privilege), "allowed": .bool(outcome.isAllowed),
            "decidedBy": .string(outcome.decider.rawValue), "failing": .texts(outcome.failing.map(\.rawValue)),
        ])
    }

    private func level(_ level: DecidingLevel, _ paths: [WitnessedPath]) -> JSONValue {
        .object([
            "level": .string(level.rawValue), "missing": list(witness.missing[level] ?? []), "paths": .array(paths.map(json)),
        ])
    }

    private func json(_ path: WitnessedPath) -> JSONValue {
        var members: JSONObject = ["privileges": list(path.privileges), "steps": .array(path.facts.map(json))]
        if let beginning = path.beginning { members["as"] = .string(witness.name(beginning)) }
        if path.isPermanent { members["permanent"] = .bool(true) }
        if !path.sources.isEmpty { members["through"] = .array(path.sources.map(json)) }
        return .object(members)
    }

    private func json(_ object: WitnessedObject) -> JSONValue {
        .object([
            "object": .string(witness.name(object.object)), "classLevel": .array(object.classLevel.map(json)),
            "objectPart": .array(object.objectPart.map(json)),
        ])
    }

    private func json(_ fact: WitnessedFact) -> JSONValue {
        let citation = fact.citation
        let members: JSONObject = [
            "revision": .revision(citation.revision), "event": .count(citation.index), "kind": .string(citation.kind.name),
            "time": .time(citation.time), "actor": citation.actor == .system ? .null : .string(witness.name(citation.actor)),
        ]
        return .object(fact.fact.members(in: witness)).with(members).with(citation.origin.members)
    }

    private func list(_ privileges: Privileges) -> JSONValue { .texts(witness.privilegeNames.names(of: privileges)) }
}

extension Fact {
    /// The members in the terms of `SCENARIOS.md`; `fact` contains the kind.
    fileprivate func members(in witness: Witness) -> JSONObject {
        func name(_ id: some EntityID) -> JSONValue { .string(witness.name(id)) }
        func list(_ privileges: Privileges) -> JSONValue { .texts(witness.privilegeNames.names(of: privileges)) }
        switch self {
        case .object(let object, let classID): return ["fact": .string("object"), "object": name(object), "class": name(classID)]
        case .child(let child, let parent): return ["fact": .string("child"), "object": name(child), "parent": name(parent)]
        case .options(let classID, let options):
            return [
                "fact": .string("options"), "class": name(classID),
                "objectACL": .string(options.objectACL == ObjectACL.required ? "required" : "none"),
                "composition": .string(options.composition == .narrowing ? "narrowing" : "widening"),
                "inherits": options.inherits == .all ? .bool(true) : list(options.inherits),
            ]
        case .member(let member, let role): return ["fact": .string("member"), "member": name(member), "role": name(role)]
        case .entry(let subject, let object, let privileges, let until):
            return [
                "fact": .string("entry"), "subject": name(subject), "object": name(object), "privileges": list(privileges),
                "until": until == .forever ? .null : .time(until),
            ]
        case .permission(let permission, let subject, let privileges):
            return [
                "fact": .string("permission"), "permission": name(permission), "subject": name(subject),
                "privileges": list(privileges),
            ]
        case .attachment(let permission, let object):
            return ["fact": .string("attachment"), "permission": name(permission), "object": name(object)]
        case .link(let source, let target): return ["fact": .string("link"), "from": name(source), "to": name(target)]
        case .administrator(let principal): return ["fact": .string("administrator"), "principal": name(principal)]
        }
    }
}

/// Changes that would allow the denied access, as JSON.
extension ProposalList {
    package var members: JSONObject {
        [
            "proposals": .array(proposals.map { .array($0.changes.map(\.json)) }), "proposalsComplete": .bool(isComplete),
            "obstacle": .optional(obstacle?.words),
        ]
    }
}

extension ProposalList.Obstacle {
    package var words: String {
        switch self {
        case .unknownObject: "the object does not exist; create it first"
        case .unknownSubject:
            "this name cannot have access: use a user, a thing, an existing role, everyone or anonymous"
        case .impossiblePrivilege(let name): "a class cannot have the privilege \(name)"
        case .nothingAsked: "the question has no privilege"
        }
    }
}
