public import Primitives
internal import Synchronization

/// What happened in a replica. The view has changed already when the application reads it.
public enum ReplicaUpdate: Hashable, Sendable {
    /// The view of the object may have changed: its value, parent, privileges or mark. A reversal is a change like any other.
    case changed(Name)
    /// The view has no object of this name: it was deleted, or taken back, or may no longer be read.
    case removed(Name)
    /// The confirmed state lost the object, and its value left the disk: it was deleted, or the user may no longer read it.
    case accessLost(Name)
    /// More changed than the updates name, or the reader was too slow: read the views again.
    case reloaded
    case classPrivilegesChanged
    /// A transaction ended. Its changes are in it if it was taken back.
    case ended(EndedTransaction)
    /// The store was restored from a backup without the confirmed revision. Pending transactions have ended, each with its changes.
    case storeRestored
    /// The connection, or the number of pending transactions, changed.
    case status(ReplicaStatus)
}

/// The state of a replica and its connection.
public struct ReplicaStatus: Hashable, Sendable {
    public let connection: Connection
    /// The confirmed revision; nil before the first fill has ended.
    public let revision: Revision?
    /// The time of the confirmed revision by the clock of the service.
    public let time: Instant?
    public let pendingTransactions: Int

    public enum Connection: Hashable, Sendable {
        case disconnected
        /// A stream is open or being opened, and has not confirmed the state yet.
        case connecting
        /// The replica is current.
        case connected
        /// The next attempt follows by itself. The reason is nil if the service was not reached.
        case waiting(TransactionRefusal?)
    }
}

/// The updates of a replica. Each loop has a separate subscription, which begins with the loop.
///
/// A reader that is slower than the replica gets ``ReplicaUpdate/reloaded`` instead of the updates that it has not read. Ends of
/// transactions are then in ``Replica/endedTransactions(after:limit:)``.
public struct ReplicaUpdates: AsyncSequence, Sendable {
    public typealias Element = ReplicaUpdate

    let broadcast: ReplicaBroadcast

    public func makeAsyncIterator() -> Iterator { Iterator(subscription: broadcast.subscribe()) }

    public struct Iterator: AsyncIteratorProtocol {
        let subscription: ReplicaSubscription

        public mutating func next() async -> ReplicaUpdate? { await subscription.next() }
    }
}

/// Publishes updates to all subscriptions.
final class ReplicaBroadcast: Sendable {
    private struct WeakSubscription {
        weak var subscription: ReplicaSubscription?
    }

    private let subscriptions = Mutex<[WeakSubscription]>([])

    func subscribe() -> ReplicaSubscription {
        let subscription = ReplicaSubscription()
        subscriptions.withLock { all in
            all.removeAll { $0.subscription == nil }
            all.append(WeakSubscription(subscription: subscription))
        }
        return subscription
    }

    func publish(_ updates: [ReplicaUpdate]) {
        let all = subscriptions.withLock { $0.compactMap(\.subscription) }
        for subscription in all { subscription.add(updates) }
    }

    /// Ends every loop.
    func finish() {
        for subscription in subscriptions.withLock({ $0.compactMap(\.subscription) }) { subscription.finish() }
    }
}

/// The updates that one loop has not read yet.
final class ReplicaSubscription: Sendable {
    private let updates = Mutex<[ReplicaUpdate]>([])
    private let signal: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// The maximum number of unread updates.
    static let limit = 2_000

    init() { (signal, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    func add(_ new: [ReplicaUpdate]) {
        updates.withLock { updates in
            updates += new
            if updates.count > ReplicaSubscription.limit { updates = [.reloaded] }
        }
        continuation.yield()
    }

    func finish() { continuation.finish() }

    func next() async -> ReplicaUpdate? {
        while true {
            if let update = updates.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return update }
            var iterator = signal.makeAsyncIterator()
            guard await iterator.next() != nil else { return nil }
        }
    }
}
