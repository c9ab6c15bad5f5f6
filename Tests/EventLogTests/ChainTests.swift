import EventLog
import Events
import Hashing
import TestSupport
import Testing

@Suite("Log: the hash chain covers every byte")
struct ChainTests {
    @Test("One changed byte at any position of any record is found by reading", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func everyByte(mask: UInt8) throws {
        let small = try SmallLog(commits: 6)
        let rows = try small.rows()
        for (revision, row) in rows.enumerated() {
            for offset in row.indices {
                var damaged = row
                damaged[offset] ^= mask
                try small.rewrite(revision, damaged)
                #expect(throws: LogError.self, "byte \(offset) of revision \(revision)") { try small.readAll() }
            }
            try small.rewrite(revision, row)
        }
        #expect(try small.readAll().count == 6)
    }

    @Test("A record that is empty, missing, or a byte shorter or longer is found by reading")
    func lengths() throws {
        let small = try SmallLog(commits: 4)
        let rows = try small.rows()
        for (revision, row) in rows.enumerated() {
            for value in [Array(row.dropLast()), row + [0], [], Array(row.suffix(32)), nil] where value != nil || revision < 3 {
                try small.rewrite(revision, value)
                #expect(throws: LogError.self) { try small.readAll() }
                try small.rewrite(revision, row)
            }
        }
        #expect(try small.readAll().count == 4)
    }

    @Test("Swapped or repeated records are found by reading")
    func places() throws {
        let small = try SmallLog(commits: 5)
        let rows = try small.rows()
        for first in 0..<5 {
            for second in 0..<5 where second != first {
                try small.rewrite(first, rows[second])
                #expect(throws: LogError.self) { try small.readAll() }
                try small.rewrite(second, rows[first])
                #expect(throws: LogError.self) { try small.readAll() }
                try small.rewrite(first, rows[first])
                try small.rewrite(second, rows[second])
            }
        }
        #expect(try small.readAll().count == 5)
    }

    @Test("A rewritten history with consistent hashes has a different head hash")
    func rewrittenPast() throws {
        let small = try SmallLog(commits: 5)
        let rows = try small.rows()
        let head = Digest(bytes: Array(rows[4].suffix(32)))
        var previous = rows[0]
        for revision in 1..<5 {
            var bytes = Array(rows[revision].dropLast(32))
            // The lowest byte of the time of the first commit.
            if revision == 1 { bytes[2] ^= 1 }
            previous = try SmallLog.value(bytes, after: previous)
            try small.rewrite(revision, previous)
        }
        #expect(try small.readAll().count == 5)
        let log = try small.open(isReadOnly: true)
        #expect(log.head?.hash != head)
        log.close()
    }

    @Test("The time of a revision is checked against its hash")
    func timesAreChecked() throws {
        let small = try SmallLog(commits: 4)
        let row = try small.rows()[2]
        // Eight bytes of time follow the version and the revision.
        for offset in 2..<10 {
            var damaged = row
            damaged[offset] ^= 4
            try small.rewrite(2, damaged)
            let log = try small.open(isReadOnly: true)
            #expect(throws: LogError.brokenChain(Revision(2))) { try log.read { try $0.time(of: Revision(2)) } }
            log.close()
        }
    }

    @Test("Some events of a commit are returned only after its hash was checked, of small and large commits", arguments: [1, 5000])
    func someEventsAreChecked(events: Int) throws {
        let small = try SmallLog(commits: 3)
        var commit = SmallLog.commit(2)
        commit.events = Array(repeating: commit.events[0], count: events)
        var writer = ByteWriter()
        CommitCodec.encode(commit, into: &writer)
        let row = try SmallLog.value(writer.bytes, after: small.rows()[1])
        func read(_ row: [UInt8]) throws -> [[Event]] {
            try small.rewrite(2, row)
            let log = try small.open(isReadOnly: true)
            defer { log.close() }
            return try (0..<2).map { _ in try log.read { try $0.commit(at: Revision(2), eventsAt: [0, events]).commit.events } }
        }
        #expect(try read(row) == Array(repeating: [commit.events[0]], count: 2))
        for offset in stride(from: 0, to: row.count, by: max(1, row.count / 20)) {
            var damaged = row
            damaged[offset] ^= 4
            #expect(throws: LogError.self, "byte \(offset)") { try read(damaged) }
        }
    }
}

@Suite("Log: later formats")
struct FutureFormatTests {
    @Test("E7: A record of a later format is rejected, and the file is unchanged", arguments: [2, 3], [2, 99, 255] as [UInt8])
    func formatVersion(revision: Int, version: UInt8) throws {
        let small = try SmallLog(commits: 4)
        let rows = try small.rows()
        var previous = rows[revision - 1]
        for later in revision..<4 {
            var bytes = Array(rows[later].dropLast(32))
            if later == revision { bytes[0] = version }
            previous = try SmallLog.value(bytes, after: previous)
            try small.rewrite(later, previous)
        }
        let before = try FileBytes.read(small.path + "/data.mdb")
        let error = #expect(throws: LogError.self) { try small.readAll() }
        #expect(error == .unreadable(Revision(UInt64(revision)), .unknownFormat(version: version)))
        #expect(error?.description.contains("format version \(version)") == true)
        #expect(error?.description.contains("use a later one") == true)
        // Opening reads the last record, so a log with an unreadable last record cannot be opened for writing.
        if let error, revision == 3 { #expect(throws: error) { try small.open() } }
        #expect(try FileBytes.read(small.path + "/data.mdb") == before)
    }

    @Test("E7: An event of a later kind or version is rejected by number", arguments: [(200, 1), (14, 2)] as [(UInt8, UInt8)])
    func eventVersion(kind: UInt8, version: UInt8) throws {
        let small = try SmallLog(commits: 2)
        let rows = try small.rows()
        var bytes = Array(rows[1].dropLast(32))
        // Kind, version, length and payload follow the header of the commit.
        let header = bytes.count - bytesOfEvents(SmallLog.commit(1))
        bytes[header] = kind
        bytes[header + 1] = version
        try small.rewrite(1, try SmallLog.value(bytes, after: rows[0]))
        let error = #expect(throws: LogError.self) { try small.readAll() }
        #expect(error == .unreadable(Revision(1), .unknownEvent(kind: kind, version: version)))
    }

    private func bytesOfEvents(_ commit: Commit) -> Int {
        var (whole, head) = (ByteWriter(), ByteWriter())
        CommitCodec.encode(commit, into: &whole)
        CommitCodec.encode(
            Commit(revision: commit.revision, time: commit.time, actor: commit.actor, origin: commit.origin, events: []),
            into: &head)
        return whole.bytes.count - head.bytes.count
    }
}
