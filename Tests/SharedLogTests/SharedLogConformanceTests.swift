import EventLog
import Events
import Foundation
import Hashing
import PostgreSQLLog
import Synchronization
import TestSupport
import Testing

/// One server for all tests of this target, with the tables of the shared logs. Each test uses stores of its own.
enum Database {
    static let server = Result { () throws -> PostgreSQLServer in
        let server = try PostgreSQLServer.withDatabase()
        try server.run(PostgreSQLSchema.sql(role: "muniment"))
        return server
    }

    /// The server never fails in these tests, so that a connection may take as long as the machine needs for it.
    static func logs() throws -> PostgreSQLLogs {
        PostgreSQLLogs(try PostgreSQLAddress(server.get().address() + " connect_timeout=1200"), allowsNoStandby: true)
    }
}

/// The implementations of a shared log.
enum Implementation: String, CaseIterable, CustomTestStringConvertible {
    case local, postgreSQL

    var testDescription: String { rawValue }

    /// Calls `body` with an empty log.
    func withLog(_ body: (any SharedLog) throws -> Void) throws {
        switch self {
        case .local:
            try withTemporaryFolder { folder in
                let log = try EventLog(path: folder, isReadOnly: false)
                defer { log.close() }
                try body(log)
            }
        case .postgreSQL:
            let logs = try Database.logs()
            defer { logs.close() }
            try body(logs.log(of: UUID().uuidString.lowercased()))
        }
    }
}

/// Groups of invented commits and refusals. A shared log keeps bytes; only their numbers and hashes matter to it.
struct InventedGroups {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func group(after position: LogPosition?, commits: Int, refusals: Int) -> LogGroup {
        var (number, hash) = (position.map { $0.revision.rawValue + 1 } ?? 0, position?.hash ?? .zero)
        var found: [ChainedRecord] = []
        for _ in 0..<commits {
            let time = Instant(microseconds: Int64(number))
            let commit = Commit(
                revision: Revision(number), time: time, actor: .system,
                events: [.objectWritten(ObjectWritten(object: ObjectID(rawValue: 100), value: random.bytes(upTo: 200)))])
            var writer = ByteWriter(capacity: 64)
            CommitCodec.encode(commit, into: &writer)
            hash = Digest(chaining: hash, writer.bytes)
            found.append(ChainedRecord(number: number, bytes: writer.bytes, hash: hash))
            number += 1
        }
        var (refusal, refusalHash) = ((position?.refusal?.number.rawValue ?? 0) + 1, position?.refusal?.hash ?? .zero)
        var refused: [ChainedRecord] = []
        for _ in 0..<refusals {
            let bytes = random.bytes(upTo: 100)
            refusalHash = Digest(chaining: refusalHash, bytes)
            refused.append(ChainedRecord(number: refusal, bytes: bytes, hash: refusalHash))
            refusal += 1
        }
        return LogGroup(commits: found, refusals: refused)
    }
}

extension SplitMix64 {
    mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 1...count, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

/// What every shared log must do.
@Suite("Shared logs")
struct SharedLogConformanceTests {
    @Test("A log appends a group only at its end, and returns it", arguments: Implementation.allCases)
    func sequence(_ implementation: Implementation) throws {
        try implementation.withLog { log in
            var groups = InventedGroups(seed: TestSettings.firstSeed)
            var positions: [LogPosition?] = [nil]
            var (commits, refusals): ([ChainedRecord], [ChainedRecord]) = ([], [])
            #expect(try log.position() == nil)
            #expect(try log.records(after: nil, limitBytes: 1000).isEmpty)
            for step in 0..<60 {
                let end = positions[positions.count - 1]
                let count = step == 0 ? 1 : Int.random(in: 0...3, using: &groups.random)
                let refusalCount = count == 0 ? 1 : Int.random(in: 0...2, using: &groups.random)
                let group = groups.group(after: end, commits: count, refusals: refusalCount)
                // At another place, nothing happens.
                if let other = positions.randomElement(using: &groups.random), other != end {
                    let wrong = groups.group(after: other, commits: 1, refusals: 0)
                    #expect(try !log.append(wrong, after: other))
                    #expect(try log.position() == end)
                }
                #expect(try log.append(group, after: end))
                positions.append(try group.end(after: end))
                commits += group.commits
                refusals += group.refusals
                #expect(try log.position() == positions.last)
                // The same again is another attempt.
                #expect(try !log.append(group, after: end))
            }
            for position in positions {
                let limit = Int.random(in: 1...4000, using: &groups.random)
                var (copiedCommits, copiedRefusals): ([ChainedRecord], [ChainedRecord]) = ([], [])
                var place = position
                while case let part = try log.records(after: place, limitBytes: limit), !part.isEmpty {
                    place = try part.end(after: place)
                    #expect(part.commits.dropLast().reduce(0) { $0 + $1.bytes.count } < limit)
                    copiedCommits += part.commits
                    copiedRefusals += part.refusals
                }
                #expect(copiedCommits == Array(commits.suffix(copiedCommits.count)))
                #expect(copiedCommits.count == commits.count - Int((position?.revision.rawValue).map { $0 + 1 } ?? 0))
                #expect(copiedRefusals.count == refusals.count - Int(position?.refusal?.number.rawValue ?? 0))
                #expect(copiedRefusals == Array(refusals.suffix(copiedRefusals.count)))
            }
        }
    }

