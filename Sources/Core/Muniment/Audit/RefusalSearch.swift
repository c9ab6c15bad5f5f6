internal import EventLog
internal import Events
internal import Hashing
internal import Projections

/// Finds the refused commands that match a selection. Uses the blocks of the audit, and reads the refusal records after the last
/// block.
struct RefusalSearch {
    /// A matching refusal, and the hash of the chain up to it.
    struct Found {
        let refusal: RecordedRefusal
        let hash: String
    }

    private let reader: IndexReader
    private let log: LogReader
    private let selection: AuditSelection
    private let pattern: AuditPattern

    /// Returns nil if no refusal can match.
    init?(_ reader: IndexReader, _ log: LogReader, _ selection: AuditSelection) {
        guard let pattern = selection.refusals else { return nil }
        (self.reader, self.log, self.selection, self.pattern) = (reader, log, selection, pattern)
    }

    /// Returns the position after the last refusal at a revision that the index contains.
    static func end(_ reader: IndexReader, _ log: LogReader) throws -> RefusalNumber {
        guard var last = try log.lastRefusal()?.number else { return .first }
        // Refusals of a group of transactions may be in the log before they are in the index.
        while last >= .first {
            var head = Revision.genesis
            try log.forEachRefusal(from: last, to: last) { refusal, _ in head = refusal.head }
            if head <= reader.state.revision { break }
            last = RefusalNumber(last.rawValue - 1)
        }
        return last.next
    }

    /// Returns the first matching refusals of a range, in order.
    func first(_ limit: Int, in span: Range<RefusalNumber>) throws -> [Found] {
        var found: [Found] = []
        let blocks = self.blocks(span)
        for block in blocks where found.count < limit {
            for number in try candidates(block) where span.contains(number) && found.count < limit {
                found += try inspect(number...number)
            }
        }
        if found.count < limit { found += try inspect(behindBlocks(span)).prefix(limit - found.count) }
        return found
    }

    /// Returns the last matching refusals of a range, the last one first.
    func last(_ limit: Int, in span: Range<RefusalNumber>) throws -> [Found] {
        var found = Array(try inspect(behindBlocks(span)).reversed().prefix(limit))
        for block in blocks(span).reversed() where found.count < limit {
            for number in try candidates(block).reversed() where span.contains(number) && found.count < limit {
                found += try inspect(number...number)
            }
        }
        return found
    }

    private func blocks(_ span: Range<RefusalNumber>) -> Range<UInt64> {
        guard !span.isEmpty else { return 0..<0 }
        let last = RefusalNumber(span.upperBound.rawValue - 1)
        let end = min(reader.refusalBlock(of: last) + 1, reader.refusalBlocks)
        return min(reader.refusalBlock(of: span.lowerBound), end)..<end
    }

    private func candidates(_ block: UInt64) throws -> [RefusalNumber] {
        try reader.refusals(ofBlock: block, with: pattern, in: selection.times, heads: selection.revisions)
    }

    private func behindBlocks(_ span: Range<RefusalNumber>) -> ClosedRange<RefusalNumber>? {
        let first = max(span.lowerBound, reader.endOfRefusalBlocks)
        return first < span.upperBound ? first...RefusalNumber(span.upperBound.rawValue - 1) : nil
    }

    private func inspect(_ numbers: ClosedRange<RefusalNumber>?) throws -> [Found] {
        guard let numbers else { return [] }
        var found: [Found] = []
        try log.forEachRefusal(from: numbers.lowerBound, to: numbers.upperBound) { refusal, hash in
            if selection.matches(refusal) { found.append(Found(refusal: refusal, hash: hash.description)) }
        }
        return found
    }
}
