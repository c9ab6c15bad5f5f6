package import Events
internal import Permissions
internal import Projections

/// Everything that a store records about one name at one moment: an object, a role, a class, a permission or a principal.
package struct EntityDescription {
    package let name: Name
    /// The class, without `class:`.
    package let className: String
    /// The revision that created it.
    package let created: Revision
    /// The revision that last changed its value, parent or owner.
    package let changed: Revision
    package let owner: String?
    package let parent: String?
    /// The objects directly below it.
    package let children: ShortList<String>
    /// The entries on it, and permissions attached to it.
    package let entries: ShortList<EntryDescription>
    package let details: Details

    /// What only some kinds of names have.
    package enum Details {
        case object
        case principal(isAdministrator: Bool, Access)
        case role(members: ShortList<String>, Access)
        case `class`(ClassOptionsDescription, objects: Int)
        case permission(subject: String, privileges: [String], objects: ShortList<String>)
    }

    /// The roles and the entries that name a subject.
    package struct Access {
        /// The roles that it is a direct member of.
        package let roles: ShortList<String>
        package let grants: ShortList<Grant>
    }

    /// What a subject has on an object by an entry or a permission.
    package struct Grant {
        package let object: String
        package let entry: EntryDescription
    }

    /// The first items of a list, and the number of all.
    package struct ShortList<Item> {
        /// The largest number of items in it.
        package static var limit: Int { 1000 }
        package let first: [Item]
        package let count: Int

        init(_ all: [Item], count: Int? = nil) { (first, self.count) = (Array(all.prefix(Self.limit)), count ?? all.count) }
    }
}

extension Snapshot {
    /// Returns the names of a class that exist, sorted: objects, or with a built-in class users, things, roles, permissions or classes.
    ///
    /// Linear in the number of names of the class.
    ///
    /// - Parameters:
    ///   - className: the class, without `class:`.
    ///   - prefix: only names that begin with it, including their class, as in `doc:2024-`.
    /// - Throws: `Refusal` with `unknownClass`.
    public func names(ofClass className: String, prefix: String = "") throws -> [String] {
        let classID = try requireClass(className)
        let objects = classID == .store ? [ObjectID.store] : try reader.objects(of: classID)
        return try reader.names(of: objects).filter { $0.utf8.starts(with: prefix.utf8) }
    }

    /// Returns what the store records about a name.
    ///
    /// Linear in the entries on it, and for a subject in the entries that name it.
    ///
    /// - Throws: `Refusal`: `unknownObject` if nothing of this name exists at this moment, or `malformed`.
    package func describe(_ name: Name) throws -> EntityDescription {
        try checkForm(name)
        guard let object = try reader.object(name), let place = try reader.place(of: object) else {
            throw Refusal(.unknownObject, "`\(name)` does not exist at revision \(revision)")
        }
        return EntityDescription(
            name: name, className: Name(try reader.name(of: place.classID)).id ?? name.text,
            created: try reader.beginning(of: .object(object, place.classID)) ?? .genesis,
            changed: try reader.lastChange(of: object) ?? .genesis,
            owner: try reader.owner(of: object).map { try reader.name(of: $0) },
            parent: try place.parent.map { try reader.name(of: $0) },
            children: .init(try reader.names(of: reader.children(of: object))), entries: .init(try entries(on: name)),
            details: try details(of: object, place.classID))
    }

    private func details(of object: ObjectID, _ classID: ClassID) throws -> EntityDescription.Details {
        switch classID {
        case .user, .thing:
            let isAdministrator = try reader.administratorsNow().contains(PrincipalID(object))
            return .principal(isAdministrator: isAdministrator, try access(of: PrincipalID(object)))
        case .role:
            let members = try reader.names(of: reader.members(of: PrincipalID(object)))
            return .role(members: .init(members), try access(of: PrincipalID(object)))
        case .class:
            let options = try reader.options(of: ClassID(object)) ?? ClassOptions()
            return .class(
                ClassOptionsDescription(options: options, names: names), objects: try reader.objects(of: ClassID(object)).count)
        case .permission:
            let permission = PermissionID(object)
            guard let grant = try reader.permission(permission) else { return .object }
            return .permission(
                subject: try reader.name(of: grant.subject), privileges: names(grant.privileges),
                objects: .init(try reader.names(of: reader.objects(attachedTo: permission))))
        default: return .object
        }
    }

    private func access(of subject: PrincipalID) throws -> EntityDescription.Access {
        let name = try reader.name(of: subject)
        var objects = Set(try reader.objectsNamingDirectly(subject))
        for permission in try reader.permissions(for: subject) { objects.formUnion(try reader.objects(attachedTo: permission)) }
        let names = try reader.names(of: objects)
        // The entries of the objects that are shown are read, not those of all.
        let grants = try names.prefix(EntityDescription.ShortList<EntityDescription.Grant>.limit).flatMap { object in
            try entries(on: Name(object)).filter { $0.subject == name }.map { EntityDescription.Grant(object: object, entry: $0) }
        }
        return EntityDescription.Access(
            roles: .init(try reader.names(of: reader.directRoles(of: subject))), grants: .init(grants, count: names.count))
    }
}
