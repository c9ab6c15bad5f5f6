/// The number of a local transaction: consecutive in one replica, from 1.
public struct TransactionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: TransactionID, right: TransactionID) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }
}
