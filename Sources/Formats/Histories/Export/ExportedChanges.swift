import Events
import Muniment
import Permissions

/// The changes that create the events of a commit.
struct ExportedChanges {
    let commit: DescribedCommit

    /// Returns the change for an event; nil for an event that follows automatically from another.
    func change(for event: Event) throws -> Change? {
        switch event {
        case .storeCreated, .accessExpired, .clockCorrected: nil
        case .classDefined(let event):
            .defineClass(
                try short(event.classID).text,
                settings(event.options, new: event.newPrivileges, hasAliases: !event.options.aliases.isEmpty))
        case .classChanged(let event):
            .changeClass(
                try short(Introduction(event.classID)).text,
                settings(event.options, new: event.newPrivileges, hasAliases: true))
        case .principalRegistered(let principal): .register(try name(principal))
        case .roleCreated(let role): .createRole(try short(role))
        case .roleDeleted(let role): .deleteRole(try short(Introduction(role)))
        case .memberAdded(let event): .addMember(try name(event.member), to: try short(Introduction(event.role)))
        case .memberRemoved(let event): .removeMember(try name(event.member), from: try short(Introduction(event.role)))
        case .objectCreated(let event):
            .createObject(
                try name(event.object), parent: try event.parent.map { try name($0) },
                value: try event.value.map { try JSONText.decode($0) },
                owner: event.owner == commit.commit.actor ? nil : try name(event.owner))
        case .objectWritten(let event): .writeObject(try name(event.object), .value(try JSONText.decode(event.value)))
        case .objectMoved(let event): .moveObject(try name(event.object), parent: try event.parent.map { try name($0) })
        case .objectDeleted(let object): .deleteObject(try name(object))
        case .ownerChanged(let event): .setOwner(try name(event.object), owner: try name(event.owner))
        // The other grants follow from a preset or from the creation of an object.
        case .accessGranted(let event) where event.cause != .granted: nil
        case .accessGranted(let event):
            .grant(
                try name(event.subject), on: try name(event.object), commit.names(of: event.privileges),
                until: event.until == .forever ? nil : event.until)
        case .accessRevoked(let event):
            // Without privileges, the change removes the whole entry.
            .revoke(
                try name(event.subject), on: try name(event.object),
                event.privileges == .all ? nil : commit.names(of: event.privileges))
        case .permissionDefined(let event):
            .definePermission(
                try short(event.permission), subject: try name(event.subject), commit.names(of: event.privileges))
        case .permissionChanged(let event):
            .changePermission(
                try short(Introduction(event.permission)), subject: try name(event.subject), commit.names(of: event.privileges))
        case .permissionAttached(let event):
            .attachPermission(try short(Introduction(event.permission)), to: try name(event.object))
        case .permissionDetached(let event):
            .detachPermission(try short(Introduction(event.permission)), from: try name(event.object))
        case .administratorAppointed(let principal): .appointAdministrator(try name(principal))
        case .administratorDismissed(let principal): .dismissAdministrator(try name(principal))
        }
    }

    /// Returns every option of a class, because the event contains all of them.
    private func settings(_ options: ClassOptions, new: [String], hasAliases: Bool) -> ClassSettings {
        ClassSettings(
            objectACL: options.objectACL, composition: options.composition,
            inherits: options.inherits.isEmpty
                ? .nothing : options.inherits == .all ? .everything : .only(commit.names(of: options.inherits)),
            creatorPrivileges: commit.names(of: options.creatorPrivileges), creatorPermanent: options.creatorPermanent,
            readThroughLinks: options.readThroughLinks,
            // New privileges get their bits in the order of the list, so they come first and keep their order.
            privileges: new + commit.names(of: options.privileges).filter { !new.contains($0) }, properties: options.properties,
            aliases: hasAliases
                ? options.aliases.map { ClassSettings.Alias($0.name, for: commit.names(of: $0.privileges)) } : nil)
    }

    private func name(_ id: some EntityID) throws -> Name { Name(try commit.name(id)) }

    private func name(_ introduction: Introduction<some EntityID>) throws -> Name {
        Name(try introduction.name ?? commit.name(introduction.id))
    }

    /// Returns the name without its `class:`, `role:` or `permission:` prefix, for members that imply it.
    private func short(_ introduction: Introduction<some EntityID>) throws -> Name {
        let name = try name(introduction)
        // If the rest of the name starts with the same prefix, the full name is needed, or the prefix would be lost.
        guard let id = name.id, !id.utf8.starts(with: (name.className + ":").utf8) else { return name }
        return Name(id)
    }
}
