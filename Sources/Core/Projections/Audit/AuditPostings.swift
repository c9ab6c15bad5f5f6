internal import Events

/// Collects the search terms of the records of a block, and writes them sorted. A run is a range of consecutive records with the
/// same term.
///
/// The format is, for each facet in order, a varint of its length in bytes, and then its terms, sorted by id. Each term has:
///
/// - a varint of the difference from the previous id; for the first term, the id itself
/// - a varint of the number of runs
/// - for each run, a varint of twice the number of records since the end of the previous run, plus 1 if the run has more than one
///   record; in that case also a varint of the number of records beyond two
struct AuditPostings {
    /// The runs of each facet, each packed into one number: the term's id (at most 42 bits), the first record (11 bits), and the
    /// number of records after it (11 bits).
    private var runs = [[UInt64]](repeating: [], count: AuditFacet.allCases.count)

    private static let recordBits: UInt64 = 11
    private static let recordMask: UInt64 = 1 << recordBits - 1

    /// Adds a term of a record.
    ///
    /// - Parameters:
    ///   - id: the id of the term, at most 40 bits.
    ///   - record: the position of the record in the block, not less than in the previous call.
    mutating func add(_ facet: AuditFacet, _ id: UInt64, record: Int) {
        let facet = Int(facet.rawValue)
        let run = id << (2 * Self.recordBits) | UInt64(record) << Self.recordBits
        if let last = runs[facet].last {
            // The next record with the same term extends the run.
            let next = (last >> Self.recordBits & Self.recordMask) + (last & Self.recordMask) + 1
            if last >> (2 * Self.recordBits) == id, next == UInt64(record) {
                runs[facet][runs[facet].count - 1] = last + 1
                return
            }
        }
        runs[facet].append(run)
    }

    mutating func removeAll() {
        for facet in runs.indices { runs[facet].removeAll(keepingCapacity: true) }
    }

    /// Sorts and writes the terms. `n log n`.
    mutating func write(into writer: inout ByteWriter) {
        var section = ByteWriter(capacity: 1 << 13)
        for facet in runs.indices {
            runs[facet].sort()
            section.removeAll()
            Self.write(runs[facet], into: &section)
            writer.blob(section.bytes)
        }
    }

    private static func write(_ runs: [UInt64], into writer: inout ByteWriter) {
        var previous: UInt64 = 0
        var first = 0
        var merged: [Range<UInt64>] = []
        while first < runs.count {
            let id = runs[first] >> (2 * recordBits)
            merged.removeAll(keepingCapacity: true)
            while first < runs.count, runs[first] >> (2 * recordBits) == id {
                let start = runs[first] >> recordBits & recordMask
                let end = start + (runs[first] & recordMask) + 1
                if let last = merged.last, start <= last.upperBound {
                    merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, end)
                } else {
                    merged.append(start..<end)
                }
                first += 1
            }
            writer.varint(id - previous)
            writer.varint(UInt64(merged.count))
            var end: UInt64 = 0
            for run in merged {
                writer.varint((run.lowerBound - end) << 1 | (run.count > 1 ? 1 : 0))
                if run.count > 1 { writer.varint(UInt64(run.count - 2)) }
                end = run.upperBound
            }
            previous = id
        }
    }

    /// Returns the records of a block that have at least one of the given terms of a facet.
    ///
    /// - Parameters:
    ///   - ids: the ids of the terms, in ascending order.
    ///   - section: the bytes of the facet in the row.
    ///   - row: the row of the block.
    /// - Throws: `CodecError` if the row is damaged, for example if a run ends after the last record of a block.
    static func records(
        with ids: [UInt64], in section: Range<Int>, of row: Span<UInt8>
    ) throws(CodecError) -> AuditRecords {
        var records = AuditRecords()
        var reader = ByteReader(offset: section.lowerBound)
        var id: UInt64 = 0
        var next = 0
        while reader.offset < section.upperBound {
            id &+= try reader.varint(row)
            while next < ids.count, ids[next] < id { next += 1 }
            guard next < ids.count else { break }
            let isWanted = ids[next] == id
            var end: UInt64 = 0
            for _ in 0..<(try reader.varint(row)) {
                let head = try reader.varint(row)
                let more = head & 1 == 0 ? 0 : try reader.varint(row) + 1
                let start = end + head >> 1
                end = start + more + 1
                guard end <= UInt64(AuditRecords.capacity) else {
                    throw .malformed(what: "a run of records", offset: reader.offset)
                }
                if isWanted { records.insert(Int(start)..<Int(end)) }
            }
        }
        return records
    }
}

/// A set of records of a block, with one bit for each record.
struct AuditRecords {
    /// The number of records in a full block.
    static let capacity = 2048

    private var words: [UInt64]

    init(all: Bool = false) { words = [UInt64](repeating: all ? .max : 0, count: Self.capacity / 64) }

    mutating func insert(_ range: Range<Int>) {
        for record in range { words[record / 64] |= 1 << UInt64(record % 64) }
    }

    mutating func formIntersection(_ other: AuditRecords) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Returns the positions of the records in a part of the block, in ascending order.
    func all(in range: Range<Int> = 0..<capacity) -> [Int] { range.filter { words[$0 / 64] >> UInt64($0 % 64) & 1 == 1 } }
}
