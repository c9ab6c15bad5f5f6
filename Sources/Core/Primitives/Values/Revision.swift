/// The number of a commit: consecutive, from 1. Revision 0 is the store as it was created.
@frozen public struct Revision: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The store as it was created, before the first commit.
    public static let genesis = Revision(0)
    /// Greater than any revision: the end of a version that is still current. The indexes keep 40 bits.
    public static let open = Revision((1 << 40) - 1)

    @inlinable public var next: Revision { Revision(rawValue + 1) }
    @inlinable public static func < (left: Revision, right: Revision) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}
