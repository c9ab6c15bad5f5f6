public import Events

/// The position of an event in the log.
public struct EventPosition: Hashable, Comparable, Sendable {
    public var revision: Revision
    /// The index of the event in its commit, from 0.
    public var index: UInt64

    public init(_ revision: Revision, _ index: UInt64 = 0) {
        self.revision = revision
        self.index = index
    }

    public static func < (left: EventPosition, right: EventPosition) -> Bool {
        (left.revision, left.index) < (right.revision, right.index)
    }
}

/// The events of a block: the position of the first one, and the number of events of each commit from there on. The last commit
/// may continue in the next block.
struct EventSpan {
    private(set) var first: EventPosition
    private(set) var counts: [UInt64] = []

    init(first: EventPosition) { self.first = first }

    /// Adds the event at a position, which must follow the events added before.
    mutating func add(_ place: EventPosition) {
        if counts.isEmpty {
            first = place
            counts = [1]
        } else if place.index == 0 {
            counts.append(1)
        } else {
            counts[counts.count - 1] += 1
        }
    }

    /// The position after the last event of the block.
    var end: EventPosition {
        guard let last = counts.last else { return first }
        let revision = Revision(first.revision.rawValue + UInt64(counts.count) - 1)
        return EventPosition(revision, counts.count == 1 ? first.index + last : last)
    }

    /// Returns the number of the first record at or after a position; the number of records if there is none.
    func record(at place: EventPosition) -> Int {
        guard place > first else { return 0 }
        let commits = Int(clamping: place.revision.rawValue - first.revision.rawValue)
        let before = counts.prefix(commits).reduce(0, +)
        guard commits < counts.count else { return Int(before) }
        return Int(before + min(place.index - (commits == 0 ? first.index : 0), counts[commits]))
    }

    /// Returns the positions of some records of the block, in order.
    func places(of records: ArraySlice<Int>) -> [EventPosition] {
        var places: [EventPosition] = []
        places.reserveCapacity(records.count)
        var commit = 0
        var begin: UInt64 = 0
        for record in records.lazy.map(UInt64.init) {
            while commit < counts.count, record >= begin + counts[commit] {
                begin += counts[commit]
                commit += 1
            }
            let index = record - begin + (commit == 0 ? first.index : 0)
            places.append(EventPosition(Revision(first.revision.rawValue + UInt64(commit)), index))
        }
        return places
    }

    // MARK: As bytes

    /// Writes the position of the first event. Then writes, for each run of commits with equal numbers of events, that number and
    /// the number of commits.
    func write(into writer: inout ByteWriter) {
        writer.varint(first.revision.rawValue)
        writer.varint(first.index)
        var runs: [(events: UInt64, commits: UInt64)] = []
        for count in counts {
            if runs.last?.events == count { runs[runs.count - 1].commits += 1 } else { runs.append((count, 1)) }
        }
        writer.varint(UInt64(runs.count))
        for run in runs {
            writer.varint(run.events)
            writer.varint(run.commits)
        }
    }

    init(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) {
        first = try EventSpan.first(row, &reader)
        var sum: UInt64 = 0
        for _ in 0..<(try reader.varint(row)) {
            let (events, commits) = (try reader.varint(row), try reader.varint(row))
            let capacity = UInt64(AuditRecords.capacity)
            guard events > 0, events <= capacity, commits <= capacity, sum + events * commits <= capacity else {
                throw .malformed(what: "a span of events", offset: reader.offset)
            }
            sum += events * commits
            counts.append(contentsOf: repeatElement(events, count: Int(commits)))
        }
    }

    /// Moves to the end of a span without decoding it.
    static func skip(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) {
        _ = try first(row, &reader)
        for _ in 0..<(try reader.varint(row)) { _ = try (reader.varint(row), reader.varint(row)) }
    }

    static func first(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> EventPosition {
        EventPosition(Revision(try reader.varint(row)), try reader.varint(row))
    }
}

/// The range of times of a block's refusals, and the range of the last commits before them.
struct RefusalSpan {
    private(set) var earliest = Instant.forever
    private(set) var latest = Instant.distantPast
    private(set) var firstHead = Revision.genesis
    private(set) var lastHead = Revision.genesis
    private(set) var count = 0

    init() {}

    mutating func add(_ refusal: RecordedRefusal) {
        earliest = min(earliest, refusal.time)
        latest = max(latest, refusal.time)
        if count == 0 { firstHead = refusal.head }
        lastHead = refusal.head
        count += 1
    }

    func write(into writer: inout ByteWriter) {
        writer.fixed64(UInt64(bitPattern: earliest.microseconds))
        writer.fixed64(UInt64(bitPattern: latest.microseconds))
        writer.varint(firstHead.rawValue)
        writer.varint(lastHead.rawValue)
    }

    init(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) {
        earliest = Instant(microseconds: Int64(bitPattern: try reader.fixed64(row)))
        latest = Instant(microseconds: Int64(bitPattern: try reader.fixed64(row)))
        firstHead = Revision(try reader.varint(row))
        lastHead = Revision(try reader.varint(row))
        count = AuditRecords.capacity
    }
}
