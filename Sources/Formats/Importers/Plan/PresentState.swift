internal import Events
internal import Muniment
internal import Permissions

/// The present facts of a store that a plan compares with those of a source. Without a store, everything is absent.
final class PresentState {
    private let snapshot: Snapshot?
    /// Whether new classes give everyone every privilege.
    let isOpen: Bool
    private var entries: [Name: [EntryDescription]] = [:]
    private var memberLists: [Name: Set<Name>] = [:]

    init(_ snapshot: Snapshot?, isOpen: Bool) { (self.snapshot, self.isOpen) = (snapshot, isOpen) }

    func exists(_ name: Name) throws -> Bool { try snapshot?.exists(name) ?? false }

    func parent(of object: Name) throws -> Name? { try snapshot?.description(of: object)?.parent.map { Name($0) } }

    func members(of role: Name) throws -> Set<Name> {
        if let known = memberLists[role] { return known }
        let members = Set(try snapshot?.members(of: role).map { Name($0) } ?? [])
        memberLists[role] = members
        return members
    }

    /// Returns the privileges of a subject's own entry on an object, with their ends.
    func entry(of subject: Name, on object: Name) throws -> [String: Instant] {
        var held: [String: Instant] = [:]
        for row in try rows(on: object) where row.permission == nil && Name(row.subject) == subject {
            for privilege in row.privileges { held[privilege] = row.until ?? .forever }
        }
        return held
    }

    /// Returns the access list of an object, with the rows of permissions.
    func rows(on object: Name) throws -> [EntryDescription] {
        if let known = entries[object] { return known }
        let rows = try snapshot?.entries(on: object) ?? []
        entries[object] = rows
        return rows
    }

    func customPrivileges(ofClass className: String) throws -> [String]? { try snapshot?.customPrivileges(ofClass: className) }

    /// Returns the options of a class; nil if it does not exist.
    func options(ofClass className: String) throws -> (hasObjectACL: Bool, inherits: Set<String>, inheritsAll: Bool)? {
        guard let snapshot, let found = try snapshot.description(of: .class(className))?.options else { return nil }
        let options = found.options
        return (options.objectACL == .required, Set(snapshot.names(options.inherits)), options.inherits == .all)
    }

    func children(of object: Name) throws -> [Name] {
        try snapshot?.names(NameFilter(parent: object), limit: .max).map { Name($0) } ?? []
    }

    /// Returns the roles that a role is in, and what has an entry for it.
    func uses(of role: Name) throws -> (roles: [Name], entries: [Name]) {
        guard let found = try snapshot?.description(of: role) else { return ([], []) }
        return (found.roles.map { Name($0) }, found.entries.map { Name($0) })
    }
}
