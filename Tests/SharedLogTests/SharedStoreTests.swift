import Dispatch
import EventLog
import Events
import Foundation
import Hashing
import Muniment
import Permissions
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// Stores in several folders with one shared log, as on several machines.
struct SharedNodes: Sendable {
    let clock = ManualClock()
    private(set) var stores: [Store] = []
    private let folder: String
    private let log: @Sendable (Int) -> any SharedLog

    /// - Parameter log: the shared log as a node sees it.
    init(_ count: Int, in folder: String, _ log: @escaping @Sendable (Int) -> any SharedLog) throws {
        self.folder = folder
        self.log = log
        for node in 0..<count {
            if node == 0 {
                stores.append(try Store.create(at: path(node), preset: .open, options: options(node)))
            } else {
                #expect(try Store.join(at: path(node), options: options(node)))
                stores.append(try Store.open(at: path(node), .writing, options: options(node)))
            }
        }
    }

    func path(_ node: Int) -> String { "\(folder)/node\(node)" }

    func options(_ node: Int) -> StoreOptions {
        var options = StoreOptions(clock: { [clock] in clock.now })
        options.sharedLog = log(node)
        return options
    }

    /// Closes a node, and opens it again.
    mutating func restart(_ node: Int) throws {
        try stores[node].close()
        stores[node] = try Store.open(at: path(node), .writing, options: options(node))
    }

    func close() throws { for store in stores { try store.close() } }

    /// Waits until all nodes have everything, and returns the commits. All nodes must have the same.
    func settled() throws -> [Commit] {
        for store in stores { try store.catchUp(atMost: .seconds(1_200)) }
        var histories: [[Commit]] = []
        for store in stores {
            var commits: [Commit] = []
            try store.log(from: .genesis, to: try store.head.revision) { commits.append($0.commit) }
            histories.append(commits)
        }
        #expect(Set(histories).count == 1, "all nodes have the same commits")
        #expect(Set(try stores.map { try $0.head }).count == 1)
        return histories[0]
    }
}

@Suite("Stores with a shared log")
struct SharedStoreTests {
    /// An answer that a node gave during the run.
    private struct Told: Sendable {
        let question: Question
        let point: Point
        let answer: Answer
    }

    @Test("R17: a refusal with a key is the answer to the key at every node", arguments: Implementation.allCases)
    func refusalsWithKeys(_ implementation: Implementation) throws {
        try withTemporaryFolder { folder in
            try implementation.withLog { shared in
                var nodes = try SharedNodes(2, in: folder) { _ in shared }
                defer { try? nodes.close() }
                try nodes.stores[0].commit(
                    Transaction("user:root", [.defineClass("doc"), .register("user:ann"), .createObject("doc:1")]))
                let origin = Origin(idempotencyKey: "late")
                // The caller is new, so one group has the connection and the refusal.
                let delete = Transaction("user:new", [.deleteObject("doc:1")], origin: origin)
                #expect(throws: Refusal.self) { try nodes.stores[0].commit(delete) }
                try nodes.stores[0].commit(Transaction("user:root", [.grant("user:new", on: "doc:1", ["read", "delete"])]))
                #expect(throws: Refusal.self) { try nodes.stores[1].commit(delete) }
                try nodes.restart(1)
                #expect(throws: Refusal.self) { try nodes.stores[1].commit(delete) }
                let other = Transaction("user:new", [.deleteObject("doc:1")], origin: Origin(idempotencyKey: "other"))
                #expect(try nodes.stores[1].commit(other).revision != nil)
            }
        }
    }

