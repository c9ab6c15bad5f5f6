public import Muniment
public import Permissions

/// Roles and their permissions at three levels, used by one caller. For stores that add up the privileges of a user's roles.
///
/// ```swift
/// let roles = Roles(store, as: "user:root")
/// try await roles.create("role:editors", members: ["user:ann"])
/// try await roles.change("role:editors", at: .class("Person"), allow: [.read, .query, .update])
/// let mayEdit = try Roles(store, as: "user:ann").privileges(at: .object("Person:1")).contains(.update)
/// ```
///
/// Every change is a transaction of the caller, which the store allows or refuses. Each user is also a role: as a role, `user:ann`
/// means only Ann, and `everyone` means all signed-in users (CONFORMANCE R1, R2).
public struct Roles: Sendable {
    public let store: Store
    /// The caller of all queries and changes.
    public let caller: Name

    /// Creates a view of a store for one caller. Constant time.
    ///
    /// - Parameters:
    ///   - store: open for reading, or for writing to make changes.
    ///   - caller: a user, a thing or `anonymous`.
    public init(_ store: Store, as caller: Name) {
        self.store = store
        self.caller = caller
    }

    func commit(_ changes: [Change]) async throws -> Receipt { try await store.commit(Transaction(caller, changes)) }

    /// Creates a role, optionally with members, in one transaction.
    ///
    /// - Parameters:
    ///   - role: a name that no role has yet.
    ///   - members: users, things, roles or `everyone`; each must exist.
    /// - Throws: `Refusal`: `noPrivilege` without create on the class of roles, `alreadyExists`, `unknownPrincipal`.
    @discardableResult
    public func create(_ role: Name, members: [Name] = []) async throws -> Receipt {
        try await commit([.createRole(role)] + members.map { .addMember($0, to: role) })
    }

    /// Deletes a role with its memberships, its entries and the permissions made for it.
    ///
    /// - Parameter role: an existing role.
    /// - Throws: `Refusal`: `unknownObject`, or `noPrivilege` without delete on the role.
    @discardableResult
    public func delete(_ role: Name) async throws -> Receipt { try await commit([.deleteRole(role)]) }

    /// Adds members to a role, all or none. Existing members remain.
    ///
    /// - Parameters:
    ///   - members: users, things, roles or `everyone`; each must exist.
    ///   - role: an existing role.
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` without update on the role, `unknownPrincipal`, `cycle`.
    @discardableResult
    public func add(_ members: Name..., to role: Name) async throws -> Receipt {
        try await commit(members.map { .addMember($0, to: role) })
    }

    /// Removes members from a role, all or none. Ignores subjects that are not members.
    ///
    /// - Parameters:
    ///   - members: users, things, roles or `everyone`; each must exist.
    ///   - role: an existing role.
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` without update on the role, `unknownPrincipal`.
    @discardableResult
    public func remove(_ members: Name..., from role: Name) async throws -> Receipt {
        try await commit(members.map { .removeMember($0, from: role) })
    }
}
