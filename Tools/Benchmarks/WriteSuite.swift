import Events
import Foundation
import Muniment
import Permissions

/// How many commits a second reach the disk, from one writer and from many.
struct WriteSuite {
    let folder: String
    let commits: Int
    static let writers = 64

    struct Result {
        var raw: Double
        var one: Double
        var many: Double
    }

    func run() throws -> Result {
        // The disk's speed drifts, so that the raw commits are measured on both sides of the others.
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

    private func makeStore() throws -> Store {
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

    private func concurrent(_ store: Store) throws -> Double {
        let each = commits / 8
        let failures = FailureCount()
        let start = ContinuousClock.now
        let threads = (0..<Self.writers).map { writer in
            let done = DispatchSemaphore(value: 0)
            let thread = Thread {
                for call in 0..<each {
                    do { try store.commit(transaction(writer: writer + 1, call)) } catch { failures.add() }
                }
                done.signal()
            }
            thread.start()
            return done
        }
        for done in threads { done.wait() }
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        if failures.count > 0 { throw BenchmarkFailure("\(failures.count) commits failed") }
        return Double(Self.writers * each) / seconds
    }
}

private final class FailureCount: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0

    var count: Int { lock.withLock { value } }
    func add() { lock.withLock { value += 1 } }
}