    @Test(
        "Writers at several nodes make one history, and each answer matches it at the revision that it names",
        arguments: Implementation.allCases, UInt64(0)..<3)
    func oneHistory(_ implementation: Implementation, number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 9_000_000 &+ number
        try withTemporaryFolder { folder in
            try implementation.withLog { shared in
                let nodes = try SharedNodes(3, in: folder) { _ in shared }
                defer { try? nodes.close() }
                let told = Mutex<[Told]>([])
                let troubles = Mutex<[String]>([])
                DispatchQueue.concurrentPerform(iterations: 6) { worker in
                    var history = RandomHistory(seed: seed &+ UInt64(worker))
                    for step in 0..<40 {
                        do {
                            let store = nodes.stores[(worker + step) % 3]
                            let next = history.next()
                            do {
                                let receipt = try store.commit(Transaction(next.caller, next.changes))
                                // The writing node answers from its own commit on.
                                #expect(try receipt.head <= store.head.revision)
                            } catch is Refusal { history.takeBack() }
                            let head = try store.head.revision
                            let question = history.question()
                            let drawn = history.point(upTo: head)
                            let point = drawn == .head ? .revision(head) : drawn
                            guard case .revision = point else { continue }
                            let answer = try store.answer(question, at: point)
                            told.withLock { $0.append(Told(question: question, point: point, answer: answer)) }
                            if worker == 0, step % 10 == 9 { nodes.clock.advance(seconds: 86_400) }
                        } catch {
                            troubles.withLock { $0.append("\(error)") }
                        }
                    }
                }
                #expect(troubles.withLock { $0 } == [], "seed \(seed)")
                let model = try NaiveModel(try nodes.settled())
                for told in told.withLock({ $0 }) {
                    #expect(
                        told.answer == model.view(told.point, now: nodes.clock.now).answer(told.question), "seed \(seed): \(told)")
                }
                var history = RandomHistory(seed: seed)
                for _ in 0..<60 {
                    let (question, point) = (history.question(), history.point(upTo: model.head))
                    let expected = model.view(point, now: nodes.clock.now).answer(question)
                    for store in nodes.stores {
                        #expect(try store.answer(question, at: point) == expected, "seed \(seed): \(question) at \(point)")
                    }
                }
                try nodes.close()
                for node in 0..<3 {
                    let report = try Store.verify(at: nodes.path(node))
                    #expect(report.problems == [], "seed \(seed)")
                    #expect(report.commits == model.head.rawValue)
                }
            }
        }
    }

    @Test(
        "With lost answers and failing reads, each acknowledged transaction is in the history once, and each refused one nowhere",
        arguments: Implementation.allCases, UInt64(0)..<3)
    func faults(_ implementation: Implementation, number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 9_100_000 &+ number
        try withTemporaryFolder { folder in
            try implementation.withLog { shared in
                let faults = (0..<3).map { FaultyLog(shared, seed: seed &+ UInt64($0)) }
                let nodes = try SharedNodes(3, in: folder) { faults[$0] }
                defer { try? nodes.close() }
                for faulty in faults { faulty.isFaulty = true }
                let known = Mutex<[String]>([])
                let refused = Mutex<[String]>([])
                DispatchQueue.concurrentPerform(iterations: 4) { worker in
                    var random = SplitMix64(seed: seed &+ UInt64(worker) &* 1000)
                    for step in 0..<30 {
                        let name = "user:w\(worker)s\(step)"
                        let mayDo = Int.random(in: 0..<5, using: &random) > 0
                        let changes: [Change] = mayDo ? [.register(Name(name))] : [.register(Name(name)), .deleteRole("role:none")]
                        let origin = Origin(idempotencyKey: name)
                        // The same request goes to another node after an unknown outcome.
                        for _ in 0..<100 {
                            let node = Int.random(in: 0..<3, using: &random)
                            do {
                                _ = try nodes.stores[node].commit(Transaction("user:root", changes, origin: origin))
                                known.withLock { $0.append(name) }
                                break
                            } catch is Refusal {
                                refused.withLock { $0.append(name) }
                                break
                            } catch is SharedLogError {
                                continue
                            } catch {
                                Issue.record("seed \(seed): \(error)")
                                break
                            }
                        }
                    }
                }
                for faulty in faults { faulty.isFaulty = false }
                let commits = try nodes.settled()
                let registered = commits.flatMap(\.events).compactMap { event -> String? in
                    if case .principalRegistered(let principal) = event { principal.name } else { nil }
                }
                #expect(registered.dropFirst().sorted() == known.withLock { $0 }.sorted(), "seed \(seed)")
                #expect(!known.withLock { $0 }.isEmpty && !refused.withLock { $0 }.isEmpty)
                #expect(faults.allSatisfy { $0.count > 0 })
                _ = try NaiveModel(commits)
                try nodes.close()
            }
        }
    }

    @Test("A node that was away has everything after it opens, and a new node copies the whole log")
    func away() throws {
        try withTemporaryFolder { folder in
            try Implementation.local.withLog { shared in
                var nodes = try SharedNodes(2, in: folder) { _ in shared }
                try nodes.stores[0].commit(Transaction("user:root", [.register("user:ann")]))
                try nodes.stores[1].catchUp(atMost: .seconds(1_200))
                try nodes.stores[1].close()
                for number in 0..<50 { try nodes.stores[0].commit(Transaction("user:root", [.register(Name("user:\(number)"))])) }
                let store = try Store.open(at: nodes.path(1), .writing, options: nodes.options(1))
                #expect(try store.head == nodes.stores[0].head)
                try store.close()
                let other = folder + "/other"
                #expect(try Store.join(at: other, options: nodes.options(0)))
                #expect(throws: StoreError.alreadyExists(path: other)) { try Store.join(at: other, options: nodes.options(0)) }
                let joined = try Store.open(at: other, .writing, options: nodes.options(0))
                #expect(try joined.head == nodes.stores[0].head)
                try joined.close()
                try nodes.restart(0)
                try nodes.stores[0].close()
            }
        }
    }

    @Test("A store that was never in the shared log is refused there, and still opens on its own machine")
    func notMoved() throws {
        try withTemporaryFolder { folder in
            try Implementation.local.withLog { shared in
                let path = folder + "/alone"
                try Store.create(at: path, preset: .open).close()
                let silent = FaultyLog(shared, seed: 1)
                silent.isSilent = true
                for log in [shared, silent] as [any SharedLog] {
                    var options = StoreOptions()
                    options.sharedLog = log
                    #expect(throws: SharedLogError.self) { try Store.open(at: path, .writing, options: options) }
                    let store = try Store.open(at: path, .writing)
                    try store.commit(Transaction("user:root", [.register("user:ann")]))
                    try store.close()
                }
            }
        }
    }

    @Test("A node stops before it folds a commit that does not continue its copy, and answers nothing from it")
    func brokenChain() throws {
        try withTemporaryFolder { folder in
            try Implementation.local.withLog { shared in
                let faulty = FaultyLog(shared, seed: 1)
                let nodes = try SharedNodes(2, in: folder) { $0 == 1 ? faulty : shared }
                faulty.breaksChain = true
                try nodes.stores[0].commit(Transaction("user:root", [.register("user:ann")]))
                let deadline = ContinuousClock.now + .seconds(1_200)
                while nodes.stores[1].obstacleToWriting == nil, ContinuousClock.now < deadline {
                    Thread.sleep(forTimeInterval: 0.01)
                }
                #expect(nodes.stores[1].obstacleToWriting?.contains("revision 1 of the log does not match its hash") == true)
                #expect(throws: (any Error).self) { try nodes.stores[1].read { try $0.exists("user:ann") } }
                #expect(throws: (any Error).self) { try nodes.stores[1].commit(Transaction("user:root", [.register("user:bob")])) }
                try nodes.stores[0].close()
                try? nodes.stores[1].close()
            }
        }
    }

    @Test("Access that ends is recorded once, by whichever node is first")
    func ends() throws {
        try withTemporaryFolder { folder in
            try Implementation.local.withLog { shared in
                let nodes = try SharedNodes(3, in: folder) { _ in shared }
                defer { try? nodes.close() }
                let end = nodes.clock.now.advanced(bySeconds: 60)
                try nodes.stores[0].commit(
                    Transaction(
                        "user:root",
                        [
                            .defineClass("doc"), .register("user:ann"), .createObject("doc:1"),
                            .grant("user:ann", on: "doc:1", ["read"], until: end),
                        ]))
                for store in nodes.stores { try store.catchUp(atMost: .seconds(1_200)) }
                nodes.clock.advance(seconds: 61)
                DispatchQueue.concurrentPerform(iterations: 3) { node in
                    do { try nodes.stores[node].advance(to: nodes.clock.now) } catch { Issue.record(error) }
                }
                let expired = try nodes.settled().flatMap(\.events).count { if case .accessExpired = $0 { true } else { false } }
                #expect(expired == 1)
                try nodes.close()
            }
        }
    }
}

