internal import Events
public import Muniment
internal import Permissions

extension History {
    /// Replays the history in a real store in memory, and passes each resulting revision to `body`, in order.
    ///
    /// The store runs the production code, on files in memory if the machine supports that. One entry can create several revisions:
    /// access that is due ends, or a caller is seen for the first time. A refused transaction or one without effect creates none.
    ///
    /// - Parameter body: checks a revision; expectations throw from it.
    /// - Throws: ``ExpectationError`` if a transaction has an unexpected outcome, ``HistoryError``, the errors of `body`, and the
    ///   errors of the store.
    public func replay(_ body: (HistoryStep) throws -> Void = { _ in }) throws { try Replay(of: self).runEach(body) }

    /// Replays the history, and passes only its last revision to `body`.
    ///
    /// - Parameter body: checks the revision.
    /// - Throws: the errors of ``replay(_:)``.
    public func replayToEnd(_ body: (HistoryStep) throws -> Void) throws { try Replay(of: self).runToEnd(body) }

    /// Replays the history, and passes the resulting store to `body`, which can read and change it.
    ///
    /// - Parameter body: uses the store, which is removed afterwards.
    /// - Returns: the result of `body`.
    /// - Throws: the errors of ``replay(_:)``.
    public func withStore<R>(_ body: (Store) throws -> R) throws -> R {
        let replay = try Replay(of: self)
        try replay.runEach { _ in }
        return try withExtendedLifetime(replay) { try body(replay.store) }
    }
}

/// One replay of a history in a store.
final class Replay {
    /// The history, including appended entries.
    private(set) var history: History
    private let memory: MemoryStore
    private var marks: [String: Revision] = [:]
    /// The last revision that was passed to the caller.
    private var seen = Revision.genesis
    /// The last entry, as a line of a scenario.
    private(set) var cause = ""
    /// The index of the last entry.
    private(set) var entry = 0
    /// The outcome of each transaction, by its index among the entries.
    private(set) var outcomes: [Int: History.Outcome] = [:]

    /// The outcome of the last transaction.
    var lastOutcome: History.Outcome? { outcomes[entry] }

    var store: Store { memory.store }

    init(of history: History) throws {
        self.history = history
        memory = try MemoryStore(for: history)
    }

    func runEach(_ body: (HistoryStep) throws -> Void) throws {
        for index in history.entries.indices {
            try execute(index)
            try handOutNew(body)
        }
    }

    /// Appends an entry, performs it, and passes the resulting revisions to `body`.
    func go(on event: History.Entry.Event, _ body: (HistoryStep) throws -> Void) throws {
        history.entries.append(History.Entry(event))
        try execute(history.entries.count - 1)
        try handOutNew(body)
    }

    private func handOutNew(_ body: (HistoryStep) throws -> Void) throws {
        let head = try store.head.revision
        while seen < head {
            seen = seen.next
            try handOut(seen, body)
        }
    }

    func runToEnd(_ body: (HistoryStep) throws -> Void) throws {
        for index in history.entries.indices { try execute(index) }
        try handOut(store.head.revision, body)
    }

    /// Performs an entry in the store.
    func execute(_ index: Int) throws {
        entry = index
        switch history.entries[index].event {
        case .mark(let name): marks[name] = try store.head.revision
        case .clock(let instant):
            cause = History.line([("clock", .string(instant.description))])
            try memory.moveClock(to: instant)
            try store.advance(to: instant)
        case .transaction(let transaction, let expected):
            cause = History.line(of: transaction)
            if let time = transaction.time { try memory.moveClock(to: time) }
            try commit(transaction, expecting: expected)
        }
    }

    private func commit(_ transaction: Transaction, expecting expected: History.Outcome?) throws {
        var timeless = transaction
        timeless.time = nil
        let refusal: Refusal?
        do {
            _ = try store.commit(timeless)
            refusal = nil
        } catch let error as Refusal {
            refusal = error
        }
        let outcome = refusal.map { History.Outcome.refused($0.code) } ?? .accepted
        outcomes[entry] = outcome
        guard let expected, expected != outcome else { return }
        throw ExpectationError(
            expected: "the transaction is \(expected)", actual: "it is \(outcome)", reason: refusal?.description,
            revision: try store.head.revision, time: memory.now, cause: cause, title: history.title, entry: entry, question: nil,
            isOutcome: true, kind: "")
    }

    /// Passes a revision to `body`.
    func handOut(_ revision: Revision, _ body: (HistoryStep) throws -> Void) throws {
        let head = try store.head.revision
        var found: Commit?
        try store.log(from: revision, to: revision) { found = $0.commit }
        guard let commit = found else { preconditionFailure("the log has every revision up to its head") }
        try store.read(at: .revision(revision)) { snapshot in
            try body(
                HistoryStep(
                    snapshot: snapshot, commit: commit, cause: cause, entry: entry, title: history.title, store: store,
                    isLast: revision == head,
                    marks: marks))
        }
    }
}

extension History.Outcome: CustomStringConvertible {
    /// `accepted`, or `refused` with the code.
    public var description: String {
        switch self {
        case .accepted: "accepted"
        case .refused(let code): "refused as `\(code.rawValue)`"
        }
    }
}
