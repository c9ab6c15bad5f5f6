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

    package init(_ kind: String, _ sentence: String, _ members: JSONObject) {
        self.kind = kind
        // Names from earlier versions may contain misleading characters.
        self.sentence = sentence.showingUnseen()
        self.members = members
    }

    package var json: JSONValue { .object(members).with(["kind": .string(kind)]) }

    /// Returns whether the event mentions a name outside of a value.
    package func mentions(_ name: Name) -> Bool { members.contains { $0.key != "value" && $0.value == .string(name.text) } }
}

/// Describes the events of a commit.
package struct EventDescriber {
    package let commit: DescribedCommit
    /// The parts that descriptions omit.
    let withheld: WithheldParts

    package init(commit: DescribedCommit, withholding withheld: WithheldParts = []) {
        (self.commit, self.withheld) = (commit, withheld)
    }

    package func describe(_ event: Event) throws -> EventDescription {
        switch event {
        case .storeCreated(let event):
            let preset = event.preset == .open ? "open" : "locked"
            return EventDescription("StoreCreated", "the store was created \(preset)", ["preset": .string(preset)])
        case .classDefined(let event):
            return try describe("ClassDefined", "was defined", event.classID, event.options)
        case .classChanged(let event):
            return try describe("ClassChanged", "became", Introduction(event.classID), event.options)
        case .principalRegistered(let event):
            let principal = try name(event.principal)
            return EventDescription("PrincipalRegistered", "\(principal) was registered", ["principal": .string(principal)])
        case .roleCreated(let event):
            let role = try name(event.role)
            return EventDescription("RoleCreated", "\(role) was created", ["role": .string(role)])
        case .roleDeleted(let event):
            let role = try name(event.role)
            return EventDescription("RoleDeleted", "\(role) was deleted", ["role": .string(role)])
        case .memberAdded(let event):
            return try membership("MemberAdded", event.member, "became a member of", event.role)
        case .memberRemoved(let event):
            return try membership("MemberRemoved", event.member, "is no longer a member of", event.role)
        case .objectCreated(let event): return try describe(event)
        case .objectWritten(let event): return try describe(event)
        case .objectMoved(let event): return try describe(event)
        case .objectDeleted(let event): return try describe(event)
        case .ownerChanged(let event): return try describe(event)
        case .accessGranted(let event): return try describe(event)
        case .accessRevoked(let event): return try describe(event)
        case .accessExpired(let event): return try describe(event)
        case .permissionDefined(let event):
            return try describe("PermissionDefined", "was defined", event.permission, event.subject, event.privileges)
        case .permissionChanged(let event):
            return try describe("PermissionChanged", "became", Introduction(event.permission), event.subject, event.privileges)
        case .permissionAttached(let event):
            return try attachment("PermissionAttached", event.permission, "was attached to", event.object)
        case .permissionDetached(let event):
            return try attachment("PermissionDetached", event.permission, "was detached from", event.object)
        case .administratorAppointed(let event):
            let principal = try name(event.principal)
            return EventDescription(
                "AdministratorAppointed", "\(principal) became an administrator", ["principal": .string(principal)])
        case .clockCorrected:
            return EventDescription(
                "ClockCorrected", "the clock was corrected: earlier commits with a later time count as made at this time", [:])
        case .administratorDismissed(let event):
            let principal = try name(event.principal)
            return EventDescription(
                "AdministratorDismissed", "\(principal) is no longer an administrator", ["principal": .string(principal)])
        }
    }
}

extension EventDescriber {
    func name(_ id: some EntityID) throws -> String { try commit.name(id) }

    func name(_ introduction: Introduction<some EntityID>) throws -> String {
        try introduction.name ?? commit.name(introduction.id)
    }

    /// Returns a set of privileges in words.
    func words(_ privileges: Privileges) -> String {
        if privileges == .all { return "everything" }
        return privileges.isEmpty ? "nothing" : commit.names(of: privileges).joined(separator: ", ")
    }

    /// Returns a set of privileges as a list of names.
    func list(_ privileges: Privileges) -> JSONValue { .texts(commit.names(of: privileges)) }

    private func membership(
        _ kind: String, _ member: PrincipalID, _ verb: String, _ role: PrincipalID
    ) throws -> EventDescription {
        let (member, role) = (try name(member), try name(role))
        return EventDescription(kind, "\(member) \(verb) \(role)", ["member": .string(member), "role": .string(role)])
    }
}
