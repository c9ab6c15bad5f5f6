package import Events
internal import Permissions

/// Describes an event as a sentence for people and as JSON members for programs.
package struct EventDescription {
    /// The event kind, by its name in the catalogue of events.
    package let kind: String
    /// What happened, as one sentence without its full stop.
    package let sentence: String
    /// The contents of the event, with names instead of numbers.
    package let members: JSONObject

    init(_ kind: String, _ sentence: String, _ members: JSONObject) {
        self.kind = kind
        // Names from earlier versions may contain misleading characters.
        self.sentence = sentence.escapingInvisible()
        self.members = members
    }

    package var json: JSONValue { .object(members).with(["kind": .string(kind)]) }

    /// Returns whether the event mentions a name outside of a value.
    package func mentions(_ name: Name) -> Bool { members.contains { $0.key != "value" && $0.value == .string(name.text) } }
}

/// Describes the events of a commit.
package struct EventDescriber {
    package let commit: DescribedCommit
    let withheld: WithheldParts

    /// The largest number of characters of a value that a sentence quotes.
    private static let excerptLength = 200

    package init(commit: DescribedCommit, withholding withheld: WithheldParts = []) {
        (self.commit, self.withheld) = (commit, withheld)
    }

    package func describe(_ event: Event) throws -> EventDescription {
        let (sentence, members) = try content(of: event)
        return EventDescription(event.kind.name, sentence, members)
    }

    private typealias Content = (sentence: String, members: JSONObject)

    private func content(of event: Event) throws -> Content {
        switch event {
        case .storeCreated(let preset):
            ("the store was created \(preset)", ["preset": .string("\(preset)")])
        case .classDefined(let event): try content(event.options, of: name(event.classID), "was defined")
        case .classChanged(let event): try content(event.options, of: name(event.classID), "became")
        case .principalRegistered(let principal): try content("principal", name(principal), "was registered")
        case .roleCreated(let role): try content("role", name(role), "was created")
        case .roleDeleted(let role): try content("role", name(role), "was deleted")
        case .memberAdded(let event):
            try content("member", name(event.member), "became a member of", "role", name(event.role))
        case .memberRemoved(let event):
            try content("member", name(event.member), "is no longer a member of", "role", name(event.role))
        case .objectCreated(let event): try content(of: event)
        case .objectWritten(let event): try content(of: event)
        case .objectMoved(let event): try content(of: event)
        case .objectDeleted(let object): try content("object", name(object), "was deleted, with everything in it")
        case .ownerChanged(let event): try content("object", name(event.object), "was given to", "owner", name(event.owner))
        case .accessGranted(let event): try content(of: event)
        case .accessRevoked(let event):
            try loss(of: event.privileges, event.subject, event.object) { "\($0) lost \($1) on \($2)" }
        case .accessExpired(let event):
            try loss(of: event.privileges, event.subject, event.object) { "the access of \($0) for \($1) on \($2) expired" }
        case .permissionDefined(let event):
            try content(event.privileges, for: name(event.subject), of: name(event.permission), "was defined")
        case .permissionChanged(let event):
            try content(event.privileges, for: name(event.subject), of: name(event.permission), "became")
        case .permissionAttached(let event):
            try content("permission", name(event.permission), "was attached to", "object", name(event.object))
        case .permissionDetached(let event):
            try content("permission", name(event.permission), "was detached from", "object", name(event.object))
        case .administratorAppointed(let principal): try content("principal", name(principal), "became an administrator")
        case .administratorDismissed(let principal):
            try content("principal", name(principal), "is no longer an administrator")
        case .clockCorrected: ("the clock was corrected: earlier commits with a later time count as made at this time", [:])
        }
    }

    private func content(_ member: String, _ name: String, _ verb: String) -> Content {
        ("\(name) \(verb)", [member: .string(name)])
    }

    private func content(_ member: String, _ name: String, _ verb: String, _ other: String, _ otherName: String) -> Content {
        ("\(name) \(verb) \(otherName)", [member: .string(name), other: .string(otherName)])
    }

    private func name(_ id: some EntityID) throws -> String { try commit.name(id) }

    private func name(_ introduction: Introduction<some EntityID>) throws -> String {
        try introduction.name ?? commit.name(introduction.id)
    }

    private func words(_ privileges: Privileges) -> String { privileges.words(commit.names(of:)) }

    private func list(_ privileges: Privileges) -> JSONValue { .texts(commit.names(of: privileges)) }

    // MARK: Objects

    private func content(of event: ObjectCreated) throws -> Content {
        let (object, owner) = (try name(event.object), try name(event.owner))
        var sentence = "\(object) was created"
        var members: JSONObject = ["object": .string(object), "owner": .string(owner)]
        if !withheld.contains(.parent), let parent = try event.parent.map({ try name($0) }) {
            sentence += " in \(parent)"
            members["parent"] = .string(parent)
        }
        sentence += ", owned by \(owner)"
        if !withheld.contains(.value), let value = event.value {
            sentence += ", with the value \(excerpt(value))"
            members["value"] = try JSONText.decode(value)
        }
        return (sentence, members)
    }

    private func content(of event: ObjectWritten) throws -> Content {
        let object = try name(event.object)
        guard !withheld.contains(.value) else { return ("the value of \(object) was changed", ["object": .string(object)]) }
        return (
            "the value of \(object) became \(excerpt(event.value))",
            ["object": .string(object), "value": try JSONText.decode(event.value)]
        )
    }

    private func content(of event: ObjectMoved) throws -> Content {
        let object = try name(event.object)
        guard !withheld.contains(.parent) else { return content("object", object, "was moved") }
        let parent = try event.parent.map { try name($0) }
        return (
            "\(object) was moved " + (parent.map { "to \($0)" } ?? "to the top"),
            ["object": .string(object), "parent": .optional(parent)]
        )
    }

    private func excerpt(_ value: [UInt8]) -> String {
        let text = String(decoding: value, as: UTF8.self)
        return text.count <= Self.excerptLength ? text : text.prefix(Self.excerptLength) + "…"
    }

    // MARK: Entries and permissions

    private func content(of event: AccessGranted) throws -> Content {
        let (subject, object) = (try name(event.subject), try name(event.object))
        var sentence = "\(subject) was granted \(words(event.privileges)) on \(object)"
        var members: JSONObject = [
            "subject": .string(subject), "object": .string(object), "privileges": list(event.privileges),
            "cause": .string(event.cause.name),
        ]
        if event.until != .forever {
            sentence += " until \(event.until)"
            members["until"] = .time(event.until)
        }
        switch event.cause {
        case .granted: break
        case .preset: sentence += ", as in every open store"
        case .creator: sentence += ", as its owner"
        case .permanentCreator: sentence += ", as its owner, permanently"
        }
        return (sentence, members)
    }

    private func loss(
        of privileges: Privileges, _ subject: PrincipalID, _ object: ObjectID,
        sentence: (_ subject: String, _ privileges: String, _ object: String) -> String
    ) throws -> Content {
        let (subject, object) = (try name(subject), try name(object))
        return (
            sentence(subject, words(privileges), object),
            ["subject": .string(subject), "object": .string(object), "privileges": list(privileges)]
        )
    }

    private func content(
        _ privileges: Privileges, for subject: String, of permission: String, _ verb: String
    ) -> Content {
        (
            "\(permission) \(verb): \(words(privileges)) for \(subject)",
            ["permission": .string(permission), "subject": .string(subject), "privileges": list(privileges)]
        )
    }

    // MARK: Classes

    private func content(_ options: ClassOptions, of classID: String, _ verb: String) -> Content {
        let description = ClassOptionsDescription(options: options, names: commit.names(of:))
        return (
            "\(classID) \(verb): " + description.words.joined(separator: "; "),
            ["class": .string(classID), "options": description.json]
        )
    }
}

extension GrantCause {
    /// A description by reflection takes a microsecond, as long as the rest of a record in a page of the audit.
    fileprivate var name: String {
        switch self {
        case .granted: "granted"
        case .preset: "preset"
        case .creator: "creator"
        case .permanentCreator: "permanentCreator"
        }
    }
}
