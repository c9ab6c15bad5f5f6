import EventLog
import Events
import Synchronization
import TestSupport
import Testing

@Suite("Log: appending and reading")
struct AppendTests {
    @Test("E1: Appended commits are read back in order, also by another process and after reopening")
    func roundTrip() throws {
        let small = try SmallLog()
        let log = try small.open()
        let commits = (0..<30).map(SmallLog.commit)
        var head = try log.append([commits[0]])
        head = try log.append(Array(commits[1..<20]))
        head = try log.append(Array(commits[20...]))
        #expect(log.head == head)
        #expect(head.revision == Revision(29))
        #expect(try log.commits() == commits)
        #expect(try log.read { try $0.commit(at: Revision(7)) } == commits[7])
        #expect(try log.read { try $0.time(of: Revision(7)) } == commits[7].time)
        log.close()
        let again = try small.open(isReadOnly: true)
        #expect(again.head == head)
        #expect(try again.commits() == commits)
        #expect(try again.read { try $0.scanEvents() } == commits.reduce(0) { $0 + $1.events.count })
        again.close()
    }

    @Test("E1: The head hash does not depend on how commits are grouped, and changes with any difference in a commit")
    func headHash() throws {
        let (one, other) = (try SmallLog(), try SmallLog())
        let (oneLog, otherLog) = (try one.open(), try other.open())
        for number in 0..<12 { _ = try oneLog.append([SmallLog.commit(number)]) }
        _ = try otherLog.append((0..<12).map(SmallLog.commit))
        #expect(oneLog.head == otherLog.head)
        var different = SmallLog.commit(12)
        let head = try oneLog.append([different])
        different.events.append(different.events[0])
        #expect(try otherLog.append([different]).hash != head.hash)
        oneLog.close()
        otherLog.close()
    }

    @Test("E3: A revision out of sequence is refused, changes nothing and does not stop the log", arguments: [0, 3, 6, 7])
    func revisionsFollow(revision: Int) throws {
        let small = try SmallLog(commits: 4)
        let log = try small.open()
        let head = log.head
        #expect(throws: LogError.self) { try log.append([SmallLog.commit(revision)]) }
        #expect(throws: LogError.self) { try log.append([SmallLog.commit(4), SmallLog.commit(revision)]) }
        #expect(log.head == head)
        #expect(log.failure == nil)
        #expect(try log.append([SmallLog.commit(4)]).revision == Revision(4))
        log.close()
    }

    private final class Done: Sendable { let value = Atomic(false) }

    @Test("E3: Reading the head during appends, as a backup does, never moves the log's head back")
    func headUnderReaders() throws {
        let small = try SmallLog(commits: 1)
        let log = try small.open()
        let isDone = Done()
        let lookers = (0..<8).map { _ in
            TestThread { while !isDone.value.load(ordering: .acquiring) { _ = try log.refreshHead() } }
        }
        var problem: (any Error)?
        for number in 1...120 where problem == nil {
            do { _ = try log.append([SmallLog.commit(number)]) } catch { problem = error }
        }
        isDone.value.store(true, ordering: .releasing)
        for looker in lookers { try looker.join() }
        #expect(problem == nil)
        #expect(try log.refreshHead() == log.head)
        log.close()
    }

    @Test("E3: A time earlier than the last commit is refused")
    func timesFollow() throws {
        let small = try SmallLog(commits: 4)
        let log = try small.open()
        var early = SmallLog.commit(4)
        early.time = early.time.advanced(byMicroseconds: -1_000_000)
        let error = #expect(throws: LogError.self) { try log.append([early]) }
        #expect(error?.description.contains("before") == true)
        early.time = SmallLog.commit(3).time
        #expect(try log.append([early]).revision == Revision(4))
        log.close()
    }

    @Test("E1: A log opened for reading refuses writes")
    func readOnly() throws {
        let small = try SmallLog(commits: 2)
        let log = try small.open(isReadOnly: true)
        #expect(throws: (any Error).self) { try log.append([SmallLog.commit(2)]) }
        #expect(try log.commits().count == 2)
        log.close()
    }

    @Test("The log's map grows from a few pages during writes and reads")
    func mapGrowth() throws {
        let small = try SmallLog()
        let log = try small.open(mapBytes: 1 << 15)
        var commits: [Commit] = []
        for number in 0..<60 {
            var commit = SmallLog.commit(number)
            commit.origin.comment = String(repeating: "x", count: 500 * (number % 7))
            commits.append(commit)
            _ = try log.append([commit])
        }
        #expect(try log.commits() == commits)
        log.close()
        #expect(try small.readAll() == commits)
    }

    @Test("A commit of 100,000 events is written and read back")
    func largeCommit() throws {
        let small = try SmallLog()
        let log = try small.open(mapBytes: 1 << 15)
        var commit = SmallLog.commit(0)
        commit.events = (0..<100_000).map { .objectDeleted(ObjectID(rawValue: 16 + UInt64($0))) }
        _ = try log.append([commit])
        #expect(try log.commits() == [commit])
        log.close()
    }
}
