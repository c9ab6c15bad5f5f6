internal import Foundation
public import Muniment
public import Permissions

extension Ownership {
    /// Creates a group of users, things and other groups, owned by this user.
    ///
    /// - Parameters:
    ///   - members: the initial members.
    ///   - id: the group's id, at most 512 bytes; a new UUID by default.
    /// - Throws: `Refusal`: `alreadyExists`, `unknownPrincipal` for a member that the store does not know, `noPrivilege`,
    ///   `malformed` for `anonymous` as a member; ``Muniment/StoreError`` or `LogError`.
    @discardableResult
    public func createGroup(of members: [Name] = [], id: String? = nil) async throws -> Group {
        let group = Group(name: .role(id ?? UUID().uuidString.lowercased()), ownership: self)
        try await submit([.createRole(group.name)] + members.map { .addMember($0, to: group.name) })
        return group
    }

    /// Returns a group for this user to work with, whether or not it exists.
    public func group(_ name: Name) -> Group { Group(name: name, ownership: self) }

    /// A group. It can be a subject like a user, and has an access list like an object (CONFORMANCE G6, G7).
    public struct Group: Sendable {
        /// The name to use as a subject: `role:` and the id.
        public let name: Name
        let ownership: Ownership

        /// The access list, which says who may read the group, change its members, delete it, and change this list.
        public var acl: AccessList { AccessList(object: name, ownership: ownership) }

        /// Returns the direct members, sorted, without members of groups inside the group. Requires read.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``Muniment/StoreError``.
        public func members() throws -> [Name] {
            try ownership.ask(about: name, needing: "read") { try $0.members(of: name).map { Name($0) } }
        }

        /// The creator of the group, its permanent owner. Requires read.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``Muniment/StoreError``.
        public var owner: Name? {
            get throws { try ownership.ask(about: name, needing: "read") { try $0.owner(of: name) } }
        }

        /// Adds a member to the group. Requires write.
        ///
        /// - Parameter member: a user, a thing, a group, or `everyone`.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject`, `noPrivilege`, or `cycle` for a group that contains this one
        ///   or everyone; ``Muniment/StoreError`` or `LogError`.
        @discardableResult
        public func add(_ member: Name) async throws -> Receipt { try await ownership.submit([.addMember(member, to: name)]) }

        /// Removes a member from the group. Requires write.
        ///
        /// - Parameter member: a direct member.
        /// - Throws: `Refusal`: `notThere`, `unknownPrincipal`, `unknownObject` or `noPrivilege`; ``Muniment/StoreError`` or `LogError`.
        @discardableResult
        public func remove(_ member: Name) async throws -> Receipt {
            try await ownership.submit([.removeMember(member, from: name, strict: true)])
        }

        /// Deletes the group and everything it was given. Requires write.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``Muniment/StoreError`` or `LogError`.
        @discardableResult
        public func delete() async throws -> Receipt { try await ownership.submit([.deleteRole(name)]) }
    }
}
