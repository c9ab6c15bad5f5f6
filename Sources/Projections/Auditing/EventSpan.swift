public import Events

/// Where an event stands in the log.
public struct AuditPlace: Hashable, Comparable, Sendable {
    public var revision: Revision
    /// Which of the events of its commit it is, from 0.
    public var index: UInt64

    public init(_ revision: Revision, _ index: UInt64 = 0) {
        self.revision = revision
        self.index = index
    }

    public static func < (left: AuditPlace, right: AuditPlace) -> Bool {
        (left.revision, left.index) < (right.revision, right.index)
    }
}

/// Which events a block is of: where the first one stands, and how many there are of each commit from there on. The last commit may
/// go on in the next block.
struct EventSpan {
    private(set) var first: AuditPlace
    private(set) var counts: [UInt64] = []

    init(first: AuditPlace) { self.first = first }

    /// Counts the event at a place, behind those that were counted.
    mutating func add(_ place: AuditPlace) {
        if counts.isEmpty {
            first = place
            counts = [1]
        } else if place.index == 0 {
            counts.append(1)
        } else {
            counts[counts.count - 1] += 1
        }
    }

    /// Where the block goes on behind its last event, if the commit does.
    var end: AuditPlace {
        guard let last = counts.last else { return first }
        let revision = Revision(first.revision.rawValue + UInt64(counts.count) - 1)
        return AuditPlace(revision, counts.count == 1 ? first.index + last : last)
    }

    /// Hands out where some records of the block stand, in order.
    func places(of records: [Int]) -> [AuditPlace] {
        var places: [AuditPlace] = []
        places.reserveCapacity(records.count)
        var commit = 0
        var begin: UInt64 = 0
        for record in records.lazy.map(UInt64.init) {
            while commit < counts.count, record >= begin + counts[commit] {
                begin += counts[commit]
                commit += 1
            }
            let index = record - begin + (commit == 0 ? first.index : 0)
            places.append(AuditPlace(Revision(first.revision.rawValue + UInt64(commit)), index))
        }
        return places
    }

    // MARK: As bytes

    /// The place of the first event, and then, for each run of commits with as many events, how many these are and how many commits.
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

    init(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(DecodingFault) {
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

    static func first(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(DecodingFault) -> AuditPlace {
        AuditPlace(Revision(try reader.varint(row)), try reader.varint(row))
    }
}
