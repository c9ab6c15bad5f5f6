import Events
import TestSupport
import Testing

@testable import Muniment

@Suite("Observing: waiting for commits", .timeLimit(.minutes(10)))
struct CommitSignalTests {
    private func commit(_ revision: UInt64, touching thing: UInt64) -> Commit {
        Commit(
            revision: Revision(revision), time: .newYear, actor: .system,
            events: [.objectWritten(ObjectWritten(object: ObjectID(rawValue: thing), value: []))])
    }

    private func wait(_ feed: CommitSignal, behind revision: UInt64, touching things: Set<UInt64>) async {
        _ = await feed.wait(behind: Revision(revision), for: .touching(things)) {}
    }

    @Test("A commit that is announced between the last check of a waiter and its wait still wakes the waiter")
    func toldBeforehand() async {
        let feed = CommitSignal(head: .genesis)
        feed.tell([commit(5, touching: 1)])
        await wait(feed, behind: 4, touching: [1])
        #expect(feed.waitingCount == 0)
    }

    @Test("A waiter that has seen all commits waits until a commit changes an entity that it depends on")
    func touching() async throws {
        let feed = CommitSignal(head: .genesis)
        feed.tell([commit(5, touching: 1)])
        let waiting = Task { await wait(feed, behind: 5, touching: [1, 2]) }
        try await until("one waits") { feed.waitingCount == 1 }
        feed.tell([commit(6, touching: 3)])
        #expect(feed.waitingCount == 1)
        feed.tell([commit(7, touching: 4), commit(8, touching: 2)])
        #expect(feed.waitingCount == 0)
        await waiting.value
    }

    @Test("A known head wakes no waiter, a new head wakes all waiters")
    func heads() async throws {
        let feed = CommitSignal(head: .genesis)
        feed.tell(Revision(5))
        let waiting = (1...3).map { thing in Task { await wait(feed, behind: 5, touching: [thing]) } }
        try await until("three wait") { feed.waitingCount == 3 }
        feed.tell(Revision(5))
        #expect(feed.waitingCount == 3)
        feed.tell(Revision(6))
        #expect(feed.waitingCount == 0)
        for task in waiting { await task.value }
    }

    @Test("Every wait ends: after the feed is closed or stopped, and in a cancelled task")
    func noUse() async {
        let (closed, stopped, open) = (CommitSignal(head: .genesis), CommitSignal(head: .genesis), CommitSignal(head: .genesis))
        closed.close()
        await wait(closed, behind: 5, touching: [1])
        stopped.stop()
        await wait(stopped, behind: 5, touching: [1])
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            await wait(open, behind: 5, touching: [1])
        }
        cancelled.cancel()
        await cancelled.value
        #expect(open.waitingCount == 0)
        #expect(closed.looking { true } == nil)
    }
}
