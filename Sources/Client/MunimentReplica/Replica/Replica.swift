internal import Foundation
public import Primitives

/// A local copy of the objects that a user may read, for work with and without a connection.
///
/// - The confirmed state is what the service shows the user at one revision. It moves to a later revision as a whole.
/// - The view is the confirmed state with the user's pending transactions on top, in their order.
/// - Each transaction ends exactly once: committed, refused or withdrawn, also if the process is killed at any moment.
/// - When the user loses an object, its value leaves the disk, and the transactions that change it are refused.
/// - Privileges are answered as of the confirmed revision. They are for the interface; the service decides.
///
/// The file must not be opened by two processes.
public actor Replica {
    private var machine: ReplicaMachine
    /// Nil once the replica is closed.
    private var openStorage: SQLiteReplicaStorage?
    private let transport: any ReplicaTransport
    private let options: Options
    private let broadcast = ReplicaBroadcast()
    private let tasks = ReplicaTasks()

    /// Settings of a replica.
    public struct Options: Sendable {
        /// The local clock. Privileges end by it while there is no connection.
        public var clock: @Sendable () -> Instant
        /// The age in seconds after which a privilege is unknown: by default one day.
        public var maxAgeSeconds: Int64
        /// Waits before the next attempt. Throws if the task is cancelled.
        var pause: @Sendable (_ milliseconds: Int64) async throws -> Void = { try await Task.sleep(for: .milliseconds($0)) }

        public init(maxAgeSeconds: Int64 = 86_400, clock: (@Sendable () -> Instant)? = nil) {
            self.maxAgeSeconds = maxAgeSeconds
            self.clock = clock ?? { Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
        }
    }

    /// Opens a replica, and creates it if the file does not exist. It works without a connection until ``connect()`` is called.
    ///
    /// - Parameters:
    ///   - path: the path of the file. SQLite uses further files with this path as a prefix.
    ///   - user: the user. A file belongs to one user.
    ///   - classes: the names of the classes: 1 to 32. If they are others than before, the next connection fills the replica anew.
    ///   - transport: the connection to the service.
    ///   - options: the clock and the maximum age of answers.
    /// - Throws: ``ReplicaError/storage(_:)`` if the file belongs to another user or version; an error of SQLite.
    public init(
        at path: String, user: Name, classes: [String], transport: any ReplicaTransport, options: Options = Options()
    ) throws {
        let storage = try SQLiteReplicaStorage(path: path)
        openStorage = storage
        machine = try ReplicaMachine(reading: storage, user: user, classes: classes, session: UUID().uuidString)
        self.transport = transport
        self.options = options
    }

    deinit {
        tasks.cancelAll()
        broadcast.finish()
    }

    private var storage: SQLiteReplicaStorage {
        get throws {
            guard let openStorage else { throw ReplicaError.storage("the replica is closed: open it again") }
            return openStorage
        }
    }

    // MARK: Reading the view

    /// Returns an object of the view; nil if it does not exist there, and if `read` has ended by the local clock.
    public func object(_ name: Name) throws -> ReplicaViewObject? {
        try machine.view.object(name, base: try storage.object).flatMap { $0.isReadable(at: options.clock()) ? $0 : nil }
    }

    /// Returns a page of the objects of a class in the view, sorted by name.
    ///
    /// - Parameters:
    ///   - className: the name of the class.
    ///   - name: the last name of the previous page; nil for the first page.
    ///   - limit: how many confirmed objects the page is made from: at least 1.
    /// - Returns: the objects, and the name to continue after; nil after the last page.
    public func objects(
        ofClass className: String, after name: Name? = nil, limit: Int = 100
    ) throws -> (objects: [ReplicaViewObject], next: Name?) {
        let page = try machine.page(ofClass: className, after: name, limit: max(limit, 1), reading: storage)
        let now = options.clock()
        return (page.objects.filter { $0.isReadable(at: now) }, page.next)
    }

    /// Whether a pending transaction changes an object.
    public func isPending(_ name: Name) -> Bool { machine.view.isPending(name) }

    /// Returns whether the user has a privilege on an object, or on a class such as `class:doc`, as of the confirmed revision.
    ///
    /// - Parameters:
    ///   - privilege: its name.
    ///   - name: an object or a class.
    ///   - instant: the time of the question; nil for now.
    public func may(_ privilege: String, on name: Name, at instant: Instant? = nil) throws -> PrivilegeAnswer {
        try machine.answer(
            privilege, on: name, at: instant ?? options.clock(), maxAgeSeconds: options.maxAgeSeconds, reading: storage)
    }

    // MARK: Transactions

    /// Writes a transaction. It is on the disk and in the view when this returns, and is sent when the replica is connected.
    ///
    /// - Parameter changes: the changes: all of them are made, or none.
    /// - Returns: its number. ``ReplicaUpdate/ended(_:)`` reports its end.
    /// - Throws: ``ReplicaError`` for ill-formed changes, and if too many transactions are pending; an error of SQLite.
    @discardableResult
    public func write(_ changes: [ReplicaChange]) throws -> TransactionID {
        try handle(.write(changes))
        return TransactionID(machine.header.lastTransaction)
    }

    /// Takes back a transaction that was not sent yet, and the ones that were written on top of it.
    ///
    /// - Parameter id: its number.
    /// - Throws: ``ReplicaError/alreadySent(_:)`` if it was sent; ``ReplicaError/notPending(_:)``.
    public func withdraw(_ id: TransactionID) throws { try handle(.withdraw(id)) }

    /// The transactions whose changes are not confirmed, in their order.
    public var pendingTransactions: [PendingTransaction] { machine.pending }

    /// Returns transactions that ended, in their order. Refused ones are kept until ``forget(_:)``, the last 1,000 others by themselves.
    ///
    /// - Parameters:
    ///   - id: the last transaction of the previous page; nil for the first page.
    ///   - limit: the maximum number.
    public func endedTransactions(after id: TransactionID? = nil, limit: Int = 100) throws -> [EndedTransaction] {
        try storage.ended(after: id ?? TransactionID(0), limit: limit)
    }

    /// Removes the record of an ended transaction, with its changes, from the disk.
    public func forget(_ id: TransactionID) throws { try handle(.forget(id)) }

    // MARK: The connection

    /// Connects to the service, and connects again whenever the connection is lost.
    public func connect() throws { try handle(.connect) }

    /// Closes the connection. A transaction that was sent stays pending until the next connection.
    public func disconnect() throws { try handle(.disconnect) }

    /// Closes the connection and the file, and ends the loops over the updates. The file can be opened again when this returns.
    public func close() {
        openStorage = nil
        tasks.cancelAll()
        broadcast.finish()
    }

    public var status: ReplicaStatus {
        let connection: ReplicaStatus.Connection =
            switch machine.connection {
            case .off: .disconnected
            case .waiting: .waiting(machine.problem)
            case .open(_, let stream): stream.isCurrent ? .connected : .connecting
            }
        let confirmed = machine.header.confirmed
        return ReplicaStatus(
            connection: connection, revision: confirmed?.revision, time: confirmed?.time,
            pendingTransactions: machine.pending.count)
    }

    /// What happens from now on.
    public nonisolated var updates: ReplicaUpdates { ReplicaUpdates(broadcast: broadcast) }

    // MARK: Effects

    /// Handles an event. If the storage fails, nothing has happened.
    private func handle(_ event: ReplicaEvent) throws {
        let storage = try storage
        var next = machine
        let effects = try next.handle(event, at: options.clock(), reading: storage)
        if case .persist(let writes)? = effects.first { try storage.persist(writes) }
        machine = next
        var updates: [ReplicaUpdate] = []
        for effect in effects {
            switch effect {
            case .persist: break
            case .report(let report): updates += try self.updates(of: report)
            case .openStream(let number, let after, let commit): open(number, after, commit)
            case .closeStream(let number): tasks.cancel(.stream(number))
            case .send(let id, let key, let changes, let attempt): send(id, key, changes, attempt)
            case .wait(let timer, let milliseconds): wait(timer, milliseconds)
            }
        }
        if !updates.isEmpty { broadcast.publish(updates) }
    }

    private func updates(of report: ReplicaReport) throws -> [ReplicaUpdate] {
        switch report {
        case .changed(let names):
            try names.map { try machine.view.object($0, base: try storage.object) == nil ? .removed($0) : .changed($0) }
        case .reloaded: [.reloaded]
        case .lost(let names): names.map { .accessLost($0) }
        case .classPrivilegesChanged: [.classPrivilegesChanged]
        case .ended(let end): [.ended(end)]
        case .restored: [.storeRestored]
        case .status: [.status(status)]
        }
    }

    private func open(_ number: UInt64, _ after: String?, _ commit: ReplicaCommit?) {
        let request = ReplicaStreamRequest(
            user: machine.header.user, classes: machine.header.classes, after: after, containing: commit)
        tasks.run(.stream(number)) { [weak self, transport] in
            let end = await transport.receive(request) { [weak self] part in
                guard let self else { throw CancellationError() }
                try await self.receive(part, number)
            }
            await self?.note(.streamEnded(end, stream: number))
        }
    }

    private func receive(_ part: ReplicaStreamPart, _ number: UInt64) throws {
        try Task.checkCancellation()
        try handle(.part(part, stream: number))
    }

    private func send(_ id: TransactionID, _ key: String, _ changes: [ReplicaChange], _ attempt: UInt64) {
        let user = machine.header.user
        tasks.run(.request(attempt)) { [weak self, transport] in
            let outcome = await transport.send(changes, key: key, as: user)
            await self?.answered(id, outcome, attempt)
        }
    }

    private func answered(_ id: TransactionID, _ outcome: ReplicaSendOutcome, _ attempt: UInt64) {
        do { try handle(.answered(id, outcome, attempt: attempt)) } catch {
            // The answer could not be stored. The next attempt has the same key, and gets the same answer.
            note(.answered(id, .unknown(retryAfterSeconds: nil), attempt: attempt))
        }
    }

    private func wait(_ timer: ReplicaTimer, _ milliseconds: Int64) {
        tasks.run(.timer(timer)) { [weak self, pause = options.pause] in
            guard (try? await pause(milliseconds)) != nil else { return }
            await self?.note(.waited(timer))
        }
    }

    /// Handles an event that writes nothing to the storage, or that happens again if the storage fails.
    private func note(_ event: ReplicaEvent) {
        do { try handle(event) } catch {
            guard openStorage != nil else { return }
            broadcast.publish([.status(status)])
        }
    }
}
