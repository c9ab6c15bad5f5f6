import Events
import Foundation
import TestSupport
import Testing

@testable import Service

@Suite("The decision log records every decision in order, and never delays a decision")
struct DecisionLogTests {
    @Test("Decisions can be filtered by each field, oldest or newest first")
    func filters() throws {
        try withLog { log, search in
            for number in 1...40 { log.record(decision(number)) }
            log.flush()
            let all = try search.page(DecisionFilter(), limit: 100)
            #expect(all.decisions.map(\.number) == Array(1...40))
            #expect(all.next == nil)
            #expect(all.decisions[6].subject == "user:7")
            #expect(
                all.decisions[6]
                    == {
                        var expected = decision(7)
                        expected.number = 7
                        return expected
                    }())
            func numbers(_ change: (inout DecisionFilter) -> Void) throws -> [UInt64] {
                var filter = DecisionFilter()
                change(&filter)
                return try search.page(filter, limit: 100).decisions.map(\.number)
            }
            #expect(try numbers { $0.subject = "user:9" } == [9])
            #expect(try numbers { $0.isAllowed = true } == (1...40).filter { $0 % 3 == 0 })
            #expect(try numbers { $0.action = "update" } == (1...40).filter { $0 % 2 == 0 })
            #expect(try numbers { $0.resource = "doc:4" } == [4, 14, 24, 34])
            #expect(try numbers { $0.credential = "t2" } == (1...40).filter { $0 % 4 == 2 })
            #expect(try numbers { $0.requestID = "r5" } == [5])
            #expect(try numbers { $0.from = Instant.newYear.later(seconds: 38) } == [38, 39, 40])
            #expect(try numbers { $0.to = Instant.newYear.later(seconds: 2) } == [1, 2])
            #expect(try numbers { ($0.newestFirst, $0.resource) = (true, "doc:4") } == [34, 24, 14, 4])
        }
    }

    @Test("The joined pages equal the whole list, in both orders and across file boundaries", arguments: [false, true])
    func pages(newestFirst: Bool) throws {
        try withLog(DecisionLog.Limits(fileBytes: 1000)) { log, search in
            for number in 1...60 {
                log.record(decision(number))
                // Flushes each record, so that a file ends when it is full.
                log.flush()
            }
            var filter = DecisionFilter()
            filter.newestFirst = newestFirst
            var (found, after): ([UInt64], UInt64?) = ([], nil)
            repeat {
                let page = try search.page(filter, after: after, limit: 7)
                found += page.decisions.map(\.number)
                after = page.next
            } while after != nil
            #expect(found == (newestFirst ? (1...60).reversed() : Array(1...60)))
        }
    }

    @Test("A full file is followed by a new one, and the oldest files are deleted if the total size exceeds its limit")
    func rotation() throws {
        try withTemporaryFolder { folder in
            let files = DecisionFiles(of: "default", in: folder)
            let log = try DecisionLog(files, limits: DecisionLog.Limits(fileBytes: 1000, totalBytes: 5000)) { _ in }
            for number in 1...200 {
                log.record(decision(number))
                log.flush()
            }
            log.close()
            let all = try files.all()
            #expect(all.count > 2)
            #expect(all.reduce(0) { $0 + files.bytes(of: $1) } <= 6200)
            let kept = try DecisionSearch(of: "default", in: folder).page(DecisionFilter(), limit: 1000).decisions.map(\.number)
            #expect(kept == Array((all.first?.first ?? 0)...200))
        }
    }

    @Test("A reopened log continues with the next number, also after a truncated line")
    func reopening() throws {
        try withTemporaryFolder { folder in
            let files = DecisionFiles(of: "default", in: folder)
            for round in 0..<3 {
                let log = try DecisionLog(files) { _ in }
                log.record(decision(round))
                log.record(decision(round))
                log.close()
                let path = try #require(try files.all().last?.path)
                try FileBytes.write(FileBytes.read(path) + Array(#"{"number":99,"time""#.utf8), to: path)
            }
            let found = try DecisionSearch(of: "default", in: folder).page(DecisionFilter(), limit: 100)
            #expect(found.decisions.map(\.number) == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("If decisions arrive faster than they can be written, the excess is dropped, and the log reports the count")
    func overflow() throws {
        try withLog(DecisionLog.Limits(queueBytes: 2000)) { log, search in
            // Sends many more decisions at once than the queue can hold.
            DispatchQueue.concurrentPerform(iterations: 8) { part in
                for number in 0..<2000 { log.record(decision(part * 2000 + number)) }
            }
            log.flush()
            log.record(decision(0))
            log.flush()
            #expect(log.dropped.value > 0)
            #expect(log.dropped.value + log.recorded.value == 16_001)
            let page = try search.page(DecisionFilter(), limit: 20_000)
            #expect(UInt64(page.decisions.count) == log.recorded.value)
            #expect(page.dropped == log.dropped.value)
        }
    }

    @Test("A disk that rejects writes is reported once, and decisions continue")
    func unwritable() throws {
        try withTemporaryFolder { folder in
            let files = DecisionFiles(of: "default", in: folder)
            let reports = Counter()
            let log = try DecisionLog(files, limits: DecisionLog.Limits(fileBytes: 1)) { _ in reports.add() }
            // The path of the second file leads to a device that is always full.
            try FileManager.default.createSymbolicLink(atPath: files.file(from: 2).path, withDestinationPath: "/dev/full")
            for number in 0..<6 {
                log.record(decision(number))
                log.flush()
            }
            log.close()
            #expect(reports.value == 1)
            #expect(log.dropped.value == 5)
        }
    }

    private func decision(_ number: Int) -> Decision {
        Decision(
            time: .newYear.later(seconds: Int64(number)), credential: "t\(number % 4)", subject: "user:\(number)",
            action: number % 2 == 0 ? "update" : "read", resource: "doc:\(number % 10)", isAllowed: number % 3 == 0,
            revision: Revision(UInt64(number)), requestID: number % 5 == 0 ? "r\(number)" : nil)
    }

    private func withLog(
        _ limits: DecisionLog.Limits = DecisionLog.Limits(), _ body: (DecisionLog, DecisionSearch) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let log = try DecisionLog(DecisionFiles(of: "default", in: folder), limits: limits) { _ in }
            defer { log.close() }
            try body(log, DecisionSearch(of: "default", in: folder))
        }
    }
}
