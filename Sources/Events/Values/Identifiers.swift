/// A number that stands for a name for as long as the store exists.
///
/// One numbering serves every kind of thing a store can name: a user is a principal and an object under the same number. The
/// types below keep the roles apart in signatures; ``init(_:)`` crosses from one to another where the same thing plays both.
public protocol EntityID: Hashable, Comparable, Sendable, CustomStringConvertible {
    var rawValue: UInt64 { get }
    init(rawValue: UInt64)
}

extension EntityID {
    /// The same thing, seen in another role.
    @inlinable public init(_ other: some EntityID) { self.init(rawValue: other.rawValue) }
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { "#\(rawValue)" }
}

/// Whoever can act or be granted: a user, a thing, a role, `everyone`, `anonymous`, or the store itself.
@frozen public struct PrincipalID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The store itself, which acts when access ends at its time.
    public static let system = PrincipalID(rawValue: 0)
    /// Any authenticated caller.
    public static let everyone = PrincipalID(rawValue: 1)
    /// Any caller at all.
    public static let anonymous = PrincipalID(rawValue: 2)
}

/// Anything that permissions protect, built-in classes, roles, users and the store included.
@frozen public struct ObjectID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The store's own object: its entries are the store level.
    public static let store = ObjectID(rawValue: 0)
}

/// A class of objects. Its number is that of the object `class:NAME`, whose entries are the class level.
@frozen public struct ClassID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let `class` = ClassID(rawValue: 3)
    public static let role = ClassID(rawValue: 4)
    public static let user = ClassID(rawValue: 5)
    public static let thing = ClassID(rawValue: 6)
    public static let permission = ClassID(rawValue: 7)
    public static let store = ClassID(rawValue: 8)

    /// The classes that every store has from the start, by name.
    public static let builtIn: [(name: String, id: ClassID)] = [
        ("class", .class), ("role", .role), ("user", .user), ("thing", .thing), ("permission", .permission), ("store", .store),
    ]

    @inlinable public var isBuiltIn: Bool { rawValue >= 3 && rawValue <= 8 }
}

/// A set of privileges for one subject that can stand in the access lists of several objects at once.
@frozen public struct PermissionID: EntityID {
    public let rawValue: UInt64
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The numbers that are not given out by order of appearance.
public enum ReservedID {
    /// The first number for a name that the history itself introduces.
    public static let firstFree: UInt64 = 16
    /// The largest number that can be given out: the indexes keep 40 bits.
    public static let limit: UInt64 = (1 << 40) - 1
    /// The names under the reserved numbers.
    public static let names: [(id: UInt64, name: String)] =
        [(0, "store"), (1, "everyone"), (2, "anonymous")] + ClassID.builtIn.map { ($0.id.rawValue, "class:" + $0.name) }
}
