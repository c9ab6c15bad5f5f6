internal import EventLog
internal import Events
internal import Hashing
internal import Permissions
internal import Projections

/// A page of audit records, in the order of the filter.
public struct AuditPage: Hashable, Sendable {
    public let records: [AuditRecord]
    /// Whether this is the last page. Oldest first, later records come after it.
    public let isLast: Bool
    /// The cursor of the next page. Oldest first, the cursor of the last page returns records that are added later.
    public let cursor: AuditCursor
}

extension Store {
    /// Returns a page of the audit: successful and refused actions with actor, time and origin (CONFORMANCE E10).
    ///
    /// The order is that of the log, which is the order of time. A refused command follows the commit that preceded it. Pages have
    /// no gaps and no repetitions, even if commits are written between requests.
    ///
    /// Reads one index row for every 2,048 records in the range of time or revisions. Reads at most as many commits as the page has
    /// records, plus the last 2,048 events and refusals.
    ///
    /// - Parameters:
    ///   - filter: the records to return and their order.
    ///   - cursor: the cursor of the previous page with the same filter; nil for the first page.
    ///   - limit: records per page, from 1 to ``Events/Limits/recordsPerPage``.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name, an unknown kind, or a cursor of another list or store;
    ///   ``StoreError/noSuchRevision(_:head:)``; errors of the index and the log if they are damaged.
    public func audit(_ filter: AuditFilter = AuditFilter(), after cursor: AuditCursor? = nil, limit: Int) throws -> AuditPage {
        guard (1...Limits.recordsPerPage).contains(limit) else {
            throw Refusal(.malformed, "a page of the audit has from 1 to \(Limits.recordsPerPage) records, and not \(limit)")
        }
        return try withReader { reader in
            let selection = try AuditSelection(filter, reader, now: options.clock())
            // The log is read after the index, so that it contains everything in the index.
            return try log.readRefusals { log in
                let paging = try AuditPaging(reader, log, selection, filter)
                return try paging.page(after: cursor, limit: limit)
            }
        }
    }
}

/// Merges the events and the refusals of the audit into pages.
private struct AuditPaging {
    let reader: IndexReader
    let log: LogReader
    let filter: AuditFilter
    let events: EventSearch?
    let refusals: RefusalSearch?
    /// The positions after the last event and the last refusal.
    let end: (event: AuditPlace, refusal: RefusalNumber)

    /// A record that was found, and its position.
    private enum Found {
        case event(AuditPlace)
        case refusal(RefusalSearch.Found)

        /// A refusal sorts after all events of the commit before it.
        var order: (Revision, Int, UInt64) {
            switch self {
            case .event(let place): (place.revision, 0, place.index)
            case .refusal(let found): (found.refusal.head, 1, found.refusal.number.rawValue)
            }
        }
    }

    init(_ reader: IndexReader, _ log: LogReader, _ selection: AuditSelection, _ filter: AuditFilter) throws {
        (self.reader, self.log, self.filter) = (reader, log, filter)
        events = try EventSearch(reader, log, selection)
        refusals = RefusalSearch(reader, log, selection)
        end = (AuditPlace(reader.state.revision.next), try RefusalSearch.end(reader, log))
    }

    func page(after cursor: AuditCursor?, limit: Int) throws -> AuditPage {
        if let cursor { try check(cursor) }
        let isForward = filter.order == .oldestFirst
        // Newest first, records that are added after the first page belong before it.
        var (event, refusal) = isForward ? (AuditPlace(.genesis), RefusalNumber.first) : end
        if let cursor { (event, refusal) = (cursor.events, cursor.refusals) }
        // One more than the page holds, to know whether there is a next page.
        let places = try isForward ? events?.first(limit + 1, from: event) : events?.last(limit + 1, before: event)
        let refused =
            try isForward
            ? refusals?.first(limit + 1, in: min(refusal, end.refusal)..<end.refusal)
            : refusals?.last(limit + 1, in: .first..<refusal)
        let found = ((places ?? []).map(Found.event) + (refused ?? []).map(Found.refusal)).sorted {
            isForward ? $0.order < $1.order : $0.order > $1.order
        }
        var left = (events: places?.count ?? 0, refusals: refused?.count ?? 0)
        let wasAll = (events: left.events <= limit, refusals: left.refusals <= limit)
        for found in found.prefix(limit) {
            switch found {
            case .event(let place):
                event = isForward ? AuditPlace(place.revision, place.index + 1) : place
                left.events -= 1
            case .refusal(let found):
                refusal = isForward ? found.refusal.number.next : found.refusal.number
                left.refusals -= 1
            }
        }
        // If no more records were found, the next page does not search that range again.
        if wasAll.events, left.events == 0 { event = isForward ? end.event : AuditPlace(.genesis) }
        if wasAll.refusals, left.refusals == 0 { refusal = isForward ? end.refusal : .first }
        return AuditPage(
            records: try records(found.prefix(limit)), isLast: found.count <= limit, cursor: try self.cursor(event, refusal))
    }

    /// Returns the records from the first one on, up to the byte limit of a page, and how many of the found records were used.
    private func records(_ found: some Sequence<Found>) throws -> (records: [AuditRecord], count: Int) {
        var (records, count, bytes): ([AuditRecord], Int, Int) = ([], 0, 0)
        var described: DescribedCommit?
        return try found.compactMap { found in
            switch found {
            case .event(let place): try events?.record(at: place, &described)
            case .refusal(let found): try AuditRecord(found.refusal, hash: found.hash)
            }
        }
    }

    // MARK: Cursors

    private func cursor(_ event: AuditPlace, _ refusal: RefusalNumber) throws -> AuditCursor {
        guard let history = try history(event, refusal) else { throw IndexError.damaged }
        return AuditCursor(events: event, refusals: refusal, filter: filter.digest, history: history)
    }

    private func check(_ cursor: AuditCursor) throws {
        guard try history(cursor.events, cursor.refusals) == cursor.history else {
            throw Refusal(
                .malformed,
                "the cursor is of another store, or of this one before it lost some of its log: begin with the first page")
        }
        guard cursor.filter == filter.digest else {
            throw Refusal(.malformed, "the cursor is of another list: give the filter and the order of the page before")
        }
    }

    /// Returns the first bytes of SHA-256 of the hashes of the last commit and the last refusal before the positions. These hashes
    /// cover the whole history before them. Nil if the positions are at the beginning.
    private func history(_ event: AuditPlace, _ refusal: RefusalNumber) throws -> [UInt8]? {
        let revision = Revision(max(event.revision.rawValue, 1) - 1)
        guard event <= end.event, refusal <= end.refusal else { return nil }
        var bytes = try log.hash(of: revision).bytes
        if refusal > .first {
            let last = RefusalNumber(refusal.rawValue - 1)
            try log.forEachRefusal(from: last, to: last) { _, hash in bytes += hash.bytes }
        }
        return Array(Digest(of: bytes.span).bytes.prefix(8))
    }
}