    @Test("A position that the log does not contain is an error", arguments: Implementation.allCases)
    func diverged(_ implementation: Implementation) throws {
        try implementation.withLog { log in
            var groups = InventedGroups(seed: TestSettings.firstSeed)
            let group = groups.group(after: nil, commits: 3, refusals: 1)
            #expect(try log.append(group, after: nil))
            let end = try group.end(after: nil)
            let other = LogPosition(revision: end.revision, hash: .zero, refusal: end.refusal)
            let later = LogPosition(revision: end.revision.next, hash: end.hash, refusal: end.refusal)
            for wrong in [other, later] {
                #expect { try log.records(after: wrong, limitBytes: 1000) } throws: { error in
                    if case SharedLogError.diverged? = error as? SharedLogError { true } else { false }
                }
            }
        }
    }

    @Test(
        "Of writers that race for the end, one wins each time, and no group is lost or doubled", arguments: Implementation.allCases)
    func race(_ implementation: Implementation) throws {
        try implementation.withLog { log in
            let appended = Mutex<[LogGroup]>([])
            var first = InventedGroups(seed: TestSettings.firstSeed)
            let genesis = first.group(after: nil, commits: 1, refusals: 0)
            #expect(try log.append(genesis, after: nil))
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                var groups = InventedGroups(seed: TestSettings.firstSeed &+ UInt64(thread) &+ 1)
                var done = 0
                while done < 25 {
                    do {
                        let end = try log.position()
                        let group = groups.group(after: end, commits: 1, refusals: Int.random(in: 0...1, using: &groups.random))
                        if try log.append(group, after: end) {
                            appended.withLock { $0.append(group) }
                            done += 1
                        }
                    } catch {
                        Issue.record(error)
                        return
                    }
                }
            }
            let all = try log.records(after: nil, limitBytes: .max / 2)
            _ = try all.end(after: nil)
            let made = appended.withLock { $0 }
            #expect(all.commits.count == 101)
            #expect(Set(all.commits) == Set(genesis.commits + made.flatMap(\.commits)))
            #expect(Set(all.refusals) == Set(made.flatMap(\.refusals)))
        }
    }

    @Test("A wait ends soon after another writer appended, and without one after its time", arguments: Implementation.allCases)
    func waiting(_ implementation: Implementation) throws {
        try implementation.withLog { log in
            var groups = InventedGroups(seed: TestSettings.firstSeed)
            let genesis = groups.group(after: nil, commits: 1, refusals: 0)
            #expect(try log.append(genesis, after: nil))
            let end = try genesis.end(after: nil)
            let begin = ContinuousClock.now
            let current = try #require(try log.wait(after: end, atMost: .seconds(2)))
            #expect(current >= begin)
            let next = groups.group(after: end, commits: 1, refusals: 0)
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
                do { #expect(try log.append(next, after: end)) } catch { Issue.record(error) }
            }
            while try log.wait(after: end, atMost: .seconds(1_200)) != nil {}
            #expect(try log.position() == next.end(after: end))
        }
    }
}
