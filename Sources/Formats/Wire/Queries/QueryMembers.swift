package import Events
package import Muniment
internal import Permissions

/// The question, as members that the response repeats, so that it is complete by itself.
package struct QueryMembers {
    package var subject: Name?
    package var privileges: [String]?
    package var object: Name?
    package var role: Name?
    /// Without `class:`.
    package var className: String?

    package init(
        subject: Name? = nil, privileges: [String]? = nil, object: Name? = nil, role: Name? = nil, className: String? = nil
    ) {
        self.subject = subject
        self.privileges = privileges
        self.object = object
        self.role = role
        self.className = className
    }
}

/// Responses to questions about one time: the question, the answer, and the time.
extension QueryMembers {
    package var members: JSONObject {
        var members: JSONObject = [:]
        if let subject { members["subject"] = .name(subject) }
        if let privileges { members["privileges"] = .texts(privileges) }
        if let object { members["object"] = .name(object) }
        if let role { members["role"] = .name(role) }
        if let className { members["class"] = .string(className) }
        return members
    }

    /// Whether the access is allowed, and the reason.
    package func answer(_ answer: CheckResult, _ when: JSONObject) -> JSONObject {
        members.with(["allowed": .bool(answer.isAllowed), "reason": .string(answer.explanation)]).with(when)
    }

    /// A list of names, in a member named after their kind.
    package func answer(_ names: [String], as key: String, _ when: JSONObject) -> JSONObject {
        members.with([key: .texts(names)]).with(when)
    }

    /// All privileges of a subject on an object: here `privileges` is the answer.
    package func answer(privileges: [String], _ when: JSONObject) -> JSONObject { answer(privileges, as: "privileges", when) }

    /// The access list of an object.
    package func answer(_ entries: [EntryDescription], _ when: JSONObject) -> JSONObject {
        members.with(["entries": .array(entries.map(\.json))]).with(when)
    }

    /// The value of an object.
    package func answer(value: JSONValue, _ when: JSONObject) -> JSONObject { members.with(["value": value]).with(when) }

    /// A page of a query. Its cursor continues at the same revision.
    package func answer(_ page: QueryPage) -> JSONObject {
        let answer = members.with(["objects": .texts(page.objects), "revision": .revision(page.revision)])
        return page.next.map { answer.with(["next": .string($0.description)]) } ?? answer
    }
}

extension JSONObject {
    /// The member of an empty list that says why it is empty.
    package init(note: ListNote?) {
        self = note.map { ["note": .object(["reason": .string($0.reason.rawValue), "message": .string($0.message)])] } ?? [:]
    }
}

extension Snapshot {
    /// The revision and time that the answer is valid for.
    package var members: JSONObject { ["revision": .revision(revision), "time": .time(instant)] }
}

extension EntryDescription {
    /// The entry in the syntax of `SCENARIOS.md`.
    package var json: JSONValue {
        var members: JSONObject = ["subject": .string(subject), "privileges": .texts(privileges)]
        if let end = until, end != .forever { members["until"] = .time(end) }
        if isPermanent { members["permanent"] = .bool(true) }
        if let permission { members["permission"] = .string(permission) }
        return .object(members)
    }
}
