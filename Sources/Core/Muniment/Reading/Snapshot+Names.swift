package import Events
internal import Permissions
internal import Projections

/// Which names a list has.
package struct NameFilter: Sendable {
    /// The beginning of the names.
    package var prefix: String
    /// A text in the names; ASCII letters in either case.
    package var part: String?
    /// The class, built in or not, without `class:`.
    package var className: String?
    package var parent: Name?

    package init(prefix: String = "", part: String? = nil, className: String? = nil, parent: Name? = nil) {
        self.prefix = prefix
        self.part = part
        self.className = className
        self.parent = parent
    }
}

/// Everything about one name that is recorded, as opposed to derived access.
package struct NameDescription {
    package let name: String
    /// Without `class:`.
    package let className: String
    package var created: Revision?
    /// The last change of value, parent or owner.
    package var changed: Revision?
    package var parent: String?
    package var owner: String?
    /// Whether the object contains other objects.
    package var hasChildren = false
    /// The roles that a principal is a direct member of, sorted.
    package var roles: [String] = []
    /// The objects, classes and the store with an entry for a principal, sorted.
    package var entries: [String] = []
    /// The direct members of a role, sorted.
    package var members: [String] = []
    /// The options of a class.
    package var options: ClassOptionsDescription?
    /// The subject of a permission, its privileges, and what it is attached to, sorted.
    package var permission: (subject: String, privileges: [String], objects: [String])?
}

extension Snapshot {
    /// Returns the names of what exists, sorted by their bytes, with names of more than 255 bytes last.
    ///
    /// Linear in the number of names with the prefix until the limit is reached; for a parent, in the number of its children.
    ///
    /// - Parameter limit: the number of names after which the list ends.
    package func names(_ filter: NameFilter, limit: Int) throws -> [String] {
        var classID: ClassID?
        if let className = filter.className {
            guard let found = try self.classID(className) else { return [] }
            classID = found
        }
        let part = filter.part.map { Array($0.utf8).map(\.asciiLowercase) }
        var names: [String] = []
        func add(_ name: String, _ id: ObjectID) throws {
            if let part, !name.utf8.containsIgnoringCase(part) { return }
            guard let place = try reader.place(of: id), classID == nil || place.classID == classID else { return }
            names.append(name)
        }
        if let parent = filter.parent {
            guard let found = try reader.object(parent) else { return [] }
            for child in try reader.children(of: found) {
                let name = try reader.name(of: child)
                if name.utf8.starts(with: filter.prefix.utf8) { try add(name, child) }
            }
            return Array(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(limit))
        }
        // The names of a class begin with its name.
        let inClass = filter.className.map { $0 + ":" } ?? ""
        guard filter.prefix.utf8.starts(with: inClass.utf8) || inClass.utf8.starts(with: filter.prefix.utf8) else { return [] }
        try reader.forEachName(prefix: filter.prefix.utf8.count > inClass.utf8.count ? filter.prefix : inClass) { name, id in
            try add(name, id)
            return names.count < limit
        }
        return names
    }

    /// Returns what is recorded about a name; nil if nothing of this name exists.
    package func description(of name: Name) throws -> NameDescription? {
        try checkForm(name)
        guard let object = try reader.object(name), let place = try reader.place(of: object) else { return nil }
        var found = NameDescription(
            name: name.text, className: Name(try reader.name(of: place.classID)).id ?? "",
            created: try reader.beginning(of: .object(object, place.classID)),
            changed: try reader.lastChange(of: object), parent: try place.parent.map { try reader.name(of: $0) },
            owner: try reader.owner(of: object).map { try reader.name(of: $0) },
            hasChildren: try !reader.children(of: object).isEmpty)
        if name.isSubject {
            let principal = PrincipalID(object)
            found.roles = try reader.names(of: reader.directRoles(of: principal))
            found.entries = try reader.names(of: reader.objectsNamingDirectly(principal))
        }
        switch name.kind {
        case .role: found.members = try reader.names(of: reader.members(of: PrincipalID(object)))
        case .class:
            found.options = try reader.options(of: ClassID(object)).map { ClassOptionsDescription(options: $0, names: names) }
        case .permission:
            let id = PermissionID(object)
            if let grant = try reader.permission(id) {
                found.permission = (
                    try reader.name(of: grant.subject), names(grant.privileges),
                    try reader.names(of: reader.objects(attachedTo: id))
                )
            }
        default: break
        }
        return found
    }

    /// Returns all roles with the number of objects on which a member of the role has some privileges, and its direct members; the role
    /// with most objects first, then by name.
    package func roles(opening privileges: [String]) throws -> [(role: String, objects: Int, members: [String])] {
        guard let wanted = self.privileges(named: privileges) else { return [] }
        return try reader.objects(of: .role).map { role in
            let role = PrincipalID(role)
            let objects = try reader.objects(for: reader.subjects(of: role), with: wanted, at: instant).count
            return (try reader.name(of: role), objects, try reader.names(of: reader.members(of: role)))
        }.sorted { $0.objects == $1.objects ? $0.role.utf8.lexicographicallyPrecedes($1.role.utf8) : $0.objects > $1.objects }
    }

    /// Returns the ends of entries that are still ahead, the next one first.
    ///
    /// - Parameter limit: the largest number of ends.
    package func upcomingEnds(limit: Int) throws -> [(until: Instant, subject: String, object: String)] {
        var ends: [(until: Instant, subject: String, object: String)] = []
        try reader.forEachExpiry { expiry in
            guard ends.count < limit else { return false }
            if expiry.until > instant {
                ends.append((expiry.until, try reader.name(of: expiry.subject), try reader.name(of: expiry.object)))
            }
            return true
        }
        return ends
    }

    /// Returns the last revision at each of some instants. Logarithmic for each instant.
    package func revisions(at instants: [Instant]) throws -> [Revision] {
        try instants.map { min(try reader.revision(at: $0), revision) }
    }
}

extension UInt8 {
    fileprivate var asciiLowercase: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}

extension String.UTF8View {
    /// Whether these bytes contain other bytes. ASCII letters match in either case.
    ///
    /// - Parameter part: the bytes, with lowercase ASCII letters.
    fileprivate func containsIgnoringCase(_ part: [UInt8]) -> Bool {
        var start = startIndex
        while start != endIndex {
            if self[start...].lazy.map(\.asciiLowercase).starts(with: part) { return true }
            start = index(after: start)
        }
        return part.isEmpty
    }
}

/// Names in questions that must exist, so that a misspelled name is not taken for an empty result.
extension Snapshot {
    /// Throws a `Refusal` with `malformed` if the store defines no privilege of one of the names.
    public func requirePrivileges(_ names: [String], or levels: [String] = []) throws {
        for name in names where reader.privilege(name) == nil {
            let known = self.names(.all) + levels
            let nearest = name.nearest(among: known).map { "did you mean `\($0)`?" }
            throw Refusal(
                .malformed,
                "the store has no privilege `\(Name(name).excerpt)`: \(nearest ?? "it has " + known.joined(separator: ", "))")
        }
    }

    /// Throws a `Refusal` with `unknownClass` if no class of the name exists at this moment.
    @discardableResult package func requireClass(_ className: String) throws -> ClassID {
        guard let classID = try classID(className) else {
            throw Refusal(.unknownClass, "the class `\(Name(className).excerpt)` does not exist")
        }
        return classID
    }
}
