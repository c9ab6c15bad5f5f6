import Events
import Foundation
import LMDB
import Muniment
import Permissions
import TestSupport
import Testing

@testable import Projections

@Suite("The blocks of the audit")
struct AuditBlockTests {
    /// Commits with the given numbers of events, with different subjects.
    private func log(_ counts: [Int]) -> [Commit] {
        let users = (20..<30).map { PrincipalID(rawValue: $0) }
        var commits = [
            Commit(
                revision: .genesis, time: .newYear, actor: .system,
                events: [.storeCreated(.open)] + users.map { Event.user($0) } + [
                    .docClass(ClassID(rawValue: 30))
                ]
                    + (31..<60).map { Event.object(ObjectID(rawValue: $0), in: ClassID(rawValue: 30)) })
        ]
        var number: UInt64 = 0
        for count in counts {
            let events = (0..<count).map { _ in
                number += 1
                return Event.granted(
                    Privileges(rawValue: UInt32(number % 7 + 1)), on: ObjectID(rawValue: 31 + number * 7 % 29),
                    to: users[Int(number % 10)],
                    until: .newYear.later(seconds: Int64(1_000_000 + number)))
            }
            let revision = Revision(UInt64(commits.count))
            commits.append(
                Commit(
                    revision: revision, time: .newYear, actor: users[commits.count % 3],
                    origin: Origin(requestID: commits.count % 2 == 0 ? "r\(commits.count % 5)" : nil), events: events))
        }
        return commits
    }

    @Test(
        "E4: the blocks are the same for any batches of the fold, with commits smaller or larger than a block",
        arguments: [[Int](repeating: 1, count: 4100), [2000, 7, 2048, 1, 4096, 3, 30], [5000, 5000]])
    func batches(counts: [Int]) throws {
        let log = log(counts)
        try withTemporaryFolder { (folder) throws in
            let whole = try IndexBench(in: folder, folding: log, inBatchesOf: log.count)
            defer { whole.close() }
            try check(whole.index, log)
            for size in [1, 100].filter({ log.count / $0 < 200 }) {
                try withTemporaryFolder { (folder) throws in
                    let bench = try IndexBench(in: folder, folding: log, inBatchesOf: size)
                    defer { bench.close() }
                    #expect(try bench.index.firstDifference(from: whole.index) == nil)
                }
            }
        }
    }

