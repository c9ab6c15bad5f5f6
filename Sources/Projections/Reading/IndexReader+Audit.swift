public import Events
internal import LMDB

/// Which terms the records of a list have: one of the terms of each group. Without groups all records are meant.
public struct AuditPattern: Sendable {
    /// For each facet that is asked for, the numbers of which one has to be there.
    private let wanted: [(facet: AuditFacet, ids: Set<UInt64>)]

    /// - Parameter groups: terms of one facet each; a record has to have one of each group.
    public init(_ groups: [[AuditTerm]]) {
        wanted = groups.compactMap { group in group.first.map { ($0.facet, Set(group.map(\.id))) } }
    }

    func records(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(DecodingFault) -> AuditRecords {
        var sections: [Range<Int>] = []
        for _ in AuditFacet.allCases { sections.append(try reader.range(row)) }
        var records = AuditRecords(all: true)
        for (facet, ids) in wanted where !records.isEmpty {
            records.formIntersection(try AuditPostings.records(with: ids, in: sections[Int(facet.rawValue)], of: row))
        }
        return records
    }
}

/// The blocks of the audit: what its records are found by.
extension IndexReader {
    /// How many blocks of events there are. What comes behind the last of them is in the log alone.
    public var eventBlocks: UInt64 { state.eventCount / UInt64(AuditRecords.capacity) }

    /// How many blocks of refusals there are.
    public var refusalBlocks: UInt64 { state.refusalBlocks }

    /// Where the events begin that are in no block.
    public func endOfEventBlocks() throws -> AuditPlace {
        eventBlocks == 0 ? AuditPlace(.genesis) : try tables.eventSpan(eventBlocks - 1, in: transaction).end
    }

    /// The number of the first refusal that is in no block.
    public var endOfRefusalBlocks: RefusalNumber { RefusalNumber(refusalBlocks * UInt64(AuditRecords.capacity) + 1) }

    /// The block that an event at a place would be in: the last one that begins at or before it. Logarithmic.
    public func eventBlock(of place: AuditPlace) throws -> UInt64 {
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

    /// Where a block begins, and where its events stand that have some terms, in order. Linear in the block.
    public func events(
        ofBlock block: UInt64, with pattern: AuditPattern
    ) throws -> (begin: AuditPlace, found: [AuditPlace]) {
        try tables.withBlock(.events, block, in: transaction) { row, reader in
            let span = try EventSpan(row, &reader)
            return (span.first, span.places(of: try pattern.records(row, &reader).all))
        }
    }

    /// The block that a refusal is in, if it is full.
    public func refusalBlock(of number: RefusalNumber) -> UInt64 { (number.rawValue - 1) / UInt64(AuditRecords.capacity) }

    /// The numbers of the refusals of a block that may have some terms, in order; none where all of them were at another time or
    /// another revision. Linear in the block.
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
            return try pattern.records(row, &reader).all.map { RefusalNumber(first + UInt64($0)) }
        }
    }
}
