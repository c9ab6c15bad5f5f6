internal import Primitives

/// The state of a replica, as a pure state machine: events in, effects out. It has no clock and no I/O, except that it reads the
/// storage. Its memory grows with the pending transactions, not with the replica.
///
/// The pending transactions are always in this order: committed ones, at most one that was sent, and waiting ones. Only the first
/// that is not committed is sent, so that no transaction is decided before the ones that it was written on top of.
struct ReplicaMachine: Sendable {
    private(set) var header: ReplicaHeader
    var pending: [PendingTransaction]
    var view: PendingView
    /// A prefix of the idempotency keys of this process: unguessable, and different for each process. A copy of the file cannot use
    /// the key of another transaction.
    let session: String

    var connection = Connection.off
    var lastStream: UInt64 = 0
    var failures = 0
    /// The reason that the last stream ended; nil while a stream is current.
    var problem: TransactionRefusal?
    var sending = Sending.idle
    var lastAttempt: UInt64 = 0
    /// The transaction that was sent last, and the stream that was open when it was first sent.
    var firstSend: (id: TransactionID, stream: UInt64)?
    var sendFailures = 0

    enum Connection: Hashable, Sendable {
        case off
        case waiting(UInt64)
        /// The stream with this number is open, or is being opened.
        case open(UInt64, OpenStream)
    }

    struct OpenStream: Hashable, Sendable {
        /// The step whose parts are arriving; nil between two steps.
        var step: ReplicaStep?
        /// Whether the service confirmed on this stream that the replica's position belongs to its history.
        var isCurrent = false
        /// The objects that the parts of the step name; nil if they are too many.
        var names: Set<Name>? = []
    }

    enum Sending: Hashable, Sendable {
        case idle
        case inFlight(TransactionID, attempt: UInt64)
        case waiting(UInt64)
    }

    static let pendingLimit = 1_000
    static let reportLimit = 1_000
    /// The number of ends that are kept besides the refused ones.
    static let endsKept: UInt64 = 1_000
    /// The delays between two attempts in milliseconds.
    static let firstPause: Int64 = 500
    static let longestPause: Int64 = 60_000

    /// Loads a replica.
    ///
    /// - Parameters:
    ///   - storage: the storage. A new one is initialized with the first effect.
    ///   - classes: the classes of the replica. If they are not those of the storage, the next stream is a fill.
    ///   - session: an unguessable text, different for each process.
    /// - Throws: ``ReplicaError/storage(_:)`` if the storage belongs to another user.
    init(reading storage: some ReplicaStorage, user: Name, classes: [String], session: String) throws {
        let classes = Set(classes.map { ExactText($0) }).sorted().map(\.text)
        let stored = try storage.header()
        if let stored, stored.user != user {
            throw ReplicaError.storage("the replica belongs to `\(stored.user)`, not to `\(user)`: give each user a separate file")
        }
        var header = stored ?? ReplicaHeader(user: user, classes: classes)
        if header.classes != classes {
            header = ReplicaHeader(
                user: user, classes: classes, confirmed: header.confirmed, lastTransaction: header.lastTransaction)
        }
        self.header = header
        self.session = session
        pending = try storage.pending()
        view = PendingView(classes: classes)
        for transaction in pending { try view.apply(transaction, base: storage.object) }
    }

    /// Handles an event.
    ///
    /// - Parameter storage: the storage, with the writes of all earlier effects.
    /// - Returns: the effects to perform, in order.
    /// - Throws: ``ReplicaError`` for a command that cannot be carried out; an error of the storage. The machine must then be dropped:
    ///   keep a copy from before the event.
    mutating func handle(
        _ event: ReplicaEvent, at now: Instant, reading storage: some ReplicaStorage
    ) throws -> [ReplicaEffect] {
        var step = Step(now: now, storage: storage, header: header)
        switch event {
        case .write(let changes): try write(changes, &step)
        case .withdraw(let id): try withdraw(id, &step)
        case .forget(let id): step.writes.append(.forgetEnded(id))
        case .connect: connect(&step)
        case .disconnect: disconnect(&step)
        case .part(let part, let stream): try receive(part, from: stream, &step)
        case .streamEnded(let end, let stream): streamEnded(end, stream, &step)
        case .answered(let id, let outcome, let attempt): try answered(id, outcome, attempt, &step)
        case .waited(.stream(let stream)):
            if connection == .waiting(stream) { openStream(&step) }
        case .waited(.send(let attempt)):
            if sending == .waiting(attempt) { sending = .idle }
        }
        sendNext(&step)
        if step.header != header {
            header = step.header
            step.writes.append(.header(header))
        }
        return step.effects()
    }

    /// The inputs and effects of one event.
    struct Step<Storage: ReplicaStorage> {
        let now: Instant
        let storage: Storage
        var header: ReplicaHeader
        var writes: [ReplicaWrite] = []
        /// The objects whose view may change; nil if they are too many to name.
        var changed: Set<Name>? = []
        var lost: [Name] = []
        var ended: [EndedTransaction] = []
        var reports: [ReplicaReport] = []
        var actions: [ReplicaEffect] = []

        /// The effects in their order: first the storage, then the reports, then the actions.
        consuming func effects() -> [ReplicaEffect] {
            var effects: [ReplicaEffect] = writes.isEmpty ? [] : [.persist(writes)]
            if let changed, changed.count <= ReplicaMachine.reportLimit {
                if !changed.isEmpty { reports.append(.changed(changed.sorted())) }
            } else {
                reports.append(.reloaded)
            }
            if !lost.isEmpty { reports.append(.lost(lost)) }
            reports += ended.map(ReplicaReport.ended)
            effects += reports.map(ReplicaEffect.report)
            return effects + actions
        }
    }
}

extension ReplicaMachine {
    /// What the application sees of the connection.
    var isCurrent: Bool { if case .open(_, let stream) = connection { stream.isCurrent } else { false } }

    /// Returns a page of the view of a class, sorted by name: the confirmed objects of a page of the storage, and the objects that
    /// pending transactions created between them.
    func page(
        ofClass className: String, after name: Name?, limit: Int, reading storage: some ReplicaStorage
    ) throws -> (objects: [ReplicaViewObject], next: Name?) {
        let confirmed = try storage.objects(ofClass: className, after: name, limit: limit).map(\.name)
        let last = confirmed.count < limit ? nil : confirmed.last
        let created = view.names(ofClass: className).filter { created in
            name.map { $0 < created } ?? true && last.map { created <= $0 } ?? true
        }
        let names = Set(confirmed).union(created).sorted()
        return (try names.compactMap { try view.object($0, base: storage.object) }, last)
    }

    /// Returns the delay before the next attempt.
    static func pause(after failures: Int, _ wantedSeconds: Int?) -> Int64 {
        let pause = min(firstPause << Int64(min(max(failures - 1, 0), 20)), longestPause)
        return max(pause, Int64(min(max(wantedSeconds ?? 0, 0), 600)) * 1_000)
    }
}
