public import Muniment
public import Permissions

extension Ownership {
    /// The access list of an object or a group: the permissions of each subject.
    public struct AccessList: Sendable {
        public let object: Name
        let ownership: Ownership

        /// One subject and its permissions.
        public struct Line: Hashable, Sendable {
            /// A user, a thing, a group or `everyone`.
            public let subject: Name
            /// Whether the subject owns the object.
            public let isOwner: Bool
            public let permissions: Permissions

            public init(subject: Name, isOwner: Bool, permissions: Permissions) {
                self.subject = subject
                self.isOwner = isOwner
                self.permissions = permissions
            }
        }

        /// Returns every line: the owner's first, then that of `everyone`, which has no permissions at first, then the others,
        /// sorted (CONFORMANCE G1). Requires read on the object.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``Muniment/StoreError``.
        public func lines() throws -> [Line] {
            try ownership.ask(about: object, needing: "read") { snapshot in
                let owner = try snapshot.owner(of: object)
                var names: [Name: Set<String>] = [.everyone: []]
                if let owner { names[owner] = [] }
                for entry in try snapshot.entries(on: object) {
                    names[Name(entry.subject), default: []].formUnion(entry.privileges)
                }
                return names.map {
                    Line(subject: $0.key, isOwner: $0.key == owner, permissions: Permissions(privilegeNames: $0.value))
                }.sorted { $0.order < $1.order }
            }
        }

        /// Adds permissions to those of a user or a group. Requires write-ACL (CONFORMANCE G5). A caller can only give permissions
        /// that it has.
        ///
        /// - Parameters:
        ///   - subject: a user, a thing, a group or `everyone`.
        ///   - permissions: any combination.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject`, `noPrivilege` or `aboveOwnLevel`; ``Muniment/StoreError`` or
        ///   `LogError`.
        @discardableResult
        public func add(_ subject: Name, _ permissions: Permissions) async throws -> Receipt {
            try await ownership.submit([.grant(subject, on: object, permissions.privilegeNames)])
        }

        /// Removes permissions from a user or a group. Requires write-ACL. Every line can be removed, including the owner's.
        ///
        /// - Parameters:
        ///   - subject: the subject of the line.
        ///   - permissions: the permissions to remove; all by default.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject` or `noPrivilege`; ``Muniment/StoreError`` or `LogError`.
        @discardableResult
        public func remove(_ subject: Name, _ permissions: Permissions = .all) async throws -> Receipt {
            let names = permissions == .all ? nil : permissions.privilegeNames
            return try await ownership.submit([.revoke(subject, on: object, names)])
        }
    }
}

extension Ownership.AccessList.Line {
    /// The sort key: the owner, `everyone`, then the others.
    fileprivate var order: (Int, Name) { (isOwner ? 0 : subject == .everyone ? 1 : 2, subject) }
}
