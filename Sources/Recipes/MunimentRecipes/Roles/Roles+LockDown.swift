public import Events
public import Muniment
package import Permissions
internal import Projections

/// Locks down an open store before production.
extension Roles {
    /// The privileges that `everyone` needs so that users can query their own privileges: read on the store and on the classes of
    /// the permission system (CONFORMANCE R14).
    public static let metadata: [PermissionLevel: Privileges] = [
        .store: .read, .class("store"): .read, .class("class"): .read, .class("role"): .read, .class("permission"): .read,
        .class("user"): .read, .class("thing"): .read,
    ]

    /// The default name of the role that receives the privileges of `everyone`.
    public static let lockDownRole: Name = "role:administrators"

    /// Locks an open store down, in one transaction. A new role gets every privilege at the store and class levels. Its members are
    /// the caller and `members`. `everyone` keeps only the given privileges (CONFORMANCE R3).
    ///
    /// The members of the role are not administrators. The role gives them nothing on objects with access lists, unless the class
    /// widens access, and callers that may set permissions can restrict them. A class that is defined later, or concurrently, is
    /// open at its own level, like every class of an open store; the store level still limits it. Entries of subjects other than
    /// `everyone` do not change.
    ///
    /// - Parameters:
    ///   - role: a name that no role has yet.
    ///   - members: the members besides the caller; each must exist.
    ///   - kept: the privileges that `everyone` keeps at the given levels. They replace those of ``metadata`` for that level, which
    ///     `everyone` keeps if it has them. At all other levels `everyone` keeps nothing. Privileges kept below the store must also
    ///     be kept at the store.
    /// - Throws: `Refusal`: `notThere` if the store is not open, so that `everyone` may not set permissions at the store;
    ///   `alreadyExists` if the role exists; `noPrivilege` and `aboveOwnLevel` if the caller does not have every privilege itself;
    ///   `unknownPrincipal`; `unknownObject` for a level that does not exist. Linear in the number of classes.
    @discardableResult
    public func lockDown(
        to role: Name = Roles.lockDownRole, members: [Name] = [], everyoneKeeps kept: [PermissionLevel: Privileges] = [:]
    ) async throws -> Receipt {
        try await commit(try lockDownChanges(to: role, members: members, everyoneKeeps: kept))
    }

    /// Returns the changes of ``lockDown(to:members:everyoneKeeps:)``, to commit separately. Linear in the number of classes.
    package func lockDownChanges(
        to role: Name = Roles.lockDownRole, members: [Name] = [], everyoneKeeps kept: [PermissionLevel: Privileges] = [:]
    ) throws -> [Change] {
        var changes: [Change] = [.createRole(role)] + ([caller] + members).map { .addMember($0, to: role) }
        let (levels, custom, metadata) = try store.read { snapshot in
            // A repeated request with its idempotency key finds the role, and gets its receipt.
            guard try snapshot.isOpenToEveryone || snapshot.reader.object(role) != nil else {
                throw Refusal(.notThere, "the store is not open: `everyone` may not set permissions on `store`")
            }
            let metadata = try Roles.metadata.filter { try snapshot.everyoneMayRead(at: $0.key) }
            return try (snapshot.upperLevels(), snapshot.names(snapshot.customPrivileges()), metadata)
        }
        let keeps = metadata.merging(kept) { $1 }
        if !custom.isEmpty {
            // A privilege must be known to the store and the classes before it can be given there.
            for name in ["store", "class"] { changes.append(.changeClass(name, ClassSettings(privileges: custom))) }
        }
        for level in levels { changes.append(.grant(role, on: level.name, level.privileges)) }
        // The role has every privilege now, so that its members, including the caller, can remove the other entries.
        for name in Set(levels.map(\.name)).union(keeps.keys.map(\.name)).sorted() {
            let rest = keeps.first { $0.key.name == name }?.value ?? []
            changes.append(.setAccess(.everyone, on: name, try names(of: rest)))
        }
        return changes
    }
}

extension Snapshot {
    /// Whether `everyone` has an entry with `read` at a level. Without one, it keeps nothing there: locking gives nobody access.
    fileprivate func everyoneMayRead(at level: PermissionLevel) throws -> Bool {
        try entries(on: level.name).contains { $0.subject == Name.everyone.text && $0.privileges.contains("read") }
    }

    /// Returns every custom privilege that a class knows.
    fileprivate func customPrivileges() throws -> Privileges {
        try classes().reduce(into: []) { $0.formUnion(try reader.options(of: $1)?.privileges ?? []) }
    }

    private func classes() throws -> [ClassID] { ClassID.builtIn.map(\.id) + (try reader.definedClasses()) }

    /// Returns the store and every class, with all privileges that can be given there after the store and classes know the custom
    /// ones.
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
