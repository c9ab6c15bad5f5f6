import Events
import Muniment
import Permissions

/// Converts an event to the change that creates it.
enum ExportedChange {
    private typealias Members = [(String, OrderedJSON)]

    /// Returns the change, or nil for an event that follows automatically from another.
    static func json(for event: Event, by actor: PrincipalID, in commit: DescribedCommit) throws -> OrderedJSON? {
        try members(for: event, by: actor, in: commit).map(OrderedJSON.members)
    }

    private static func members(for event: Event, by actor: PrincipalID, in commit: DescribedCommit) throws -> Members? {
        switch event {
        case .storeCreated, .accessExpired, .clockCorrected: nil
        case .classDefined(let event):
            operation("defineClass") + [("class", try short(event.classID, commit))]
                + options(event.options, new: event.newPrivileges, commit)
                + (event.options.aliases.isEmpty ? [] : aliases(event.options.aliases, commit))
        case .classChanged(let event):
            operation("changeClass") + [("class", try short(event.classID, commit))]
                + options(event.options, new: event.newPrivileges, commit) + aliases(event.options.aliases, commit)
        case .principalRegistered(let event): operation("register") + [("principal", try text(event.principal, commit))]
        case .roleCreated(let event): operation("createRole") + [("role", try short(event.role, commit))]
        case .roleDeleted(let event): operation("deleteRole") + [("role", try short(event.role, commit))]
        case .memberAdded(let event):
            operation("addMember") + [("role", try short(event.role, commit)), ("member", try text(event.member, commit))]
        case .memberRemoved(let event):
            operation("removeMember") + [("role", try short(event.role, commit)), ("member", try text(event.member, commit))]
        case .objectCreated(let event): try creation(event, by: actor, commit)
        case .objectWritten(let event):
            operation("writeObject") + [("object", try text(event.object, commit)), ("value", .raw(event.value))]
        case .objectMoved(let event):
            operation("moveObject") + [
                ("object", try text(event.object, commit)),
                ("parent", try event.parent.map { try text($0, commit) } ?? .null),
            ]
        case .objectDeleted(let event): operation("deleteObject") + [("object", try text(event.object, commit))]
        case .ownerChanged(let event):
            operation("setOwner") + [("object", try text(event.object, commit)), ("owner", try text(event.owner, commit))]
        case .accessGranted(let event): try grant(event, commit)
        case .accessRevoked(let event): try revocation(event, commit)
        case .permissionDefined(let event):
            operation("definePermission") + [("permission", try short(event.permission, commit))]
                + (try permission(of: event.subject, event.privileges, commit))
        case .permissionChanged(let event):
            operation("changePermission") + [("permission", try short(event.permission, commit))]
                + (try permission(of: event.subject, event.privileges, commit))
        case .permissionAttached(let event):
            operation("attachPermission") + [
                ("permission", try short(event.permission, commit)), ("object", try text(event.object, commit)),
            ]
        case .permissionDetached(let event):
            operation("detachPermission") + [
                ("permission", try short(event.permission, commit)), ("object", try text(event.object, commit)),
            ]
        case .administratorAppointed(let event):
            operation("appointAdministrator") + [("principal", try text(event.principal, commit))]
        case .administratorDismissed(let event):
            operation("dismissAdministrator") + [("principal", try text(event.principal, commit))]
        }
    }
}

extension ExportedChange {
    private static func creation(_ event: ObjectCreated, by actor: PrincipalID, _ commit: DescribedCommit) throws -> Members {
        var members = operation("createObject")
        members.append(("object", try text(event.object, commit)))
        if let parent = event.parent { members.append(("parent", try text(parent, commit))) }
        if let value = event.value { members.append(("value", .raw(value))) }
        if event.owner != actor { members.append(("owner", try text(event.owner, commit))) }
        return members
    }

    /// Returns explicit grants only: the others follow from a preset or from the creation of an object.
    private static func grant(_ event: AccessGranted, _ commit: DescribedCommit) throws -> Members? {
        guard event.cause == .granted else { return nil }
        var members = operation("grant")
        members.append(("subject", try text(event.subject, commit)))
        members.append(("object", try text(event.object, commit)))
        members.append(("privileges", .texts(commit.names(of: event.privileges))))
        if event.until != .forever { members.append(("until", .text(event.until.description))) }
        return members
    }

    private static func revocation(_ event: AccessRevoked, _ commit: DescribedCommit) throws -> Members {
        var members = operation("revoke")
        members.append(("subject", try text(event.subject, commit)))
        members.append(("object", try text(event.object, commit)))
        // Without `privileges`, the change removes the whole entry.
        if event.privileges != .all { members.append(("privileges", .texts(commit.names(of: event.privileges)))) }
        return members
    }

    private static func permission(
        of subject: PrincipalID, _ privileges: Privileges, _ commit: DescribedCommit
    ) throws -> Members {
        [("subject", try text(subject, commit)), ("privileges", .texts(commit.names(of: privileges)))]
    }

    /// Returns every option of a class, because the event contains all of them.
    private static func options(_ options: ClassOptions, new: [String], _ commit: DescribedCommit) -> Members {
        let inherits: OrderedJSON =
            if options.inherits.isEmpty { .bool(false) } else if options.inherits == .all { .bool(true) } else {
                .texts(commit.names(of: options.inherits))
            }
        // New privileges get their bits in the order of the list, so they come first and keep their order.
        let privileges = new + commit.names(of: options.privileges).filter { !new.contains($0) }
        return [
            ("objectACL", .text(options.objectACL == ObjectACL.required ? "required" : "none")),
            ("composition", .text(options.composition == .narrowing ? "narrowing" : "widening")),
            ("inherits", inherits),
            ("creatorPrivileges", .texts(commit.names(of: options.creatorPrivileges))),
            ("creatorPermanent", .bool(options.creatorPermanent)),
            ("readThroughLinks", .bool(options.readThroughLinks)),
            ("privileges", .texts(privileges)),
            ("properties", .texts(options.properties)),
        ]
    }

    private static func aliases(_ aliases: [ActionAlias], _ commit: DescribedCommit) -> Members {
        [("aliases", .members(aliases.map { ($0.name, .texts(commit.names(of: $0.privileges))) }))]
    }
}

extension ExportedChange {
    private static func operation(_ word: String) -> Members { [("op", .text(word))] }

    private static func name(_ introduction: Introduction<some EntityID>, _ commit: DescribedCommit) throws -> Name {
        Name(try introduction.name ?? commit.name(introduction.id))
    }

    private static func text(_ introduction: Introduction<some EntityID>, _ commit: DescribedCommit) throws -> OrderedJSON {
        .text(try name(introduction, commit).text)
    }

    private static func text(_ id: some EntityID, _ commit: DescribedCommit) throws -> OrderedJSON {
        .text(try commit.name(id))
    }

    /// Returns the name without its `class:`, `role:` or `permission:` prefix, for keys that imply it.
    private static func short(_ id: some EntityID, _ commit: DescribedCommit) throws -> OrderedJSON {
        try short(Introduction(id), commit)
    }

    private static func short(_ introduction: Introduction<some EntityID>, _ commit: DescribedCommit) throws -> OrderedJSON {
        let name = try name(introduction, commit)
        // If the rest of the name starts with the same prefix, the full name is needed, or the prefix would be lost.
        guard let id = name.id, !id.utf8.starts(with: (name.className + ":").utf8) else { return .text(name.text) }
        return .text(id)
    }
}
