public import Events
public import Permissions
internal import Projections

/// From a prototype to a product.
extension Roles {
    /// What `everyone` needs so that users can ask for their own privileges: read on the store and on the classes of the
    /// permission system (CONFORMANCE R14).
    public static let metadata: [PermissionLevel: Privileges] = [
        .store: .read, .class("store"): .read, .class("class"): .read, .class("role"): .read, .class("permission"): .read,
        .class("user"): .read, .class("thing"): .read,
    ]

    /// The role that takes over what `everyone` had, unless another name is given.
    public static let lockDownRole: Name = "role:administrators"

    /// Locks an open store down, in one transaction: a new role gets everything at the store and class levels, with the caller and
    /// whom else you name as its members, and `everyone` keeps only what you say (CONFORMANCE R3).
    ///
    /// The members of the role are no administrators: objects with access lists of their own give them nothing by that, unless
    /// their class widens, and whoever may set permissions can narrow them. A class defined afterwards, or meanwhile, begins open
    /// at its own level, as every class of an open store; what `everyone` keeps at the store level limits it all the same.
    /// Entries of other subjects than `everyone` stay as they are.
    ///
    /// - Parameters:
    ///   - role: a name that no role has yet.
    ///   - members: who belongs to it beside the caller; each must exist.
    ///   - kept: what `everyone` has afterwards at the levels named here, which replaces what ``metadata`` says for them; on
    ///     every other level, nothing. What it keeps below the store it must keep at the store, too.
    /// - Throws: `Refusal`: `alreadyExists` where the role is there (a store is locked down once), `noPrivilege` and
    ///   `aboveOwnLevel` where the caller does not have everything itself, `unknownPrincipal`, `unknownObject` for a level that
    ///   is not there. Linear in the number of classes.
    @discardableResult
    public func lockDown(
        to role: Name = Roles.lockDownRole, members: [Name] = [], everyoneKeeps kept: [PermissionLevel: Privileges] = [:]
    ) async throws -> Receipt {
        try await commit(try lockDownChanges(to: role, members: members, everyoneKeeps: kept))
    }

    /// The changes of ``lockDown(to:members:everyoneKeeps:)``, for a caller that commits them itself. Linear in the number of classes.
    package func lockDownChanges(
        to role: Name = Roles.lockDownRole, members: [Name] = [], everyoneKeeps kept: [PermissionLevel: Privileges] = [:]
    ) throws -> [Change] {
        let keeps = Roles.metadata.merging(kept) { $1 }
        var changes: [Change] = [.createRole(role)] + ([caller] + members).map { .addMember($0, to: role) }
        let (levels, custom) = try store.read { try ($0.upperLevels(), $0.names($0.customPrivileges())) }
        if !custom.isEmpty {
            // What the store and classes do not know cannot be given there.
            for name in ["store", "class"] { changes.append(.changeClass(name, ClassSettings(privileges: custom))) }
        }
        for level in levels { changes.append(.grant(role, on: level.name, level.privileges)) }
        // The role has everything by now, so that its members, the caller among them, can take the rest away.
        for name in Set(levels.map(\.name)).union(keeps.keys.map(\.name)).sorted() {
            let rest = keeps.first { $0.key.name == name }?.value ?? []
            changes.append(.setAccess(.everyone, on: name, try names(of: rest)))
        }
        return changes
    }
}

extension Snapshot {
    /// Every custom privilege that some class knows.
    fileprivate func customPrivileges() throws -> Privileges {
        try classes().reduce(into: []) { $0.formUnion(try reader.options(of: $1)?.privileges ?? []) }
    }

    private func classes() throws -> [ClassID] { ClassID.builtIn.map(\.id) + (try reader.definedClasses()) }

    /// The store and every class, with all privileges that can be given there once the store and classes know the custom ones.
    fileprivate func upperLevels() throws -> [(name: Name, privileges: [String])] {
        let everything = names(try customPrivileges().union(.builtIn))
        return try [(name: .store, privileges: everything)]
            + classes().map { classID in
                let known = try reader.options(of: classID)?.known ?? .builtIn
                let isUpper = classID == .store || classID == .class
                return (name: Name(try reader.name(of: classID)), privileges: isUpper ? everything : names(known))
            }
    }
}
