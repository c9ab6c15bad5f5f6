internal import Muniment

/// The actions that an entry on an object allows (CONFORMANCE K1).
public struct ObjectActions: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading the object.
    public static let read = ObjectActions(rawValue: 1)
    /// Updating and deleting the object.
    public static let write = ObjectActions(rawValue: 2)

    public var description: String { "\(contains(.read) ? "r" : "-")\(contains(.write) ? "w" : "-")" }

    /// The privileges of each action, sorted.
    static let privileges: [(action: ObjectActions, names: [String])] = [(.read, ["read"]), (.write, ["delete", "update"])]
}

/// The actions that an entry on a bucket, which is a class of objects, allows.
public struct BucketActions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creating objects in the bucket.
    public static let createObjects = BucketActions(rawValue: 1)
    /// Listing those of its objects that the subject may read.
    public static let queryObjects = BucketActions(rawValue: 2)
    /// Reading every object of the bucket, whatever the object's own entries say (CONFORMANCE K3).
    public static let readObjects = BucketActions(rawValue: 4)

    /// The privileges of each action.
    static let privileges: [(action: BucketActions, names: [String])] = [
        (.createObjects, ["create"]), (.queryObjects, ["query"]), (.readObjects, ["read"]),
    ]

    /// All privileges of these actions.
    var names: [String] { BucketActions.privileges.filter { contains($0.action) }.flatMap(\.names) }
}
