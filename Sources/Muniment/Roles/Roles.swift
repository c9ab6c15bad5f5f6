public import Permissions

/// Roles and the permissions of roles at three levels, as one caller: the way of working of a store whose privileges are the sum
/// over a user's roles.
///
/// ```swift
/// let roles = Roles(store, as: "user:root")
/// try await roles.create("role:editors", members: ["user:ann"])
/// try await roles.change("role:editors", at: .class("Person"), allow: [.read, .query, .update])
/// let mayEdit = try Roles(store, as: "user:ann").privileges(at: .object("Person:1")).contains(.update)
/// ```
///
/// Every change is a transaction of the caller's, which the store allows or refuses. A user is a role of its own: wherever a role
/// is named, `user:ann` stands for Ann alone, and `everyone` for all who are signed in (CONFORMANCE R1, R2).
public struct Roles: Sendable {
    public let store: Store
    /// Who asks and changes.
    public let caller: Name

    /// Takes a store as one caller sees it. Constant.
    ///
    /// - Parameters:
    ///   - store: open for reading, or for writing where changes are wanted.
    ///   - caller: a user, a thing or `anonymous`.
    public init(_ store: Store, as caller: Name) {
        self.store = store
        self.caller = caller
    }

    func commit(_ changes: [Change]) async throws -> Receipt { try await store.commit(Transaction(caller, changes)) }

    /// Makes a role, with members where some are named, in one transaction.
    ///
    /// - Parameters:
    ///   - role: a name that no role has yet.
    ///   - members: users, things, roles or `everyone`; each must exist.
    /// - Throws: `Refusal`: `noPrivilege` without create on the class of roles, `alreadyExists`, `unknownPrincipal`.
    @discardableResult
    public func create(_ role: Name, members: [Name] = []) async throws -> Receipt {
        try await commit([.createRole(role)] + members.map { .addMember($0, to: role) })
    }

    /// Ends a role with its memberships, its entries and the permissions made for it.
    ///
    /// - Parameter role: a role that is there.
    /// - Throws: `Refusal`: `unknownObject`, or `noPrivilege` without delete on the role.
    @discardableResult
    public func delete(_ role: Name) async throws -> Receipt { try await commit([.deleteRole(role)]) }

    /// Puts members into a role, all or none. Who is a member already stays one.
    ///
    /// - Parameters:
    ///   - members: users, things, roles or `everyone`; each must exist.
    ///   - role: a role that is there.
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` without update on the role, `unknownPrincipal`, `cycle`.
    @discardableResult
    public func add(_ members: Name..., to role: Name) async throws -> Receipt {
        try await commit(members.map { .addMember($0, to: role) })
    }

    /// Takes members out of a role, all or none. Who is no member stays none.
    ///
    /// - Parameters:
    ///   - members: users, things, roles or `everyone`; each must exist.
    ///   - role: a role that is there.
    /// - Throws: `Refusal`: `unknownObject`, `noPrivilege` without update on the role, `unknownPrincipal`.
    @discardableResult
    public func remove(_ members: Name..., from role: Name) async throws -> Receipt {
        try await commit(members.map { .removeMember($0, from: role) })
    }
}