/// A shared log that fails now and then: before a call arrives, and after it, when only the answer is lost.
final class FaultyLog: SharedLog, @unchecked Sendable {
    private let log: any SharedLog
    private let random: Mutex<SplitMix64>
    private let failures = Atomic(0)
    var isFaulty = false
    var isSilent = false
    var breaksChain = false

    init(_ log: any SharedLog, seed: UInt64) {
        self.log = log
        random = Mutex(SplitMix64(seed: seed))
    }

    /// The number of failures so far.
    var count: Int { failures.load(ordering: .relaxed) }

    private func failSometimes() throws(SharedLogError) {
        guard isSilent || isFaulty && random.withLock({ Int.random(in: 0..<6, using: &$0) }) == 0 else { return }
        failures.add(1, ordering: .relaxed)
        throw SharedLogError.unreachable("a fault of the test")
    }

    func position() throws -> LogPosition? {
        try failSometimes()
        return try log.position()
    }

    func append(_ group: LogGroup, after position: LogPosition?) throws -> Bool {
        try failSometimes()
        let result = try log.append(group, after: position)
        try failSometimes()
        return result
    }

    func records(after position: LogPosition?, limitBytes: Int) throws -> LogGroup {
        try failSometimes()
        let group = try log.records(after: position, limitBytes: limitBytes)
        guard breaksChain else { return group }
        let commits = group.commits.map { ChainedRecord(number: $0.number, bytes: $0.bytes + [0], hash: $0.hash) }
        return LogGroup(commits: commits, refusals: group.refusals)
    }

    func wait(after position: LogPosition, atMost duration: Duration) throws -> ContinuousClock.Instant? {
        try failSometimes()
        return try log.wait(after: position, atMost: duration)
    }
}
