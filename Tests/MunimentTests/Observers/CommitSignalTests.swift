import Events
import TestSupport
import Testing

@testable import Muniment

@Suite("Observing: waiting for commits", .timeLimit(.minutes(60)))
struct CommitSignalTests {
    private func commit(_ revision: UInt64, touching entity: UInt64) -> Commit {
        Commit(
            revision: Revision(revision), time: .newYear, actor: .system,
            events: [.objectWritten(ObjectWritten(object: ObjectID(rawValue: entity), value: []))])
    }

    private func wait(_ feed: CommitSignal, after revision: UInt64, touching entities: Set<UInt64>) async {
        _ = await feed.wait(after: Revision(revision), for: .touching, entities) {}
    }

    @Test("A commit that is announced between the last check of a waiter and its wait still wakes the waiter")
    func toldBeforehand() async {
        let feed = CommitSignal(head: .genesis)
        feed.tell([commit(5, touching: 1)])
        await wait(feed, after: 4, touching: [1])
        #expect(feed.waitingCount == 0)
    }

    @Test("A waiter that has seen all commits waits until a commit changes an entity that it depends on")
    func touching() async throws {
        let feed = CommitSignal(head: .genesis)
        feed.tell([commit(5, touching: 1)])
        let waiting = Task { await wait(feed, after: 5, touching: [1, 2]) }
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
        let waiting = (1...3).map { entity in Task { await wait(feed, after: 5, touching: [entity]) } }
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
        await wait(closed, after: 5, touching: [1])
        stopped.stop()
        await wait(stopped, after: 5, touching: [1])
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            await wait(open, after: 5, touching: [1])
        }
        cancelled.cancel()
        await cancelled.value
        #expect(open.waitingCount == 0)
        #expect(closed.looking { true } == nil)
    }
}
