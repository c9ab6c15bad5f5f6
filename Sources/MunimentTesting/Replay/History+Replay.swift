internal import Events
public import Muniment
internal import Permissions

extension History {
    /// Runs the history through a real store in memory, and hands out each revision that comes of it, in order.
    ///
    /// It is the code that runs in production, on files that live in memory where the machine has a place for such. One entry can
    /// make several revisions: access that is due ends, a caller is seen for the first time. One that is refused or changes
    /// nothing makes none.
    ///
    /// - Parameter body: what to look at at each revision; expectations are thrown out of it.
    /// - Throws: ``UnmetExpectation`` where something else came of a transaction than the history expects, ``HistoryError``, what
    ///   `body` throws, and what the store throws.
    public func replay(_ body: (HistoryStep) throws -> Void = { _ in }) throws { try Replay(of: self).runEach(body) }

    /// Runs the history, and hands out its last revision alone.
    ///
    /// - Parameter body: what to look at.
    /// - Throws: as ``replay(_:)``.
    public func replayToEnd(_ body: (HistoryStep) throws -> Void) throws { try Replay(of: self).runToEnd(body) }

    /// Runs the history, and hands out the store that it leads to, to be asked and changed as any other.
    ///
    /// - Parameter body: what to do with the store, which is removed behind it.
    /// - Returns: what `body` returns.
    /// - Throws: as ``replay(_:)``.
    public func withStore<R>(_ body: (Store) throws -> R) throws -> R {
        let replay = try Replay(of: self)
        try replay.runEach { _ in }
        return try withExtendedLifetime(replay) { try body(replay.store) }
    }
}

/// One run of a history through a store.
final class Replay {
    /// What has happened and is to happen.
    private(set) var history: History
    private let memory: MemoryStore
    private var marks: [String: Revision] = [:]
    /// The last revision that was handed out.
    private var seen = Revision.genesis
    /// What happened last, as a line of a scenario.
    private(set) var cause = ""
    /// The place of what happened last among the entries.
    private(set) var entry = 0
    /// What came of each transaction, by its place among the entries.
    private(set) var outcomes: [Int: History.Outcome] = [:]

    /// What came of the last transaction.
    var lastOutcome: History.Outcome? { outcomes[entry] }

    var store: Store { memory.store }

    init(of history: History) throws {
        self.history = history
        memory = try MemoryStore(for: history)
    }

    deinit { memory.remove() }

    func runEach(_ body: (HistoryStep) throws -> Void) throws {
        for index in history.entries.indices {
            try carryOut(index)
            try handOutNew(body)
        }
    }

    /// Adds something to the history, has it happen, and hands out what comes of it.
    func go(on event: History.Entry.Event, _ body: (HistoryStep) throws -> Void) throws {
        history.entries.append(History.Entry(event))
        try carryOut(history.entries.count - 1)
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
        for index in history.entries.indices { try carryOut(index) }
        try handOut(store.head.revision, body)
    }

    /// Has the store do what an entry says.
    func carryOut(_ index: Int) throws {
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
        throw UnmetExpectation(
            expected: "the transaction is \(expected)", actual: "it is \(outcome)", reason: refusal?.description,
            revision: try store.head.revision, time: memory.now, cause: cause, title: history.title, entry: entry, question: nil,
            isOutcome: true, kind: "")
    }

    /// Hands out the store at a revision.
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
