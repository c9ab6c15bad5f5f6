/// What an entry on an object lets somebody do (CONFORMANCE K1).
public struct ObjectActions: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading the object.
    public static let read = ObjectActions(rawValue: 1)
    /// Writing it: updating and deleting.
    public static let write = ObjectActions(rawValue: 2)

    public var description: String { "\(contains(.read) ? "r" : "-")\(contains(.write) ? "w" : "-")" }

    /// For each action, the privileges that it stands for, sorted.
    static let privileges: [(action: ObjectActions, names: [String])] = [(.read, ["read"]), (.write, ["delete", "update"])]
}

/// What an entry on a bucket, which is a class of objects, lets somebody do.
public struct BucketActions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Making objects in the bucket.
    public static let createObjects = BucketActions(rawValue: 1)
    /// Listing those of its objects that one may read.
    public static let queryObjects = BucketActions(rawValue: 2)
    /// Reading every object of the bucket, whatever the object's own entries say (CONFORMANCE K3).
    public static let readObjects = BucketActions(rawValue: 4)

    /// For each action, the privileges that it stands for.
    static let privileges: [(action: BucketActions, names: [String])] = [
        (.createObjects, ["create"]), (.queryObjects, ["query"]), (.readObjects, ["read"]),
    ]

    /// All privileges that these actions stand for.
    var names: [String] { BucketActions.privileges.filter { contains($0.action) }.flatMap(\.names) }
}
