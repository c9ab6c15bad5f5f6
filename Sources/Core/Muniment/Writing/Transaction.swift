public import Events
public import Permissions

/// A list of changes to commit together: all of them or none.
public struct Transaction: Sendable {
    public var caller: Name
    public var changes: [Change]
    public var origin: Origin
    public var authority: Authority
    /// The commit time; nil for now. Never before the last commit.
    public var time: Instant?
    /// Refuses the transaction with `conflict` if another transaction changed the value, parent, owner or access list of an object
    /// that the changes name after this revision. Nil accepts every revision. It is checked in the writer's turn.
    public var expectedRevision: Revision?
    /// Called in the writer's turn, directly before the changes are decided. If it throws, `commit` throws the same error, nothing
    /// is changed or recorded, and other transactions continue. Use it for rights that are managed outside of the store, such as a
    /// token that can be revoked while the transaction waits (CONFORMANCE E16). All other writers wait for it.
    public var precondition: (@Sendable () throws -> Void)?

    public init(
        _ caller: Name, _ changes: [Change], origin: Origin = Origin(), authority: Authority = .caller, time: Instant? = nil,
        expectedRevision: Revision? = nil, precondition: (@Sendable () throws -> Void)? = nil
    ) {
        self.caller = caller
        self.changes = changes
        self.origin = origin
        self.authority = authority
        self.time = time
        self.expectedRevision = expectedRevision
        self.precondition = precondition
    }
}

/// The result of a transaction.
public struct Receipt: Hashable, Sendable {
    /// The revision of the commit; nil if the transaction changed nothing.
    public let revision: Revision?
    /// The head after the transaction.
    public let head: Revision
    /// The time of the transaction.
    public let time: Instant
    /// The hash of the commit in hexadecimal digits, which covers the whole history up to it. Nil if the transaction changed nothing,
    /// and in an import, which writes commits later. A store that has another hash at `revision` does not contain the commit.
    public package(set) var hash: String?
    /// Notes about the changes, in their order. Empty if ``revision`` is nil, and in the receipt of a repeated
    /// idempotency key. Incomplete if finding them would take long.
    public let notes: [ChangeNote]

    package init(
        revision: Revision?, head: Revision, time: Instant, hash: String? = nil, notes: [ChangeNote] = []
    ) {
        self.revision = revision
        self.head = head
        self.time = time
        self.hash = hash
        self.notes = notes
    }
}