    /// Checks that every term, and every pair of terms, finds the same records in the blocks as in the log.
    private func check(_ index: Index, _ log: [Commit]) throws {
        let reader = try index.beginReading()
        defer { reader.end() }
        let all = log.flatMap { commit in commit.events.enumerated().map { (commit, UInt64($0.offset), $0.element) } }
        let inBlocks = all.prefix(all.count / AuditRecords.capacity * AuditRecords.capacity)
        #expect(reader.eventBlocks > 0)
        let everywhere = EventPosition(.genesis)..<(try reader.endOfEventBlocks())
        func found(
            _ groups: [[AuditTerm]], in places: Range<EventPosition>? = nil, limit: Int = .max, isNewestFirst: Bool = false
        ) throws -> [[EventPosition]] {
            try (0..<reader.eventBlocks).map {
                try reader.events(
                    ofBlock: $0, with: AuditPattern(groups), in: places ?? everywhere, limit: limit, isNewestFirst: isNewestFirst
                ).found
            }
        }
        func expected(_ isMeant: (Commit, Event) -> Bool) -> [EventPosition] {
            inBlocks.filter { isMeant($0.0, $0.2) }.map { EventPosition($0.0.revision, $0.1) }
        }
        #expect(try found([]).flatMap(\.self) == expected { _, _ in true })
        for id in UInt64(19)..<32 {
            let (principal, object) = (PrincipalID(rawValue: id), ObjectID(rawValue: id + 15))
            #expect(try found([[AuditTerm(.actor, id: id)]]).flatMap(\.self) == expected { commit, _ in commit.actor == principal })
            #expect(
                try found([[AuditTerm(.subject, id: id)]]).flatMap(\.self)
                    == expected { _, event in event.effect.subject == principal })
            #expect(
                try found([[AuditTerm(.subject, id: id)], [AuditTerm(.object, id: id + 15)]]).flatMap(\.self)
                    == expected { _, event in event.effect.subject == principal && event.effect.objects.contains(object) })
        }
        let kinds = [Event.Kind.objectCreated, .accessGranted]
        #expect(
            try found([kinds.map { AuditTerm(.kind, id: UInt64($0.rawValue)) }, [AuditTerm(.request, text: "r4")]]).flatMap(\.self)
                == expected { commit, event in kinds.contains(event.kind) && commit.origin.requestID == "r4" })
        for place in [EventPosition(.genesis), EventPosition(Revision(1), 3), try reader.endOfEventBlocks()] {
            let block = try reader.eventBlock(of: place)
            #expect(
                try reader.events(ofBlock: block, with: AuditPattern([]), in: everywhere, limit: 1, isNewestFirst: false).begin
                    <= place)
        }
        // Parts of the blocks, with places between the commits and after the last event of one.
        let head = log.last!.revision.rawValue
        for (low, high) in [(0, head + 2), (head / 3, head / 2), (1, 2), (head, head + 1), (head / 2, head / 2)]
            as [(UInt64, UInt64)]
        {
            for (first, last) in [(0, 0), (1, 3), (0, 100_000)] as [(UInt64, UInt64)] {
                let places = EventPosition(Revision(low), first)..<EventPosition(Revision(high), max(first, last))
                let inside = try found([]).map { $0.filter(places.contains) }
                for limit in [0, 1, 7, 10_000] {
                    #expect(try found([], in: places, limit: limit) == inside.map { Array($0.prefix(limit)) })
                    #expect(
                        try found([], in: places, limit: limit, isNewestFirst: true)
                            == inside.map { Array($0.suffix(limit).reversed()) })
                }
            }
        }
    }

    @Test("E10: a damaged or missing block is an error and never a shorter list; opening for writing rebuilds the index")
    func damage() throws {
        for damage in [Damage.flippedBit, .lostRow] {
            for block in UInt64(0)..<2 {
                try withTemporaryFolder { (folder) throws in
                    let path = folder + "/store"
                    let count = try makeStore(path)
                    try damage.happen(to: AuditStream.events.key(block), in: path + "/index")
                    let store = try Store.open(at: path, .reading)
                    #expect(throws: IndexError.damaged) {
                        try store.audit(AuditFilter(actor: "user:nobody", outcome: .done), limit: 10)
                    }
                    #expect(throws: IndexError.damaged) { try store.audit(AuditFilter(outcome: .done), limit: 100_000) }
                    try store.close()
                    #expect(try !Store.verify(at: path).isSound)
                    try Store.rebuild(at: path)
                    let mended = try Store.open(at: path, .reading)
                    #expect(try mended.audit(AuditFilter(outcome: .done), limit: 100_000).records.count == count)
                    try mended.close()
                }
            }
        }
    }

    private enum Damage {
        case flippedBit
        case lostRow

        func happen(to key: FixedKey, in folder: String) throws {
            try? FileManager.default.removeItem(atPath: folder + "/seal")
            let environment = try Environment(
                path: folder, options: EnvironmentOptions(syncsCommits: false, tableLimit: IndexTables.names.count))
            defer { environment.close() }
            let table = try environment.table("audit", creating: false)
            let bytes = key.withBytes { span in span.indices.map { span[$0] } }
            var row: [UInt8] = []
            let reading = try environment.beginReading()
            _ = try reading.withValue(in: table, for: bytes.span) { span in row = span.indices.map { span[$0] } }
            reading.end()
            #expect(row.count > 100)
            let transaction = try environment.beginWriting()
            if self == .flippedBit {
                row[row.count / 2] ^= 4
                try transaction.put(row.span, in: table, for: bytes.span)
            } else {
                try transaction.delete(from: table, key: bytes.span)
            }
            try transaction.commit()
        }
    }

    /// Creates a store with more than two blocks of events. Returns the number of events.
    private func makeStore(_ path: String) throws -> Int {
        let clock = ManualClock()
        let store = try Store.create(at: path, preset: .open, options: StoreOptions { clock.now })
        let importer = try store.importer()
        for number in 0..<9 {
            try importer.add(Transaction("user:root", (0..<500).map { .register(Name("user:\(number)-\($0)")) }))
        }
        try importer.add(Transaction("user:root", [.register("user:nobody")]))
        try importer.finish()
        let count = try Int(store.eventCount)
        try store.close()
        return count
    }

    @Test("An index of the previous version is rebuilt when the store is opened, with progress")
    func earlierVersion() throws {
        try withTemporaryFolder { (folder) throws in
            let path = folder + "/store"
            _ = try makeStore(path)
            try? FileManager.default.removeItem(atPath: path + "/index/seal")
            let environment = try Environment(
                path: path + "/index", options: EnvironmentOptions(syncsCommits: false, tableLimit: IndexTables.names.count))
            let table = try environment.table("state", creating: false)
            let transaction = try environment.beginWriting()
            let key = IndexTables.stateKey
            let row = PlainRow.bytes(key: key.span, tag: IndexTables.Tag.state) { $0.varint(2) }
            try transaction.put(row.span, in: table, for: key.span)
            try transaction.commit()
            environment.close()
            let stages = Stages()
            let store = try Store.open(at: path, .reading, options: StoreOptions(progress: { stages.add($0.stage) }))
            #expect(stages.all == ["folding the log"])
            #expect(try store.read { try $0.exists("user:nobody") })
            try store.close()
        }
    }
}

/// The log messages of a store about its work.
private final class Stages: @unchecked Sendable {
    private(set) var all: Set<String> = []
    func add(_ stage: String) { all.insert(stage) }
}
