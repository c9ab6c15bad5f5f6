/// A number that identifies a name for as long as the store exists.
///
/// All kinds of entities share one numbering: a user is a principal and an object under the same number. The types below separate
/// the kinds in signatures; ``init(_:)`` converts between them if the same entity has both kinds.
public protocol EntityID: Hashable, Comparable, Sendable, CustomStringConvertible {
    var rawValue: UInt64 { get }
    init(rawValue: UInt64)
}

extension EntityID {
    /// Converts the id of the same entity to another kind.
    @inlinable public init(_ other: some EntityID) { self.init(rawValue: other.rawValue) }
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { "#\(rawValue)" }
}

/// An entity that can act or receive access: a user, a thing, a role, `everyone`, `anonymous`, or the store itself.
@frozen public struct PrincipalID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The store itself, which is the actor of expiry events.
    public static let system = PrincipalID(rawValue: 0)
    /// Any authenticated caller.
    public static let everyone = PrincipalID(rawValue: 1)
    /// Any caller, authenticated or not.
    public static let anonymous = PrincipalID(rawValue: 2)
}

/// Anything that permissions protect, including built-in classes, roles, users and the store.
@frozen public struct ObjectID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The store's object: its entries are the store level.
    public static let store = ObjectID(rawValue: 0)
}

/// A class of objects. Its number is that of the object `class:NAME`, and the entries of that object are the class level.
@frozen public struct ClassID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let `class` = ClassID(rawValue: 3)
    public static let role = ClassID(rawValue: 4)
    public static let user = ClassID(rawValue: 5)
    public static let thing = ClassID(rawValue: 6)
    public static let permission = ClassID(rawValue: 7)
    public static let store = ClassID(rawValue: 8)

    /// The classes that every store contains from the start, by name.
    public static let builtIn: [(name: String, id: ClassID)] = [
        ("class", .class), ("role", .role), ("user", .user), ("thing", .thing), ("permission", .permission), ("store", .store),
    ]

    @inlinable public var isBuiltIn: Bool { rawValue >= 3 && rawValue <= 8 }
}

/// A set of privileges for one subject that can be attached to several objects.
@frozen public struct PermissionID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The numbers that are not assigned by order of appearance.
public enum ReservedID {
    /// The first number for a name that the history introduces.
    public static let firstFree: UInt64 = 16
    /// The largest number that can be assigned: the indexes keep 40 bits.
    public static let limit: UInt64 = (1 << 40) - 1
    /// The names of the reserved numbers.
    public static let names: [(id: UInt64, name: String)] =
        [(0, "store"), (1, "everyone"), (2, "anonymous")] + ClassID.builtIn.map { ($0.id.rawValue, "class:" + $0.name) }
}
