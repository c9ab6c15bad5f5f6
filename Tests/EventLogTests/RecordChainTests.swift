import EventLog
import Events
import Hashing
import TestSupport
import Testing

@Suite("Record log: the hash chain covers every byte")
struct RecordChainTests {
    @Test(
        "One changed byte of any record is found by reading, and the record is named", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func everyByte(mask: UInt8) throws {
        let small = try SmallRecordLog(records: 5)
        for (index, row) in try small.rows().enumerated() {
            for offset in row.indices {
                var damaged = row
                damaged[offset] ^= mask
                try small.rewrite(index + 1, damaged)
                let number = RecordNumber(UInt64(index) + 1)
                #expect(throws: LogError.brokenRecord(number), "byte \(offset) of record \(number)") { try small.readAll() }
            }
            try small.rewrite(index + 1, row)
        }
        #expect(try small.readAll().count == 5)
    }

    @Test("A record that is empty, only a hash, or a byte shorter or longer is found by reading")
    func lengths() throws {
        let small = try SmallRecordLog(records: 4)
        for (index, row) in try small.rows().enumerated() {
            for value in [Array(row.dropLast()), row + [0], [], Array(row.suffix(32))] {
                try small.rewrite(index + 1, value)
                #expect(throws: LogError.brokenRecord(RecordNumber(UInt64(index) + 1))) { try small.readAll() }
            }
            try small.rewrite(index + 1, row)
        }
        #expect(try small.readAll().count == 4)
    }

    @Test("Swapped or repeated records are found by reading")
    func places() throws {
        let small = try SmallRecordLog(records: 4)
        let rows = try small.rows()
        for first in 1...4 {
            for second in 1...4 where second != first {
                try small.rewrite(first, rows[second - 1])
                #expect(throws: LogError.self) { try small.readAll() }
                try small.rewrite(second, rows[first - 1])
                #expect(throws: LogError.self) { try small.readAll() }
                try small.rewrite(first, rows[first - 1])
                try small.rewrite(second, rows[second - 1])
            }
        }
        #expect(try small.readAll().count == 4)
    }

    @Test("A range of records is checked against the record before it")
    func parts() throws {
        let small = try SmallRecordLog(records: 5)
        let rows = try small.rows()
        // Replaces record 2 and its hash. Record 3 still contains the hash of the original record 2.
        let other: [UInt8] = [77]
        let before = try #require(Digest(bytes: Array(rows[0].suffix(Digest.byteCount))))
        try small.rewrite(2, other + Digest(chaining: before, other).bytes)
        let log = try small.open(isReadOnly: true)
        defer { log.close() }
        #expect(throws: LogError.brokenRecord(RecordNumber(3))) { try log.records(from: 3, to: 3) }
        #expect(try log.records(from: 4, to: 5).count == 2)
    }

    @Test("A missing record at any position is found when the log is opened", arguments: [1, 2, 4])
    func gaps(number: Int) throws {
        let small = try SmallRecordLog(records: 5)
        try small.rewrite(number, nil)
        #expect(throws: LogError.unexpectedRows) { try small.open() }
        #expect(throws: LogError.unexpectedRows) { try small.open(isReadOnly: true) }
    }

    @Test("A missing record is found by reading, even if another row keeps the number of rows the same")
    func hiddenGap() throws {
        let small = try SmallRecordLog(records: 5)
        let rows = try small.rows()
        try small.rewrite(2, nil)
        try small.rewrite(0, rows[1])
        #expect(throws: LogError.missingRecord(RecordNumber(2))) { try small.readAll() }
    }

    @Test(
        "Rows with keys that are not record numbers are rejected",
        arguments: [Array("name".utf8), [0], [UInt8](repeating: 0xFF, count: 9)])
    func foreignRows(key: [UInt8]) throws {
        let small = try SmallRecordLog(records: 3)
        try small.put([UInt8](repeating: 1, count: 64), under: key)
        #expect(throws: LogError.unexpectedRows) { try small.open() }
        try small.put(nil, under: key)
        #expect(try small.readAll().count == 3)
    }

    @Test("A last row that is too short for a record is named, and the log is not opened")
    func shortLastRow() throws {
        let small = try SmallRecordLog(records: 3)
        try small.rewrite(3, [1, 2, 3])
        #expect(throws: LogError.brokenRecord(RecordNumber(3))) { try small.open() }
    }
}
