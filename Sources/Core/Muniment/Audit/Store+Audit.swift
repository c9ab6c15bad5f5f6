internal import EventLog
internal import Events
internal import Hashing
internal import Permissions
internal import Projections

/// A page of audit records, in the order of the filter.
public struct AuditPage: Hashable, Sendable {
    public let records: [AuditRecord]
    /// Whether this is the last page. If the order is oldest first, later records are added after it.
    public let isLast: Bool
    /// The cursor of the next page. If the order is oldest first, the cursor of the last page returns the records added since.
    public let cursor: AuditCursor
}

extension Store {
    /// Returns who changed what, when and from which address, and which commands were refused (CONFORMANCE E10).
    ///
    /// Records have the order of the log, which is chronological. A refused command follows the commit that was the last one before it.
    /// No record is skipped or repeated between pages, even if commits are added meanwhile.
    ///
    /// Reads one row of the index for every 2,048 records of the requested times or revisions. Reads at most as many commits as the page
    /// has records, and in addition the last 2,048 events and refusals.
    ///
    /// - Parameters:
    ///   - filter: selects the records and their order.
    ///   - cursor: the cursor of the previous page, with the same filter; nil for the first page.
    ///   - limit: records of a page, from 1 to ``Primitives/Limits/recordsPerPage``.
    /// - Throws: `Refusal` with `malformed` for an ill-formed name, an unknown kind, or a cursor of another list or store;
    ///   ``StoreError/noSuchRevision(_:head:)``; errors of the index and the log if they are damaged.
    public func audit(_ filter: AuditFilter = AuditFilter(), after cursor: AuditCursor? = nil, limit: Int) throws -> AuditPage {
        guard (1...Limits.recordsPerPage).contains(limit) else {
            throw Refusal(.malformed, "a page of the audit has from 1 to \(Limits.recordsPerPage) records, not \(limit)")
        }
        try checkIndex()
        return try withReader { reader in
            let selection = try AuditSelection(filter, reader, now: options.clock())
            // The log is read after the index, so that it contains everything that the index shows.
            return try log.readRefusals { log in
                let paging = try AuditPaging(reader, log, selection, filter)
                return try paging.page(after: cursor, limit: limit)
            }
        }
    }

    /// Returns the number of records that a filter selects.
    ///
    /// Reads one row of the index for every 2,048 records of the requested times or revisions, each matching refusal, and the last 2,048
    /// events and refusals. Two requests whose ids have the same checksum count as one.
    ///
    /// - Throws: as ``audit(_:after:limit:)``.
    public func auditCount(_ filter: AuditFilter = AuditFilter()) throws -> Int {
        try checkIndex()
        return try withReader { reader in
            let selection = try AuditSelection(filter, reader, now: options.clock())
            return try log.readRefusals { log in
                let events = try EventSearch(reader, log, selection)?.count ?? 0
                let end = try RefusalSearch.end(reader, log)
                return events + (try RefusalSearch(reader, log, selection)?.first(.max, in: .first..<end).count ?? 0)
            }
        }
    }
}

/// Merges the events and the refusals of the audit, page by page.
private struct AuditPaging {
    let reader: IndexReader
    let log: LogReader
    let filter: AuditFilter
    let events: EventSearch?
    let refusals: RefusalSearch?
    /// The places after the last event and after the last refusal.
    let end: (event: EventPosition, refusal: RefusalNumber)

    private enum Found {
        case event(EventPosition)
        case refusal(RefusalSearch.Found)

        /// A refusal comes after all events of the commit before it.
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
        end = (EventPosition(reader.state.revision.next), try RefusalSearch.end(reader, log))
    }

