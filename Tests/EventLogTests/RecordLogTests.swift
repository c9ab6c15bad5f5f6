import EventLog
import Events
import Foundation
import Hashing
import LMDB
import TestSupport
import Testing

@Suite("Record log")
struct RecordLogTests {
    @Test("Appended records are read back in order, also by another reader and after reopening")
    func roundTrip() throws {
        let small = try SmallRecordLog()
        let log = try small.open()
        #expect(log.head == nil)
        #expect(try log.records().isEmpty)
        var expected: [ReadRecord] = []
        for number in 1...20 {
            let bytes = SmallRecordLog.bytes(number)
            var told: RecordNumber?
            let head = try log.append { number, writer in
                told = number
                writer.raw(bytes)
            }
            // The rule of the format: SHA-256 over the previous hash and the bytes of the record.
            let hash = Digest(chaining: expected.last?.hash ?? .zero, bytes)
            #expect(head == RecordHead(number: RecordNumber(UInt64(number)), hash: hash))
            #expect(told == head.number)
            #expect(log.head == head)
            expected.append(ReadRecord(number: head.number, bytes: bytes, hash: hash))
        }
        #expect(try log.records() == expected)
        log.close()
        for isReadOnly in [true, false] {
            let again = try small.open(isReadOnly: isReadOnly)
            defer { again.close() }
            #expect(again.head?.hash == expected.last?.hash)
            #expect(try again.records() == expected)
        }
    }

    @Test("A range of numbers returns only its records, and skips records that do not exist yet")
    func spans() throws {
        let small = try SmallRecordLog(records: 6)
        let log = try small.open(isReadOnly: true)
        defer { log.close() }
        let all = try log.records()
        for first in 0...8 {
            for last in 0...8 {
                let expected = all.filter { first...max(first, last) ~= Int($0.number.rawValue) && first <= last }
                #expect(try log.records(from: UInt64(first), to: UInt64(last)) == expected, "\(first) to \(last)")
            }
        }
    }

    @Test("A reopened log continues after its last record")
    func goingOn() throws {
        let (one, other) = (try SmallRecordLog(records: 5), try SmallRecordLog(records: 3))
        let (oneLog, otherLog) = (try one.open(), try other.open())
        for number in 4...5 { try otherLog.append { _, writer in writer.raw(SmallRecordLog.bytes(number)) } }
        #expect(oneLog.head == otherLog.head)
        oneLog.close()
        otherLog.close()
    }

    @Test("A log that was overwritten in place by an older copy refuses to append")
    func overwritten() throws {
        let small = try SmallRecordLog(records: 3)
        let file = URL(filePath: small.path + "/data.mdb")
        let older = try Data(contentsOf: file)
        let log = try small.open()
        defer { log.close() }
        try log.append { _, writer in writer.raw(SmallRecordLog.bytes(4)) }
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: older)
        try handle.close()
        #expect(throws: LogError.displaced(path: file.path)) { try log.append { _, writer in writer.raw(SmallRecordLog.bytes(5)) } }
        #expect(log.failure != nil)
    }

    @Test("A log opened for reading refuses appends; a reopened log contains the records of another process")
    func twoOpenings() throws {
        let small = try SmallRecordLog(records: 2)
        let before = try small.open(isReadOnly: true)
        try #require(before.head?.number == RecordNumber(2))
        #expect(throws: (any Error).self) { try before.append { _, writer in writer.byte(1) } }
        before.close()
        let helper = try Helper.run(["append-record", small.path])
        try #require(helper.exitCode == 0, "\(helper.output) \(helper.error)")
        #expect(try small.readAll().count == 3)
        let after = try small.open()
        #expect(after.head?.number == RecordNumber(3))
        after.close()
    }

    @Test("A copy has the same records, and never overwrites a file")
    func copying() throws {
        let (small, other) = (try SmallRecordLog(records: 7), try ScratchFolder())
        let log = try small.open()
        let file = other.path + "/data.mdb"
        try log.copy(to: file)
        let copied = try FileBytes.read(file)
        let copy = try RecordLog(path: other.path, isReadOnly: true, mapBytes: 1 << 24)
        #expect(copy.head == log.head)
        #expect(try copy.records() == log.records())
        copy.close()
        try log.append { _, writer in writer.byte(1) }
        #expect(throws: StorageError.self) { try log.copy(to: file) }
        #expect(try FileBytes.read(file) == copied)
        log.close()
    }

    @Test("After a failed write the log takes no writes until it is reopened, and keeps all acknowledged records")
    func failStop() throws {
        let folder = try ScratchFolder()
        let result = try Helper.run(["fill-records", folder.path, "40000"])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        var said: [String: String] = [:]
        for line in result.lines {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            said[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        let acknowledged = try #require(said["acknowledged"].flatMap { Int($0) })
        #expect(acknowledged > 0)
        #expect(said["failed"]?.contains("make room on the disk") == true)
        // The log still refuses writes after the limit is lifted.
        #expect(said["later"]?.hasPrefix("the store takes no writes") == true)
        #expect(said["head"] == "\(acknowledged)")
        let log = try RecordLog(path: folder.path, isReadOnly: false, mapBytes: 1 << 24)
        #expect(try log.records().count == acknowledged)
        #expect(try log.append { _, writer in writer.byte(1) }.number.rawValue == UInt64(acknowledged) + 1)
        log.close()
    }

    @Test("Stopping the log records a reason, and a later reason does not replace it")
    func stopping() throws {
        let small = try SmallRecordLog(records: 1)
        let log = try small.open()
        defer { log.close() }
        log.stop("a key could not be destroyed")
        log.stop("something else")
        #expect(log.failure == "a key could not be destroyed")
        #expect(throws: LogError.stopped("a key could not be destroyed")) { try log.append { _, writer in writer.byte(1) } }
        #expect(log.head?.number == .first)
        #expect(try log.records().count == 1)
    }
}
