import EventLog
import Events
import Hashing
import LMDB
import TestSupport
import Testing

@Suite("Log: the separate chain of refused commands")
struct RefusalChainTests {
    /// Creates a log with a refusal after every commit except the first two.
    private func mixedLog(_ small: SmallLog, commits: Int = 6) throws -> EventLog {
        let log = try small.open()
        for number in 0..<commits {
            let refusals = number < 2 ? [] : [SmallLog.refusal(number - 1)]
            _ = try log.append([SmallLog.commit(number)], refusals: refusals)
        }
        return log
    }

    @Test("E9: Recorded refusals are read back in order, also by another process and after reopening")
    func roundTrip() throws {
        let small = try SmallLog()
        let log = try small.open()
        let commits = (0..<5).map(SmallLog.commit)
        let refusals = (1...9).map(SmallLog.refusal)
        _ = try log.append([commits[0], commits[1]])
        #expect(log.lastRefusal == nil)
        #expect(try log.refusals() == [])
        _ = try log.append([], refusals: [refusals[0]])
        _ = try log.append([commits[2]], refusals: Array(refusals[1..<4]))
        _ = try log.append([commits[3], commits[4]])
        _ = try log.append([], refusals: Array(refusals[4...]))
        #expect(log.lastRefusal?.number == RefusalNumber(9))
        #expect(try log.refusals() == refusals)
        #expect(try log.refusals(from: 4, to: 6) == Array(refusals[3...5]))
        #expect(try log.refusals(from: 9, to: 99) == [refusals[8]])
        #expect(try log.refusals(from: 10, to: 99) == [])
        #expect(try log.refusals(from: 0, to: 1) == [refusals[0]])
        #expect(try log.commits() == commits)
        let last = log.lastRefusal
        log.close()
        let again = try small.open(isReadOnly: true)
        #expect(again.lastRefusal == last)
        #expect(again.head?.revision == Revision(4))
        #expect(try again.refusals() == refusals)
        #expect(try again.commits() == commits)
        for commit in commits { #expect(try again.read { try $0.time(of: commit.revision) } == commit.time) }
        #expect(try again.read { try $0.scanEvents() } == commits.reduce(0) { $0 + $1.events.count })
        again.close()
    }

    @Test("E1: Refusals between commits change neither the commits nor their hashes nor the head", arguments: 0...5)
    func commitsStayTheSame(refusedBehind: Int) throws {
        let (one, other) = (try SmallLog(), try SmallLog())
        let (plain, mixed) = (try one.open(), try other.open())
        for number in 0..<6 {
            _ = try plain.append([SmallLog.commit(number)])
            _ = try mixed.append([SmallLog.commit(number)])
            if number == refusedBehind { _ = try mixed.append([], refusals: [SmallLog.refusal(1)]) }
            #expect(plain.head == mixed.head)
        }
        for number in 0..<6 {
            let revision = Revision(UInt64(number))
            #expect(try plain.read { try $0.hash(of: revision) } == mixed.read { try $0.hash(of: revision) })
            #expect(try plain.read { try $0.commit(at: revision) } == mixed.read { try $0.commit(at: revision) })
        }
        plain.close()
        mixed.close()
        // Both files have the same values in the same order. The file with refusals has one more row, for the name of their table.
        let values = try one.rows()
        let name = Array("refusals".utf8)
        #expect(try other.rows(of: nil).filter { $0.key != name }.map(\.value) == values)
        #expect(try other.rows(of: nil).count == 7)
    }

    @Test(
        "E9: A refusal number out of sequence is refused, changes nothing and does not stop the log", arguments: [0, 1, 4, 7])
    func numbersFollow(number: Int) throws {
        let small = try SmallLog()
        let log = try mixedLog(small)
        let (head, last) = (log.head, log.lastRefusal)
        #expect(last?.number == RefusalNumber(4))
        #expect(throws: LogError.self) { try log.append([SmallLog.commit(6)], refusals: [SmallLog.refusal(number)]) }
        #expect(throws: LogError.self) { try log.append([], refusals: [SmallLog.refusal(5), SmallLog.refusal(number)]) }
        #expect(throws: LogError.self) { try log.append([]) }
        #expect(log.head == head)
        #expect(log.lastRefusal == last)
        #expect(log.failure == nil)
        _ = try log.append([SmallLog.commit(6)], refusals: [SmallLog.refusal(5)])
        log.close()
    }

    @Test("E9: One changed byte at any position of any refusal is found by reading", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func everyByte(mask: UInt8) throws {
        let small = try SmallLog()
        try mixedLog(small).close()
        let rows = try small.rows(of: "refusals").map(\.value)
        #expect(rows.count == 4)
        for (index, row) in rows.enumerated() {
            for offset in row.indices {
                var damaged = row
                damaged[offset] ^= mask
                try small.rewriteRefusal(index + 1, damaged)
                #expect(throws: LogError.self, "byte \(offset) of refusal \(index + 1)") { try small.readRefusals() }
            }
            for value in [Array(row.dropLast()), row + [0], [], Array(row.suffix(32)), rows[(index + 1) % 4]] {
                try small.rewriteRefusal(index + 1, value)
                #expect(throws: LogError.self) { try small.readRefusals() }
            }
            if index < 3 {
                try small.rewriteRefusal(index + 1, nil)
                #expect(throws: LogError.missingRefusal(RefusalNumber(UInt64(index + 1)))) { try small.readRefusals() }
            }
            try small.rewriteRefusal(index + 1, row)
        }
        #expect(try small.readRefusals().count == 4)
    }

    @Test("E7: A refusal of a later format version is rejected with its number, and the commits stay readable")
    func laterFormat() throws {
        let small = try SmallLog()
        try mixedLog(small).close()
        let rows = try small.rows(of: "refusals").map(\.value)
        var bytes = Array(rows[3].dropLast(32))
        bytes[0] = 9
        try small.rewriteRefusal(4, try SmallLog.value(bytes, after: rows[2]))
        #expect(throws: LogError.unreadableRefusal(RefusalNumber(4), .unknownRefusalFormat(version: 9))) {
            try small.readRefusals()
        }
        #expect(try small.readAll().count == 6)
    }

    @Test("E9: A log with a wrong table name or foreign rows is damaged; it does not pass for a log without refusals")
    func unexpectedRows() throws {
        for key in [Array("refusalz".utf8), [0x40, 0, 0, 0, 0, 0, 0, 1], [7]] {
            let small = try SmallLog()
            try mixedLog(small).close()
            try small.put([1, 2, 3], under: key)
            #expect(throws: LogError.unexpectedRows) { try small.open() }
        }
        // A commit with a wrong key counts as missing.
        let small = try SmallLog(commits: 4)
        try small.rewrite(2, nil)
        #expect(throws: LogError.unexpectedRows) { try small.open() }
    }

    @Test("The log's map grows from a few pages while refusals are written, including the first one")
    func mapGrowth() throws {
        for size in [0, 20_000] {
            let small = try SmallLog()
            let log = try small.open(mapBytes: 1 << 15)
            _ = try log.append([SmallLog.commit(0)])
            var refusals: [RecordedRefusal] = []
            for number in 1...30 {
                var refusal = SmallLog.refusal(number)
                refusal.message = String(repeating: "x", count: size + 100 * number)
                refusals.append(refusal)
                _ = try log.append([SmallLog.commit(number)], refusals: [refusal])
            }
            #expect(try log.refusals() == refusals)
            #expect(try log.commits().count == 31)
            log.close()
            #expect(try small.readRefusals() == refusals)
        }
    }

    @Test("E9: A log that is open during the first refusal finds it without reopening")
    func readerFollows() throws {
        let small = try SmallLog(commits: 2)
        let log = try small.open()
        #expect(try log.refusals() == [])
        let view = try log.beginReading()
        _ = try log.append([], refusals: [SmallLog.refusal(1)])
        // The view shows the moment when it began. The table did not exist then.
        var seen = 0
        try view.forEachRefusal(from: .first, to: RefusalNumber(9)) { _, _ in seen += 1 }
        view.end()
        #expect(seen == 0)
        #expect(try log.refusals() == [SmallLog.refusal(1)])
        log.close()
    }
}
