package import Events
package import Muniment
internal import Permissions

/// Responses about access over time.
extension AccessSpan {
    package var json: JSONValue {
        var members: JSONObject = ["begin": .revision(begin), "from": .time(from)]
        if let end { members["end"] = .revision(end) }
        if let until { members["until"] = .time(until) }
        if existedBefore { members["existedBefore"] = .bool(true) }
        if asAdministrator { members["asAdministrator"] = .bool(true) }
        return .object(members)
    }
}

extension SubjectAccess {
    package var json: JSONValue { .object(["subject": .string(subject), "spans": .array(spans.map(\.json))]) }
}

extension AccessTransition {
    package var json: JSONValue {
        let members: JSONObject = [
            "actor": actor.isEmpty ? .null : .string(actor), "events": .array(events.map(\.json)), "gained": .bool(isGained),
            "revision": revision.map(JSONValue.revision) ?? .null, "time": .time(time),
        ]
        return .object(members).with(origin.members)
    }
}

extension QueryMembers {
    /// The subjects with the requested access, and their time spans.
    package func answer(_ access: [SubjectAccess]) -> JSONObject { members.with(["access": .array(access.map(\.json))]) }

    /// When a subject's access began and ended, and the causes.
    package func answer(_ transitions: [AccessTransition]) -> JSONObject {
        members.with(["transitions": .array(transitions.map(\.json))])
    }
}

extension AccessReport.Role {
    fileprivate var json: JSONValue {
        .object(["everyones": .bool(isThroughEveryone), "role": .string(role), "through": .texts(through)])
    }
}

extension AccessReport.Holding {
    fileprivate var json: JSONValue { .object(["name": .string(name), "privileges": .texts(privileges)]) }
}

extension AccessReport {
    package var json: JSONObject {
        [
            "administrator": .bool(isAdministrator), "classes": .array(classes.map(\.json)), "known": .bool(isKnown),
            "objects": .array(objects.map(\.json)), "revision": .revision(revision), "roles": .array(roles.map(\.json)),
            "store": .texts(store), "subject": .string(subject), "time": .time(instant),
        ]
    }
}
