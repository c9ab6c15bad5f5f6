internal import Foundation
public import Permissions

extension Ownership {
    /// Makes a group of users, things and other groups, which this user owns.
    ///
    /// - Parameters:
    ///   - members: who is in it at first.
    ///   - id: what it is called, at most 512 bytes; a new UUID where nothing is said.
    /// - Throws: `Refusal`: `alreadyExists`, `unknownPrincipal` for a member that the store does not know, `noPrivilege`, `malformed`
    ///   for `anonymous` as a member; ``StoreError`` or `LogError`.
    @discardableResult
    public func createGroup(of members: [Name] = [], id: String? = nil) async throws -> Group {
        let group = Group(name: .role(id ?? UUID().uuidString.lowercased()), ownership: self)
        try await submit([.createRole(group.name)] + members.map { .addMember($0, to: group.name) })
        return group
    }

    /// A group that this user works with, there or not.
    public func group(_ name: Name) -> Group { Group(name: name, ownership: self) }

    /// A group: a subject like a user, wherever one is named, with an access list like an object's (CONFORMANCE G6, G7).
    public struct Group: Sendable {
        /// The name to use as a subject: `role:` and the id.
        public let name: Name
        let ownership: Ownership

        /// Who may read the group, change its members or delete it, and change this list.
        public var acl: AccessList { AccessList(object: name, ownership: ownership) }

        /// Who is in the group itself, sorted; who is in a group within it is not listed. Needs read.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``StoreError``.
        public func members() throws -> [Name] {
            try ownership.ask(about: name, needing: "read") { try $0.members(of: name).map { Name($0) } }
        }

        /// Who made the group and owns it for good. Needs read.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``StoreError``.
        public var owner: Name? {
            get throws { try ownership.ask(about: name, needing: "read") { try $0.owner(of: name) } }
        }

        /// Puts somebody into the group, which needs write.
        ///
        /// - Parameter member: a user, a thing, a group, or `everyone`.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject`, `noPrivilege`, or `cycle` for a group that holds this one or
        ///   everyone; ``StoreError`` or `LogError`.
        @discardableResult
        public func add(_ member: Name) async throws -> Receipt { try await ownership.submit([.addMember(member, to: name)]) }

        /// Takes somebody out of the group, which needs write.
        ///
        /// - Parameter member: one who is in the group itself.
        /// - Throws: `Refusal`: `notThere`, `unknownPrincipal`, `unknownObject` or `noPrivilege`; ``StoreError`` or `LogError`.
        @discardableResult
        public func remove(_ member: Name) async throws -> Receipt {
            try await ownership.submit([.removeMember(member, from: name, strict: true)])
        }

        /// Deletes the group, which needs write. What it was given ends with it.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``StoreError`` or `LogError`.
        @discardableResult
        public func delete() async throws -> Receipt { try await ownership.submit([.deleteRole(name)]) }
    }
}
