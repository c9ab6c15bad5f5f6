import Events
import Files
import Muniment
import Permissions
import Synchronization
import TestSupport
import Testing

@Suite("A store refuses to commit while the machine's clock is wrong")
struct ClockGuardTests {
    /// A machine with clocks that the test sets.
    private final class Machine: Sendable {
        private let clock = Mutex(MachineClock(wall: Instant.newYear.microseconds, sinceBoot: 60_000_000, isSynchronized: false))

        var now: MachineClock { clock.withLock { $0 } }
        var instant: Instant { Instant(microseconds: now.wall) }

        func pass(seconds: Int64) {
            clock.withLock {
                $0.wall += seconds * 1_000_000
                $0.sinceBoot += seconds * 1_000_000
            }
        }
        func setWall(bySeconds seconds: Int64) { clock.withLock { $0.wall += seconds * 1_000_000 } }
        func synchronize(_ isSynchronized: Bool) { clock.withLock { $0.isSynchronized = isSynchronized } }

        var options: StoreOptions {
            var limits = ClockLimits()
            limits.machine = { self.now }
            return StoreOptions(clock: { self.instant }, clockLimits: limits, expiryRecording: .withCommits)
        }
    }

    private static let year: Int64 = 365 * 86_400

    private func withStore(_ body: (Machine, Store) throws -> Void) throws {
        try withTemporaryFolder { (folder) throws in
            let machine = Machine()
            let store = try Store.create(at: folder + "/store", options: machine.options)
            defer { try? store.close() }
            try store.commit(Transaction("user:root", [.register("user:ann")]))
            try body(machine, store)
        }
    }

    private func commit(_ store: Store, _ name: Name) throws -> Receipt {
        try store.commit(Transaction("user:root", [.register(name)]))
    }

    @Test("E3: with a clock one year ahead, nothing is committed and no access expires; commits continue after a correction")
    func ahead() throws {
        try withStore { (machine, store) throws in
            try store.commit(
                Transaction("user:root", [.grant("user:ann", on: "store", ["read"], until: machine.instant.later(seconds: 60))]))
            let head = try store.head
            machine.setWall(bySeconds: Self.year)
            #expect(throws: StoreError.self) { try commit(store, "user:bob") }
            #expect(try store.head == head)
            guard case .clockIsAhead(_, let expected)? = try store.clockProblem else {
                Issue.record("no problem with the clock")
                return
            }
            #expect(expected == .newYear)
            machine.setWall(bySeconds: -Self.year)
            #expect(try store.clockProblem == nil)
            #expect(try commit(store, "user:bob").time == .newYear)
        }
    }

    @Test("A store that is idle for a long time on a running machine refuses nothing")
    func idle() throws {
        try withStore { (machine, store) throws in
            machine.pass(seconds: Self.year)
            #expect(try commit(store, "user:bob").time == Instant.newYear.later(seconds: Self.year))
        }
    }

    @Test("A later process detects a clock change while the store was closed, if the machine has not restarted")
    func reopened() throws {
        try withTemporaryFolder { (folder) throws in
            let machine = Machine()
            let path = folder + "/store"
            let store = try Store.create(at: path, options: machine.options)
            _ = try commit(store, "user:ann")
            try store.close()
            machine.pass(seconds: 100)
            machine.setWall(bySeconds: 3600)
            let again = try Store.open(at: path, .writing, options: machine.options)
            defer { try? again.close() }
            #expect(throws: StoreError.clockIsAhead(machine.instant, expected: Instant.newYear.later(seconds: 100))) {
                try commit(again, "user:bob")
            }
            machine.setWall(bySeconds: -3600)
            _ = try commit(again, "user:bob")
        }
    }

    @Test(
        "After a restart of the machine the newest commit may be three months old; a year needs a time service or an import"
    )
    func restarted() throws {
        for (seconds, isSynchronized, isAllowed) in [
            (90 * 86_400, false, true), (Self.year, false, false), (Self.year, true, true),
        ] {
            try withTemporaryFolder { (folder) throws in
                let machine = Machine()
                let path = folder + "/store"
                try Store.create(at: path, options: machine.options).close()
                machine.setWall(bySeconds: seconds)
                machine.synchronize(isSynchronized)
                let store = try Store.open(at: path, .writing, options: machine.options)
                defer { try? store.close() }
                let isTaken = (try? commit(store, "user:ann")) != nil
                #expect(isTaken == isAllowed, "\(seconds), \(isSynchronized)")
            }
        }
        try withTemporaryFolder { (folder) throws in
            let machine = Machine()
            let store = try Store.create(at: folder + "/store", options: machine.options)
            defer { try? store.close() }
            let importer = try store.importer()
            _ = try importer.add(
                Transaction(
                    "user:ann", [.createRole("role:a")], origin: Origin(importLine: 2), authority: .importer, time: machine.instant)
            )
            try importer.finish()
            machine.setWall(bySeconds: Self.year)
            _ = try commit(store, "user:bob")
        }
    }

    @Test(
        "E3: a clock more than five minutes before the newest commit is refused; within five minutes the time stays constant")
    func behind() throws {
        try withStore { (machine, store) throws in
            machine.setWall(bySeconds: -299)
            #expect(try commit(store, "user:bob").time == .newYear)
            machine.setWall(bySeconds: -2)
            #expect(throws: StoreError.clockIsBehind(machine.instant, head: .newYear)) { try commit(store, "user:cleo") }
        }
    }
}
