internal import EventLog
internal import Events
internal import Hashing
internal import Projections

/// Finds the events that match a selection. Uses the blocks of the audit, and reads the log for events after the last block.
struct EventSearch {
    let reader: IndexReader
    let log: LogReader
    let selection: AuditSelection
    private let pattern: AuditPattern
    /// The ranges of the log with matching revisions and times, in order.
    private let spans: [Range<EventPosition>]
    private let endOfBlocks: EventPosition
    private let names = NameMemory()

    /// Returns nil if no event can match.
    init?(_ reader: IndexReader, _ log: LogReader, _ selection: AuditSelection) throws {
        guard let pattern = selection.events else { return nil }
        (self.reader, self.log, self.selection, self.pattern) = (reader, log, selection, pattern)
        endOfBlocks = try reader.endOfEventBlocks()
        var spans: [Range<EventPosition>] = []
        // Revision 0 is valid before the first commit, whatever its time.
        if selection.revisions.contains(.genesis), selection.times.contains(try reader.time(of: .genesis, in: log)) {
            spans.append(EventPosition(.genesis)..<EventPosition(Revision.genesis.next))
        }
        let before = selection.times.lowerBound
        let first = before == .distantPast ? .genesis : try reader.revision(at: before.advanced(byMicroseconds: -1))
        let last =
            selection.times.upperBound == .forever ? reader.state.revision : try reader.revision(at: selection.times.upperBound)
        let (low, high) = (max(first.next, selection.revisions.lowerBound), min(last, selection.revisions.upperBound))
        if low <= high { spans.append(EventPosition(low)..<EventPosition(high.next)) }
        self.spans = spans
    }

    /// Returns the first matching events from a position on, in order.
    func first(_ limit: Int, from place: EventPosition) throws -> [EventPosition] {
        var found: [EventPosition] = []
        for span in spans {
            let span = max(span.lowerBound, place)..<max(span.upperBound, place)
            guard !span.isEmpty, found.count < limit else { continue }
            var block = try reader.eventBlock(of: span.lowerBound)
            while block < reader.eventBlocks, found.count < limit {
                let (first, places) = try reader.events(
                    ofBlock: block, with: pattern, in: span, limit: limit - found.count, isNewestFirst: false)
                guard first < span.upperBound else { break }
                found += places
                block += 1
            }
            if found.count < limit { found += try behindBlocks(span).prefix(limit - found.count) }
        }
        return found
    }

    /// The number of matching events. They are read in pieces, so that memory does not grow with the log.
    var count: Int {
        get throws {
            var (count, place) = (0, EventPosition(.genesis))
            while true {
                let found = try first(Self.pieceEvents, from: place)
                count += found.count
                guard found.count == Self.pieceEvents, let last = found.last else { return count }
                place = EventPosition(last.revision, last.index + 1)
            }
        }
    }

    private static let pieceEvents = 100_000

    /// Returns the last matching events before a position, the last one first.
    func last(_ limit: Int, before place: EventPosition) throws -> [EventPosition] {
        var found: [EventPosition] = []
        for span in spans.reversed() {
            let span = min(span.lowerBound, place)..<min(span.upperBound, place)
            guard !span.isEmpty, found.count < limit else { continue }
            found += try behindBlocks(span).reversed().prefix(limit - found.count)
            guard reader.eventBlocks > 0 else { continue }
            var block = try reader.eventBlock(of: span.upperBound)
            while found.count < limit {
                let (first, places) = try reader.events(
                    ofBlock: block, with: pattern, in: span, limit: limit - found.count, isNewestFirst: true)
                found += places
                guard block > 0, first > span.lowerBound else { break }
                block -= 1
            }
        }
        return found
    }

    /// Returns the matching events of a range that are in no block.
    private func behindBlocks(_ span: Range<EventPosition>) throws -> [EventPosition] {
        let span = max(span.lowerBound, endOfBlocks)..<max(span.upperBound, endOfBlocks)
        guard !span.isEmpty else { return [] }
        let last = span.upperBound.index > 0 ? span.upperBound.revision : Revision(span.upperBound.revision.rawValue - 1)
        var found: [EventPosition] = []
        try log.forEachCommit(from: span.lowerBound.revision, to: min(last, reader.state.revision)) { commit, _ in
            for (index, event) in commit.events.enumerated() where selection.matches(event, of: commit) {
                let place = EventPosition(commit.revision, UInt64(index))
                if span.contains(place) { found.append(place) }
            }
        }
        return found
    }

    /// Reads some events of a commit, and no others.
    ///
    /// - Parameter indexes: the indexes of the events in the commit, in ascending order.
    func read(_ indexes: [Int], of revision: Revision) throws -> FoundEvents {
        let (commit, hash) = try log.commit(at: revision, eventsAt: indexes)
        return FoundEvents(
            commit: DescribedCommit(commit: commit, hash: hash, reader: reader, names: names),
            events: Dictionary(uniqueKeysWithValues: zip(indexes, commit.events)))
    }

    /// Returns an event as a record. Returns nil if the event was found by a checksum that another text shares.
    ///
    /// - Throws: `IndexError` if the event does not match its index entry.
    func record(at index: Int, of found: FoundEvents) throws -> AuditRecord? {
        guard let event = found.events[index], selection.covers(found.commit.commit) else { throw IndexError.damaged }
        guard selection.matches(event, of: found.commit.commit) else {
            if selection.isFoundByText { return nil }
            throw IndexError.damaged
        }
        return try AuditRecord(event, at: index, of: found.commit, hash: found.commit.hash)
    }
}

struct FoundEvents {
    let commit: DescribedCommit
    /// By their index in the commit.
    let events: [Int: Event]
}
