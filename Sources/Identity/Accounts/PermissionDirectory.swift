public import Permissions

/// The stores whose users accounts are (CONFORMANCE I9).
public protocol PermissionDirectory: Sendable {
    /// Makes principals users of every store that accounts belong to. Doing it again changes nothing.
    ///
    /// - Parameter principals: no more than go into one transaction of a store.
    func enroll(_ principals: [Name]) throws(DirectoryProblem)

    /// Takes everything from a principal that it has in any store: grants, memberships, what it administers. A store that was gone
    /// through already is left as it is, so that a deletion that failed half-way can be done again.
    func withdraw(_ principal: Name) throws(DirectoryProblem)
}

/// What a store does not let happen.
public struct DirectoryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why, in which store, and what to do about it.
    public let description: String

    public init(_ description: String) { self.description = description }
}
