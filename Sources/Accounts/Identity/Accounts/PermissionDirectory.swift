public import Primitives

/// The stores that accounts are users of (CONFORMANCE I9).
public protocol PermissionDirectory: Sendable {
    /// Makes principals users of every store with accounts. Idempotent.
    ///
    /// - Parameter principals: at most as many as fit into one transaction of a store.
    func enroll(_ principals: [Name]) throws(DirectoryProblem)

    /// Removes a principal from all stores: its grants, memberships and administered objects. Idempotent, so that a failed deletion
    /// can be repeated.
    func withdraw(_ principal: Name) throws(DirectoryProblem)
}

/// An operation that a store rejected.
public struct DirectoryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, the store, and the remedy.
    public let description: String

    public init(_ description: String) { self.description = description }
}
