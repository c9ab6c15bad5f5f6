import Events
import Muniment
import Permissions

/// Answers about access over time, in words for people and in members for programs.
extension AccessSpan {
    var line: String {
        var line = "r\(begin) \(from) – "
        line += end.map { "r\($0) " } ?? ""
        line += until.map { "\($0)" } ?? "the end"
        return line + (asAdministrator ? "  as administrator" : "")
    }

    var json: JSONValue {
        var members: JSONObject = ["begin": .revision(begin), "from": .time(from)]
        if let end { members["end"] = .revision(end) }
        if let until { members["until"] = .time(until) }
        if asAdministrator { members["asAdministrator"] = .bool(true) }
        return .object(members)
    }
}

extension SubjectAccess {
    var json: JSONValue { .object(["subject": .string(subject), "spans": .array(spans.map(\.json))]) }
}

extension AccessTurn {
    /// When and by whom, and below it a sentence for each event.
    var lines: [String] {
        let who = actor == Name.store.text ? "the store" : actor
        var first = (isGained ? "in   " : "out  ") + (revision.map { "r\($0)  " } ?? "") + "\(time)  \(who)"
        if let id = origin.requestID { first += "  \(id)" }
        if let comment = origin.comment { first += "  (\(comment))" }
        return [first] + events.map { "    " + $0.sentence }
    }

    var json: JSONValue {
        let members: JSONObject = [
            "actor": .string(actor), "events": .array(events.map(\.json)), "gained": .bool(isGained),
            "revision": revision.map(JSONValue.revision) ?? .null, "time": .time(time),
        ]
        return .object(members).with(origin.members)
    }
}

extension AccessReport.Role {
    fileprivate var line: String {
        let from = isEveryones ? ["everyone"] : []
        let way = from + through
        return way.isEmpty ? role : "\(role)  through \(way.joined(separator: ", "))"
    }

    fileprivate var json: JSONValue {
        .object(["everyones": .bool(isEveryones), "role": .string(role), "through": .texts(through)])
    }
}

extension AccessReport.Holding {
    fileprivate var line: String { "\(name)  \(privileges.joined(separator: ", "))" }
    fileprivate var json: JSONValue { .object(["name": .string(name), "privileges": .texts(privileges)]) }
}

extension AccessReport {
    var lines: [String] {
        (isAdministrator ? ["administers the store"] : []) + roles.map(\.line)
            + (store.isEmpty ? [] : ["store  \(store.joined(separator: ", "))"]) + (classes + objects).map(\.line)
    }

    var json: JSONValue {
        .object([
            "administrator": .bool(isAdministrator), "classes": .array(classes.map(\.json)), "known": .bool(isKnown),
            "objects": .array(objects.map(\.json)), "revision": .revision(revision), "roles": .array(roles.map(\.json)),
            "store": .texts(store), "subject": .string(subject), "time": .time(instant),
        ])
    }
}
