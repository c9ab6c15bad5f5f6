public import Events
internal import LMDB

/// A pattern for audit records: a record matches if it has at least one term of each group. Without groups all records match.
public struct AuditPattern: Sendable {
    /// The numbers of each facet; a record must have one of them.
    private let wanted: [(facet: AuditFacet, ids: [UInt64])]

    /// - Parameter groups: terms of one facet each; a record must have at least one of each group.
    public init(_ groups: [[AuditTerm]]) {
        wanted = groups.compactMap { group in group.first.map { ($0.facet, group.map(\.id).sorted()) } }
    }

    func records(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> AuditRecords {
        var sections: [Range<Int>] = []
        for _ in AuditFacet.allCases { sections.append(try reader.range(row)) }
        var records = AuditRecords(all: true)
        for (facet, ids) in wanted where !records.isEmpty {
            records.formIntersection(try AuditPostings.records(with: ids, in: sections[Int(facet.rawValue)], of: row))
        }
        return records
    }
}

/// The blocks of the audit, with the search terms of its records.
extension IndexReader {
    /// The number of blocks of events. Events after the last block are only in the log.
    public var eventBlocks: UInt64 { state.eventBlocks }

    /// The number of blocks of refusals.
    public var refusalBlocks: UInt64 { state.refusalBlocks }

    /// Returns the position of the first event that is not in a block.
    public func endOfEventBlocks() throws -> EventPosition {
        try tables.endOfEventBlocks(state, in: transaction)
    }

    /// The number of the first refusal that is not in a block.
    public var endOfRefusalBlocks: RefusalNumber { RefusalNumber(refusalBlocks * UInt64(AuditRecords.capacity) + 1) }

    /// Returns the block that contains an event at a position: the last one that begins at or before it. Logarithmic.
    public func eventBlock(of place: EventPosition) throws -> UInt64 {
        var (low, high) = (UInt64(0), eventBlocks)
        while high - low > 1 {
            let middle = (low + high) / 2
            let first = try tables.withBlock(.events, middle, in: transaction) { row, reader in
                try EventSpan.first(row, &reader)
            }
            if first <= place { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns the begin of a block, and the positions of its events that match a pattern. Linear in the terms of the block up to
    /// the wanted ones, and in its commits.
    ///
    /// - Parameters:
    ///   - block: the number of the block.
    ///   - pattern: the filters of the audit.
    ///   - places: the positions to search.
    ///   - limit: the largest number of positions.
    ///   - isNewestFirst: whether to return the last positions, in descending order, and not the first ones.
    public func events(
        ofBlock block: UInt64, with pattern: AuditPattern, in places: Range<EventPosition>, limit: Int, isNewestFirst: Bool
    ) throws -> (begin: EventPosition, found: [EventPosition]) {
        try tables.withBlock(.events, block, in: transaction) { row, reader in
            var start = reader
            try EventSpan.skip(row, &reader)
            let records = try pattern.records(row, &reader)
            if records.isEmpty { return (try EventSpan.first(row, &start), []) }
            let span = try EventSpan(row, &start)
            let range = span.record(at: places.lowerBound)..<span.record(at: places.upperBound)
            if isNewestFirst { return (span.first, span.places(of: records.all(in: range).suffix(limit)).reversed()) }
            return (span.first, span.places(of: records.all(in: range).prefix(limit)))
        }
    }

    /// Returns the number of the block for a refusal. The block exists only if it is full.
    public func refusalBlock(of number: RefusalNumber) -> UInt64 { (number.rawValue - 1) / UInt64(AuditRecords.capacity) }

    /// Returns the numbers of the refusals of a block that may match a pattern, in order; empty if all of them are outside the
    /// times or revisions. Linear in the block.
    public func refusals(
        ofBlock block: UInt64, with pattern: AuditPattern, in times: ClosedRange<Instant>, heads: ClosedRange<Revision>
    ) throws -> [RefusalNumber] {
        try tables.withBlock(.refusals, block, in: transaction) { row, reader in
            let span = try RefusalSpan(row, &reader)
            let earliest = state.time(of: span.firstHead, recorded: span.earliest)
            guard times.lowerBound <= span.latest, earliest <= times.upperBound, heads.lowerBound <= span.lastHead,
                span.firstHead <= heads.upperBound
            else { return [] }
            let first = block * UInt64(AuditRecords.capacity) + 1
            return try pattern.records(row, &reader).all().map { RefusalNumber(first + UInt64($0)) }
        }
    }
}
