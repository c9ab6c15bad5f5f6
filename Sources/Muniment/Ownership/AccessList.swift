public import Permissions

extension Ownership {
    /// The access list of an object or a group: who may do what to it.
    public struct AccessList: Sendable {
        public let object: Name
        let ownership: Ownership

        /// One subject and what the list gives it.
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

        /// Every line: the owner's first, then the one of `everyone`, who have nothing at first, then the others, sorted
        /// (CONFORMANCE G1). Whoever may read the object may know them.
        ///
        /// - Throws: `Refusal`: `unknownObject` or `noPrivilege`; ``StoreError``.
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

        /// Gives a user or a group permissions beside those that it has, which needs write-ACL (CONFORMANCE G5). Nobody gives what
        /// they do not have.
        ///
        /// - Parameters:
        ///   - subject: a user, a thing, a group or `everyone`.
        ///   - permissions: any combination.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject`, `noPrivilege` or `aboveOwnLevel`; ``StoreError`` or `LogError`.
        @discardableResult
        public func add(_ subject: Name, _ permissions: Permissions) async throws -> Receipt {
            try await ownership.submit([.grant(subject, on: object, permissions.privilegeNames)])
        }

        /// Takes permissions from a user or a group, which needs write-ACL. Nothing of it is beyond reach: the owner's line can be
        /// taken away like any other.
        ///
        /// - Parameters:
        ///   - subject: whose line it is.
        ///   - permissions: those to take; all that it has where nothing is said.
        /// - Throws: `Refusal`: `unknownPrincipal`, `unknownObject` or `noPrivilege`; ``StoreError`` or `LogError`.
        @discardableResult
        public func remove(_ subject: Name, _ permissions: Permissions = .all) async throws -> Receipt {
            let names = permissions == .all ? nil : permissions.privilegeNames
            return try await ownership.submit([.revoke(subject, on: object, names)])
        }
    }
}

extension Ownership.AccessList.Line {
    /// The owner, `everyone`, and the others.
    fileprivate var order: (Int, Name) { (isOwner ? 0 : subject == .everyone ? 1 : 2, subject) }
}
