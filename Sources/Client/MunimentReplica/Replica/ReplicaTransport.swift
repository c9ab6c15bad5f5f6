public import Primitives

/// What a replica needs from the network. `ServiceConnection` of the module MunimentClient provides it.
public protocol ReplicaTransport: Sendable {
    /// Opens a stream, and passes its parts to `receive` until the stream ends.
    ///
    /// - Parameters:
    ///   - request: the stream.
    ///   - receive: takes the next part. It throws if the replica needs no further parts.
    /// - Returns: why the stream ended. A stream that is silent for longer than the heartbeats of the service is lost.
    func receive(
        _ request: ReplicaStreamRequest, _ receive: @escaping @Sendable (ReplicaStreamPart) async throws -> Void
    ) async -> ReplicaStreamEnd

    /// Sends a transaction with its idempotency key.
    ///
    /// - Parameters:
    ///   - changes: the changes.
    ///   - key: the idempotency key.
    ///   - user: the user of the replica.
    /// - Returns: the answer. Refusals that another attempt would not change are ``ReplicaSendOutcome/refused(_:)``.
    func send(_ changes: [ReplicaChange], key: String, as user: Name) async -> ReplicaSendOutcome
}

/// A stream of a replica.
public struct ReplicaStreamRequest: Hashable, Sendable {
    public let user: Name
    /// Sorted, without duplicates.
    public let classes: [String]
    /// The position of the replica; nil for a first fill.
    public let after: String?
    /// A commit after the position that the service acknowledged. If the history lacks it, the service begins with a reset.
    public let containing: ReplicaCommit?
}

/// A commit in the history of a store.
public struct ReplicaCommit: Hashable, Sendable, CustomStringConvertible {
    public let revision: Revision
    /// The hash of the receipt.
    public let hash: String

    /// The text of the parameter `contains`: the revision and the hash, with a point between them.
    public var description: String { "\(revision).\(hash)" }
}
