public import Events
public import Muniment
internal import Permissions

extension Ownership {
    /// An object with an owner and an access list, used by one user.
    public struct Object: Sendable {
        public let name: Name
        let ownership: Ownership

        /// The access list.
        public var acl: AccessList { AccessList(object: name, ownership: ownership) }

        /// Returns the value. Requires read.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``Muniment/StoreError``.
        public func fetch() throws -> JSONValue { try ownership.store.read { try $0.value(of: name, as: ownership.user) } }

        /// Replaces the value. Requires write.
        ///
        /// - Parameter value: at most 1 MiB as JSON.
        /// - Throws: `Refusal`: `unknownObject`, `noPrivilege`, `malformed` or `tooLarge`; ``Muniment/StoreError`` or `LogError`.
        @discardableResult
        public func write(_ value: JSONValue) async throws -> Receipt {
            try await ownership.submit([.writeObject(name, .value(value))])
        }

        /// Deletes the object. Requires write.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``Muniment/StoreError`` or `LogError`.
        @discardableResult
        public func delete() async throws -> Receipt { try await ownership.submit([.deleteObject(name)]) }

        /// The owner of the object. Requires read.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``Muniment/StoreError``.
        public var owner: Name? {
            get throws { try ownership.ask(about: name, needing: "read") { try $0.owner(of: name) } }
        }

        /// Gives the object to another owner. Requires write-owner (CONFORMANCE G5).
        ///
        /// The new owner gets the permissions of a new object's owner. The previous owner keeps its permissions in the access list,
        /// until they are removed from it.
        ///
        /// - Parameter owner: a user, a thing, a group or `everyone`.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject` or `noPrivilege`; ``Muniment/StoreError`` or `LogError`.
        @discardableResult
        public func changeOwner(to owner: Name) async throws -> Receipt {
            try await ownership.submit([.setOwner(name, owner: owner)])
        }
    }
}
