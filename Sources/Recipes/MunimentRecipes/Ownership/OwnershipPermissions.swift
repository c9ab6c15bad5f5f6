internal import Muniment

extension Ownership {
    /// The permissions of a line of an access list: any combination of five (CONFORMANCE G4).
    public struct Permissions: OptionSet, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// To find an object in listings.
        public static let query = Permissions(rawValue: 1 << 0)
        /// To read an object.
        public static let read = Permissions(rawValue: 1 << 1)
        /// To change and to delete an object; to add members to a group and to remove them.
        public static let write = Permissions(rawValue: 1 << 2)
        /// To change the access list.
        public static let writeACL = Permissions(rawValue: 1 << 3)
        /// To give the object to another owner.
        public static let writeOwner = Permissions(rawValue: 1 << 4)

        /// The initial permissions of an owner.
        public static let all: Permissions = [.query, .read, .write, .writeACL, .writeOwner]

        private static let table: [(permission: Permissions, name: String, privileges: [String])] = [
            (.query, "query", ["query"]), (.read, "read", ["read"]), (.write, "write", ["update", "delete"]),
            (.writeACL, "writeACL", ["setPermissions"]), (.writeOwner, "writeOwner", ["setOwner"]),
        ]

        /// The names of the privileges of these permissions.
        public var privilegeNames: [String] { Permissions.table.filter { contains($0.permission) }.flatMap(\.privileges) }

        /// Creates the set of permissions that are completely covered by the named privileges.
        public init(privilegeNames: some Sequence<String>) {
            let names = Set(privilegeNames)
            self = Permissions.table.reduce(into: []) { found, row in
                if names.isSuperset(of: row.privileges) { found.insert(row.permission) }
            }
        }

        public var description: String { Permissions.table.filter { contains($0.permission) }.map(\.name).joined(separator: " | ") }
    }
}
