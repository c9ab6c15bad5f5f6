public import Events
public import Permissions

extension Ownership {
    /// An object with an owner and an access list, as one user works with it.
    public struct Object: Sendable {
        public let name: Name
        let ownership: Ownership

        /// The access list.
        public var acl: AccessList { AccessList(object: name, ownership: ownership) }

        /// The value, which needs read.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``StoreError``.
        public func fetch() throws -> JSONValue { try ownership.store.read { try $0.value(of: name, as: ownership.user) } }

        /// Replaces the value, which needs write.
        ///
        /// - Parameter value: at most 1 MiB as JSON.
        /// - Throws: `Refusal`: `unknownObject`, `noPrivilege`, `malformed` or `tooLarge`; ``StoreError`` or `LogError`.
        @discardableResult
        public func write(_ value: JSONValue) async throws -> Receipt {
            try await ownership.submit([.writeObject(name, .value(value))])
        }

        /// Deletes the object, which needs write.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``StoreError`` or `LogError`.
        @discardableResult
        public func delete() async throws -> Receipt { try await ownership.submit([.deleteObject(name)]) }

        /// Who owns the object, which whoever may read it may know.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``StoreError``.
        public var owner: Name? {
            get throws { try ownership.ask(about: name, needing: "read") { try $0.owner(of: name) } }
        }

        /// Gives the object to another owner, which needs write-owner (CONFORMANCE G5).
        ///
        /// The new owner gets what the owner of a new object has. The one before keeps what the access list says: to take that away
        /// too, remove them from it.
        ///
        /// - Parameter owner: a user, a thing, a group or `everyone`.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject` or `noPrivilege`; ``StoreError`` or `LogError`.
        @discardableResult
        public func changeOwner(to owner: Name) async throws -> Receipt {
            try await ownership.submit([.setOwner(name, owner: owner)])
        }
    }
}
