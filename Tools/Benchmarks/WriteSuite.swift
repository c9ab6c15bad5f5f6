import Events
import Foundation
import Muniment
import Permissions

/// Measures durable commits a second, from one writer and from many.
struct WriteSuite: Sendable {
    let folder: String
    let commits: Int
    static let writers = 64

    struct Result {
        var raw: Double
        var one: Double
        var many: Double
    }

    func run() throws -> Result {
        // The disk's speed drifts, so the raw commits are measured before and after the other commits.
        let before = try RawLMDB.durableCommits(commits, in: folder)
        let store = try makeStore()
        let one = try Timing.measure(calls: commits, batch: 1) { call in
            Int(try store.commit(transaction(writer: 0, call)).head.rawValue)
        }.callsPerSecond
        let many = try concurrent(store)
        try store.close()
        let after = try RawLMDB.durableCommits(commits, in: folder)
        return Result(raw: (before + after) / 2, one: one, many: many)
    }

    func makeStore() throws -> Store {
        let store = try Store.create(at: folder + "/writes", preset: .open)
        let objects = (0..<1000).map { Change.createObject(Name("doc:\($0)")) }
        let users = (0..<1000).map { Change.register(Name("user:\($0)")) }
        try store.commit(Transaction("user:root", [.defineClass("doc")] + objects + users))
        return store
    }

    private func transaction(writer: Int, _ call: Int) -> Transaction {
        let number = writer * 7919 + call
        let subject = Name("user:\(number % 1000)")
        let object = Name("doc:\(number / 1000 % 1000)")
        return Transaction("user:root", [.grant(subject, on: object, ["read"])])
    }

    /// Each writer waits until its commit is on the disk before it makes the next.
    func concurrent(_ store: Store) throws -> Double {
        let each = commits / 4
        let outcome = Outcome()
        let done = DispatchSemaphore(value: 0)
        let start = ContinuousClock.now
        Task {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<Self.writers {
                        group.addTask {
                            for call in 0..<each { try await store.commit(transaction(writer: writer + 1, call)) }
                        }
                    }
                    try await group.waitForAll()
                }
            } catch { outcome.failure = error }
            done.signal()
        }
        done.wait()
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        if let failure = outcome.failure { throw failure }
        return Double(Self.writers * each) / seconds
    }
}

/// Written before the semaphore is signalled, and read after.
private final class Outcome: @unchecked Sendable {
    var failure: (any Error)?
}
