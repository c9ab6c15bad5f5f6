/// A set of privileges: the eight built-in ones and up to 24 that a store defines by name.
@frozen public struct Privileges: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let create = Privileges(rawValue: 1 << 0)
    public static let read = Privileges(rawValue: 1 << 1)
    public static let update = Privileges(rawValue: 1 << 2)
    public static let delete = Privileges(rawValue: 1 << 3)
    public static let query = Privileges(rawValue: 1 << 4)
    public static let setPermissions = Privileges(rawValue: 1 << 5)
    public static let setOwner = Privileges(rawValue: 1 << 6)
    public static let modifySchema = Privileges(rawValue: 1 << 7)

    /// The eight that every class supports.
    public static let builtIn = Privileges(rawValue: 0xFF)
    /// Every privilege, including those defined later.
    public static let all = Privileges(rawValue: .max)
    /// The number of privileges that a store can define by name.
    public static let customLimit = 24

    /// The names of the built-in privileges, in bit order.
    public static let builtInNames = [
        "create", "read", "update", "delete", "query", "setPermissions", "setOwner", "modifySchema",
    ]

    /// Returns the custom privilege with this index among a store's custom ones (`0 ..< 24`).
    @inlinable public static func custom(_ index: Int) -> Privileges { Privileges(rawValue: 1 << UInt32(8 + index)) }
}

/// The names of a store's privileges: the built-in ones and the custom ones in order of definition.
public struct PrivilegeNames: Hashable, Sendable {
    public private(set) var custom: [String]

    public init(custom: [String] = []) { self.custom = custom }

    /// Returns the privilege of this name, or nil if the store does not define it. Linear in the number of privileges, at most
    /// 32.
    public func privilege(_ name: String) -> Privileges? {
        if let bit = Privileges.builtInNames.firstIndex(of: name) { return Privileges(rawValue: 1 << UInt32(bit)) }
        // Byte for byte, like all names.
        return custom.firstIndex { $0 == name && $0.utf8.elementsEqual(name.utf8) }.map(Privileges.custom)
    }

    /// Assigns the next free bit to a new custom privilege; returns nil if all 24 are taken.
    public mutating func define(_ name: String) -> Privileges? {
        guard custom.count < Privileges.customLimit else { return nil }
        custom.append(name)
        return Privileges.custom(custom.count - 1)
    }

    /// Returns the names in a set, sorted by their UTF-8 bytes. Bits without a name are left out.
    public func names(of privileges: Privileges) -> [String] {
        var names: [String] = []
        for (bit, name) in Privileges.builtInNames.enumerated() where privileges.rawValue & (1 << UInt32(bit)) != 0 {
            names.append(name)
        }
        for (index, name) in custom.enumerated() where privileges.contains(.custom(index)) { names.append(name) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