    func page(after cursor: AuditCursor?, limit: Int) throws -> AuditPage {
        if let cursor { try check(cursor) }
        let isForward = filter.order == .oldestFirst
        // If the order is newest first, records that are added after the first page belong before it.
        var (event, refusal) = isForward ? (EventPosition(.genesis), RefusalNumber.first) : end
        if let cursor { (event, refusal) = (cursor.events, cursor.refusals) }
        // One record more than the page has shows whether another page follows.
        let places = try isForward ? events?.first(limit + 1, from: event) : events?.last(limit + 1, before: event)
        let refused =
            try isForward
            ? refusals?.first(limit + 1, in: min(refusal, end.refusal)..<end.refusal)
            : refusals?.last(limit + 1, in: .first..<refusal)
        var found = (places ?? []).map(Found.event)
        if let refused, !refused.isEmpty {
            found += refused.map(Found.refusal)
            found.sort { isForward ? $0.order < $1.order : $0.order > $1.order }
        }
        var left = (events: places?.count ?? 0, refusals: refused?.count ?? 0)
        let wasAll = (events: left.events <= limit, refusals: left.refusals <= limit)
        let (records, count) = try records(found.prefix(limit))
        for found in found.prefix(count) {
            switch found {
            case .event(let place):
                event = isForward ? EventPosition(place.revision, place.index + 1) : place
                left.events -= 1
            case .refusal(let found):
                refusal = isForward ? found.refusal.number.next : found.refusal.number
                left.refusals -= 1
            }
        }
        // If no more records were found, the next page need not search this part again.
        if wasAll.events, left.events == 0 { event = isForward ? end.event : EventPosition(.genesis) }
        if wasAll.refusals, left.refusals == 0 { refusal = isForward ? end.refusal : .first }
        return AuditPage(
            records: records, isLast: found.count == count, cursor: try self.cursor(event, refusal))
    }

    /// Returns the first records, as many as the limits of a page in records and bytes allow, and how many of the found records were read.
    private func records(_ found: ArraySlice<Found>) throws -> (records: [AuditRecord], count: Int) {
        var (records, count, bytes): ([AuditRecord], Int, Int) = ([], 0, 0)
        var commit: FoundEvents?
        for (index, entry) in found.enumerated() {
            if bytes >= Limits.bytesPerPage { break }
            let record: AuditRecord?
            switch entry {
            case .event(let place):
                if commit?.commit.commit.revision != place.revision {
                    commit = try events?.read(indexes(of: place.revision, in: found.dropFirst(index)), of: place.revision)
                }
                record = try commit.flatMap { try events?.record(at: Int(clamping: place.index), of: $0) }
            case .refusal(let found): record = try AuditRecord(found.refusal, hash: found.hash)
            }
            count += 1
            guard let record else { continue }
            records.append(record)
            bytes += record.approximateBytes
        }
        return (records, count)
    }

    /// Returns the indexes of the events of a commit at the beginning of a list, in ascending order.
    private func indexes(of revision: Revision, in found: ArraySlice<Found>) -> [Int] {
        var indexes: [Int] = []
        for case .event(let place) in found {
            guard place.revision == revision else { break }
            indexes.append(Int(clamping: place.index))
        }
        return filter.order == .oldestFirst ? indexes : indexes.reversed()
    }

    // MARK: Cursors

    private func cursor(_ event: EventPosition, _ refusal: RefusalNumber) throws -> AuditCursor {
        guard let history = try history(event, refusal) else { throw IndexError.damaged }
        return AuditCursor(events: event, refusals: refusal, filter: filter.digest, history: history)
    }

    private func check(_ cursor: AuditCursor) throws {
        guard try history(cursor.events, cursor.refusals) == cursor.history else {
            throw Refusal(
                .malformed,
                "the cursor is from another store, or from a lost part of this store's log: begin with the first page")
        }
        guard cursor.filter == filter.digest else {
            throw Refusal(.malformed, "the cursor is from another list: use the filter and the order of the previous page")
        }
    }

    /// Returns the first bytes of SHA-256 over the hashes of the last commit and the last refusal before two places. They prove the
    /// history before these places. Returns nil if there is no commit and no refusal yet.
    private func history(_ event: EventPosition, _ refusal: RefusalNumber) throws -> [UInt8]? {
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
