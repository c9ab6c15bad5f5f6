public import Events
public import Permissions

/// Changes that a caller wants made together: all of them or none.
public struct Transaction: Sendable {
    public var caller: Name
    public var changes: [Change]
    public var origin: Origin
    public var authority: Authority
    /// When it happens; nil for now. Never before the last commit.
    public var time: Instant?
    /// Called in the writer's turn, directly before the changes are decided: what it throws is thrown by `commit`, nothing is
    /// changed or recorded, and other transactions go on. For what the caller's right rests on outside the store, such as a token
    /// that can be revoked while the transaction waits (CONFORMANCE E16). It holds all other writers up.
    public var precondition: (@Sendable () throws -> Void)?

    public init(
        _ caller: Name, _ changes: [Change], origin: Origin = Origin(), authority: Authority = .caller, time: Instant? = nil,
        precondition: (@Sendable () throws -> Void)? = nil
    ) {
        self.caller = caller
        self.changes = changes
        self.origin = origin
        self.authority = authority
        self.time = time
        self.precondition = precondition
    }
}

/// What became of a transaction.
public struct Receipt: Hashable, Sendable {
    /// The revision that it made; nil where it changed nothing.
    public let revision: Revision?
    /// The head behind it.
    public let head: Revision
    /// The time that it was given.
    public let time: Instant

    package init(revision: Revision?, head: Revision, time: Instant) {
        self.revision = revision
        self.head = head
        self.time = time
    }
}
