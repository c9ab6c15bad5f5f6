import Events
import Foundation
import Muniment
import Permissions
import Synchronization

/// Measures many observers, each of a separate object, while many writers change these objects.
struct ObserverSuite: Sendable {
    let folder: String
    /// How often each object is written in a run.
    let rounds: Int
    static let observers = 1000
    static let writers = 200
    /// Objects of each writer, which it writes in sequence.
    static let objectsPerWriter = observers / writers

    struct Result {
        /// Writes a second without observers.
        var unobserved: Double
        /// Writes a second with all observers.
        var observed: Double
        /// Changes delivered a second, until the last delivery.
        var delivered: Double
        /// The time from the writer's call to the acknowledgement of the commit, with writes at a given pace.
        var acknowledgement: Timing
        /// The time from the writer's call until the observer has the change, at the same pace.
        var delivery: Timing
        /// Writes a second at that pace.
        var paced: Double
    }

    /// - Parameter pace: writes a second in the run that measures the delay.
    func run(pace: Double) async throws -> Result {
        let store = try makeStore()
        defer { try? store.close() }
        // The disk's speed drifts, so the writes without observers are measured before and after the other writes.
        let before = try await write(store, pause: nil)
        let full = try await observe(store, pause: nil)
        let after = try await write(store, pause: nil)
        let slow = try await observe(store, pause: .seconds(Double(Self.writers) / pace))
        let unobserved = (before.seconds + after.seconds) / 2
        let count = Double(Self.observers * rounds)
        return Result(
            unobserved: count / unobserved, observed: count / full.writing.seconds, delivered: count / full.seconds,
            acknowledgement: slow.acknowledgement, delivery: slow.delivery, paced: count / slow.writing.seconds)
    }

    private func makeStore() throws -> Store {
        let store = try Store.create(at: folder + "/observed", preset: .open)
        let changes = (0..<Self.observers).flatMap { number -> [Change] in
            let (user, object) = (Name("user:\(number)"), Name("doc:\(number)"))
            return [
                .register(user), .createObject(object, value: .object(["n": .integer(0)])), .grant(user, on: object, ["read"]),
            ]
        }
        try store.commit(Transaction("user:root", [.defineClass("doc")] + changes))
        return store
    }
}

// MARK: Writing

extension ObserverSuite {
    /// The time of a write and of its acknowledgement.
    private struct Write: Sendable {
        var called: ContinuousClock.Instant
        var acknowledged: ContinuousClock.Instant
    }

    private struct Writing: Sendable {
        var seconds = 0.0
        /// The writes of each object.
        var writes: [[Write]] = []
    }

    /// Writes every object `rounds` times. Each writer waits until its previous write is on the disk.
    ///
    /// - Parameter pause: the time from one write of a writer to its next write; nil for no pause.
    private func write(_ store: Store, pause: Duration?) async throws -> Writing {
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: (Int, [[Write]]).self) { group in
            for writer in 0..<Self.writers {
                group.addTask { (writer, try await writeShare(of: writer, store, start, pause)) }
            }
            var writing = Writing(writes: Array(repeating: [], count: Self.observers))
            for try await (writer, share) in group {
                for (place, writes) in share.enumerated() { writing.writes[writer * Self.objectsPerWriter + place] = writes }
            }
            writing.seconds = start.duration(to: .now).nanoseconds / 1e9
            return writing
        }
    }

    private func writeShare(
        of writer: Int, _ store: Store, _ start: ContinuousClock.Instant, _ pause: Duration?
    ) async throws -> [[Write]] {
        var share: [[Write]] = Array(repeating: [], count: Self.objectsPerWriter)
        for round in 0..<rounds {
            for place in 0..<Self.objectsPerWriter {
                if let pause {
                    let turn = Double(round * Self.objectsPerWriter + place) + Double(writer) / Double(Self.writers)
                    try await Task.sleep(until: start + pause * turn)
                }
                let object = Name("doc:\(writer * Self.objectsPerWriter + place)")
                let value = JSONValue.object(["n": .integer(Int64(round + 1))])
                let called = ContinuousClock.now
                try await store.commit(Transaction("user:root", [.writeObject(object, .value(value))]))
                share[place].append(Write(called: called, acknowledged: .now))
            }
        }
        return share
    }
}

// MARK: Observing

extension ObserverSuite {
    private struct Observing {
        var writing: Writing
        /// Seconds until the last change was delivered.
        var seconds: Double
        var acknowledgement: Timing
        var delivery: Timing
    }

    private func observe(_ store: Store, pause: Duration?) async throws -> Observing {
        // Each run leaves the counter at its initial value.
        for number in 0..<Self.observers {
            try await store.commit(
                Transaction("user:root", [.writeObject(Name("doc:\(number)"), .value(.object(["n": .integer(0)])))]))
        }
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: (Int, [ContinuousClock.Instant]).self) { group in
            for number in 0..<Self.observers {
                let changes = try store.observe(Name("doc:\(number)"), at: "n", as: Name("user:\(number)"))
                group.addTask { (number, try await receive(changes)) }
            }
            let writing = try await write(store, pause: pause)
            var (acknowledgements, deliveries): ([Double], [Double]) = ([], [])
            for try await (number, received) in group {
                for (write, received) in zip(writing.writes[number], received) {
                    acknowledgements.append(write.called.duration(to: write.acknowledged).nanoseconds)
                    deliveries.append(write.called.duration(to: received).nanoseconds)
                }
            }
            return Observing(
                writing: writing, seconds: start.duration(to: .now).nanoseconds / 1e9,
                acknowledgement: Timing(of: acknowledgements), delivery: Timing(of: deliveries))
        }
    }

    /// Receives all changes of a run, and checks that each is delivered exactly once and in order.
    private func receive(_ changes: ObservedChangeSequence) async throws -> [ContinuousClock.Instant] {
        var times: [ContinuousClock.Instant] = []
        var expected: Int64 = 0
        for try await change in changes {
            guard change.kind == .valueChanged(before: .integer(expected), after: .integer(expected + 1)) else {
                throw BenchmarkFailure("an observer was told of \(change) where \(expected + 1) comes next")
            }
            expected += 1
            times.append(.now)
            if times.count == rounds { break }
        }
        guard times.count == rounds else { throw BenchmarkFailure("an observer was told of \(times.count) of \(rounds) changes") }
        return times
    }
}
