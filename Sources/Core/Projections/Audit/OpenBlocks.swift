package import Events
internal import LMDB

/// The unfinished blocks of the audit: one of events, one of refusals.
///
/// Block n of events contains the events from n × 2,048 on in log order, of any commits. Block n of refusals contains the
/// refusals with numbers above n × 2,048. A block becomes a row when it is full, and never changes afterwards.
struct OpenBlocks {
    private var eventBlock: UInt64
    private var eventCount = 0
    private var events: EventSpan
    private var eventPostings = AuditPostings()
    /// The position of the first event of the open block that has not been loaded; nil after loading.
    private(set) var missing: EventPosition?
    /// Whether commits were folded on top of a block that was not loaded. Such a draft must never be written.
    private var isDraft = false

    /// The number of full blocks of refusals.
    private(set) var refusalBlock: UInt64
    private var refusals = RefusalSpan()
    private var refusalPostings = AuditPostings()

    /// The rows of blocks that have become full since they were last taken.
    private(set) var rows = RowBatch(tag: .audit, keyBytes: 6)

    /// - Parameters:
    ///   - events: the number of folded events.
    ///   - refusalBlocks: the number of blocks of refusals in the index.
    ///   - begin: the end of the last block of events in the index.
    init(events: UInt64, refusalBlocks: UInt64, after begin: EventPosition) {
        let capacity = UInt64(AuditRecords.capacity)
        eventBlock = events / capacity
        refusalBlock = refusalBlocks
        self.events = EventSpan(first: begin)
        missing = events % capacity == 0 ? nil : begin
    }

    mutating func takeRows() -> RowBatch {
        precondition(!isDraft, "the open block must be loaded before new events are added")
        defer { rows = RowBatch(tag: .audit, keyBytes: 6) }
        return rows
    }

    // MARK: Events

    /// Loads the events of an earlier folded commit that belong to the open block.
    mutating func loadOpenBlock(_ commit: Commit, isLast: Bool) {
        guard let begin = missing else { return }
        let first = commit.revision == begin.revision ? begin.index : 0
        for index in Int(clamping: first)..<max(commit.events.count, Int(clamping: first)) {
            add(commit.events[index], index, of: commit)
        }
        if isLast { missing = nil }
    }

    mutating func add(_ commit: Commit) {
        guard missing == nil else {
            isDraft = true
            return
        }
        let span = commit.events.span
        for index in span.indices { add(span[index], index, of: commit) }
    }

    private mutating func add(_ event: Event, _ index: Int, of commit: Commit) {
        events.add(EventPosition(commit.revision, UInt64(index)))
        eventPostings.add(.actor, commit.actor.rawValue, record: eventCount)
        eventPostings.add(.kind, UInt64(event.kind.rawValue), record: eventCount)
        let effect = event.effect
        eventPostings.add(.object, effect.object.rawValue, record: eventCount)
        if let permission = effect.attachedPermission { eventPostings.add(.object, permission.rawValue, record: eventCount) }
        if let subject = effect.subject { eventPostings.add(.subject, subject.rawValue, record: eventCount) }
        if let request = commit.origin.requestID {
            eventPostings.add(.request, AuditTerm(.request, text: request).id, record: eventCount)
        }
        eventCount += 1
        if eventCount == AuditRecords.capacity { closeEvents() }
    }

    private mutating func closeEvents() {
        var payload = ByteWriter(capacity: 1 << 15)
        events.write(into: &payload)
        eventPostings.write(into: &payload)
        rows.add(AuditStream.events.key(eventBlock)) { $0.raw(payload.bytes) }
        eventBlock += 1
        eventCount = 0
        events = EventSpan(first: events.end)
        eventPostings.removeAll()
    }

    // MARK: Refusals

    mutating func add(_ refusal: RecordedRefusal) {
        let record = refusals.count
        refusals.add(refusal)
        for term in refusal.auditTerms { refusalPostings.add(term.facet, term.id, record: record) }
        guard refusals.count == AuditRecords.capacity else { return }
        var payload = ByteWriter(capacity: 1 << 15)
        refusals.write(into: &payload)
        refusalPostings.write(into: &payload)
        rows.add(AuditStream.refusals.key(refusalBlock)) { $0.raw(payload.bytes) }
        refusalBlock += 1
        refusals = RefusalSpan()
        refusalPostings.removeAll()
    }
}

/// The kind of records in a block. The numbers are part of the index's format.
enum AuditStream: UInt8 {
    case events = 1
    case refusals = 2

    func key(_ block: UInt64) -> FixedKey { FixedKey(UInt128(rawValue) << 40 | UInt128(block), byteCount: 6) }
}

/// Reading the blocks of the audit.
extension IndexTables {
    /// Passes the payload of a block to `body`, after checking its checksum. A block never changes, so its checksum is computed
    /// only once while the index is open.
    ///
    /// - Throws: ``IndexError/damaged`` for a missing block: blocks have consecutive numbers.
    func withBlock<R>(
        _ stream: AuditStream, _ block: UInt64, in transaction: ReadTransaction,
        _ body: (Span<UInt8>, inout ByteReader) throws -> R
    ) throws -> R {
        let key = stream.key(block)
        let isSound = soundBlocks.contains(key)
        let found = try key.withBytes { bytes in
            try read(transaction, .audit, bytes, isSound: isSound) { row, reader in
                if !isSound { soundBlocks.insert(key) }
                return try body(row, &reader)
            }
        }
        guard let found else { throw IndexError.damaged }
        return found
    }

    /// Returns the position of the first event that is not in a block.
    func endOfEventBlocks(_ state: IndexState, in transaction: ReadTransaction) throws -> EventPosition {
        guard state.eventBlocks > 0 else { return EventPosition(.genesis) }
        return try withBlock(.events, state.eventBlocks - 1, in: transaction) { row, reader in try EventSpan(row, &reader) }.end
    }
}

/// The audit part of the fold.
extension WorkingSet {
    /// The revision of the first commit to load from the log before folding, because its events are in the open block; nil if no
    /// commit must be loaded.
    package var firstUntaken: Revision? { blocks.missing?.revision }

    /// Loads a folded commit of the open block, in order from ``firstUntaken`` on.
    package func loadOpenBlock(_ commit: Commit) { blocks.loadOpenBlock(commit, isLast: commit.revision == state.revision) }

    /// The first refusal that is not in a full block. The refusals from it on must be folded again when the index is opened.
    package var firstOpenRefusal: RefusalNumber {
        state.lastRefusalInBlocks.next
    }

    /// Folds a refused command. Refusals must be passed in order, independent of the commits.
    package func fold(_ refusal: RecordedRefusal) {
        rememberAnswer(refusal)
        blocks.add(refusal)
        state.refusalBlocks = blocks.refusalBlock
    }
}
