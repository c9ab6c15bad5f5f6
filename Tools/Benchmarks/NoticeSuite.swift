import Events
import Foundation
import Muniment
import Notices
import Permissions

/// Measures notices for many subscribers, each about separate objects, while many writers share and unshare these objects. Also
/// measures one subscriber who gets access to very many objects through a role.
struct NoticeSuite: Sendable {
    let folder: String
    /// How often an object is shared with each subscriber.
    let rounds: Int
    /// Objects with an entry for the large role.
    let objects: Int
    static let subscribers = 1000
    static let writers = 100

    struct Result {
        /// The time from the writer's call to the acknowledgement of the commit, and to the notice at the affected subscriber.
        var acknowledgement: Timing
        var delivery: Timing
        /// Commits a second during this measurement.
        var paced: Double
        /// The time from the writer's call until the last subscriber has the notice of a commit that affects all subscribers.
        var broadcast: Timing
        /// The time from the commit that adds the role to the first notice.
        var first: Double
        /// Notices a second after the first one.
        var flood: Double
        /// Events a second that are read for a subscriber who resumes from the first event. Few of the events affect this subscriber.
        var catchingUp: Double
    }

    func run(pace: Double) async throws -> Result {
        let (acknowledgement, delivery, paced, broadcast) = try await runMany(pace)
        let (first, flood, catchingUp) = try await runRole()
        return Result(
            acknowledgement: acknowledgement, delivery: delivery, paced: paced, broadcast: broadcast, first: first, flood: flood,
            catchingUp: catchingUp)
    }
}

// MARK: Many subscribers

extension NoticeSuite {
    /// A commit that affects one subscriber.
    private struct Sharing: Sendable {
        var subscriber: Int
        var called: ContinuousClock.Instant
        var acknowledged: ContinuousClock.Instant
    }

    private func runMany(_ pace: Double) async throws -> (Timing, Timing, Double, Timing) {
        let store = try Store.create(at: folder + "/many", preset: .open)
        defer { try? store.close() }
        let changes = (0..<Self.subscribers).flatMap { number -> [Change] in
            [.register(Name("user:\(number)")), .createObject(Name("doc:\(number)"))]
        }
        try await store.commit(Transaction("user:root", [.defineClass("doc"), .createObject("doc:all")] + changes))
        let receivers = try (0..<Self.subscribers).map { number in
            let feed = try store.notices(for: Name("user:\(number)"))
            return Task { try await receive(feed, Name("doc:\(number)")) }
        }
        let start = ContinuousClock.now
        let sharings = try await withThrowingTaskGroup(of: [Sharing].self) { group in
            for writer in 0..<Self.writers { group.addTask { try await share(store, writer, start, pace) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        var received: [ArraySlice<ContinuousClock.Instant>] = []
        for receiver in receivers { received.append(try await receiver.value[...]) }
        var (acknowledgements, deliveries): ([Double], [Double]) = ([], [])
        // One writer makes all commits for a subscriber, in order.
        for sharing in sharings {
            guard let arrival = received[sharing.subscriber].popFirst() else { throw BenchmarkFailure("a notice is missing") }
            acknowledgements.append(sharing.called.duration(to: sharing.acknowledged).nanoseconds)
            deliveries.append(sharing.called.duration(to: arrival).nanoseconds)
        }
        let broadcast = try await broadcast(store)
        return (Timing(of: acknowledgements), Timing(of: deliveries), Double(sharings.count) / seconds, broadcast)
    }

    /// Shares an object with each subscriber of a writer, and unshares it again.
    private func share(_ store: Store, _ writer: Int, _ start: ContinuousClock.Instant, _ pace: Double) async throws -> [Sharing] {
        var sharings: [Sharing] = []
        let pause = Duration.seconds(Double(Self.writers) / pace)
        for round in 0..<rounds {
            for (place, number) in stride(from: writer, to: Self.subscribers, by: Self.writers).enumerated() {
                let turn = Double(round * Self.subscribers / Self.writers + place) + Double(writer) / Double(Self.writers)
                try await Task.sleep(until: start + pause * turn)
                let (user, object) = (Name("user:\(number)"), Name("doc:\(number)"))
                let called = ContinuousClock.now
                try await store.commit(
                    Transaction(
                        "user:root",
                        [round % 2 == 0 ? .grant(user, on: object, ["read"]) : .revoke(user, on: object, ["read"])]))
                sharings.append(Sharing(subscriber: number, called: called, acknowledged: .now))
            }
        }
        return sharings
    }

    /// Receives one notice for each round, and checks that the notices are in order.
    private func receive(_ feed: NoticeFeed, _ object: Name) async throws -> [ContinuousClock.Instant] {
        var times: [ContinuousClock.Instant] = []
        for try await notice in feed {
            guard notice.object == object, notice.kind == (times.count % 2 == 0 ? .shared : .madeInaccessible) else {
                throw BenchmarkFailure("a subscriber to \(object) was told of \(notice)")
            }
            times.append(.now)
            if times.count == rounds { break }
        }
        return times
    }

    /// Makes an object public for all, and private again, repeatedly.
    private func broadcast(_ store: Store) async throws -> Timing {
        var times: [Double] = []
        for round in 0..<20 {
            let feeds = try (0..<Self.subscribers).map { try store.notices(for: Name("user:\($0)")) }
            let change: Change =
                round % 2 == 0 ? .grant("everyone", on: "doc:all", ["read"]) : .revoke("everyone", on: "doc:all", ["read"])
            times.append(
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for feed in feeds { group.addTask { for try await _ in feed { break } } }
                    while store.waitingObservers < Self.subscribers { await Task.yield() }
                    let called = ContinuousClock.now
                    try await store.commit(Transaction("user:root", [change]))
                    try await group.waitForAll()
                    return called.duration(to: .now).nanoseconds
                })
        }
        return Timing(of: times)
    }
}

// MARK: A role that opens very many objects

extension NoticeSuite {
    private func runRole() async throws -> (first: Double, flood: Double, catchingUp: Double) {
        let store = try Store.create(at: folder + "/role", preset: .open)
        defer { try? store.close() }
        let importer = try store.importer()
        try importer.add(Transaction("user:root", [.defineClass("doc"), .createRole("role:big"), .register("user:new")]))
        for number in 0..<objects {
            let object = Name("doc:\(number)")
            try importer.add(Transaction("user:root", [.createObject(object), .grant("role:big", on: object, ["read"])]))
        }
        try importer.finish()
        let head = try store.head.revision
        var firsts: [Double] = []
        var floods: [Double] = []
        for round in 0..<6 {
            let feed = try store.notices(for: "user:new")
            let change: Change =
                round % 2 == 0 ? .addMember("user:new", to: "role:big") : .removeMember("user:new", from: "role:big")
            let receiver = Task { () -> (ContinuousClock.Instant, ContinuousClock.Instant, Int) in
                var (first, count) = (ContinuousClock.Instant.now, 0)
                for try await notice in feed {
                    if count == 0 { first = .now }
                    count += 1
                    if notice.completesRevision { break }
                }
                return (first, .now, count)
            }
            while store.waitingObservers < 1 { await Task.yield() }
            try await store.commit(Transaction("user:root", [change]))
            let stood = ContinuousClock.now
            let (first, last, count) = try await receiver.value
            guard count == objects else { throw BenchmarkFailure("\(count) notices came of \(objects)") }
            firsts.append(max(stood.duration(to: first).nanoseconds, 0))
            floods.append(Double(count) / (first.duration(to: last).nanoseconds / 1e9))
        }
        let start = ContinuousClock.now
        let found = try store.notices(for: "user:0", after: .genesis, through: head)
        guard found.isEmpty else { throw BenchmarkFailure("a subscriber got a notice about an object that does not concern it") }
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        return (Timing(of: firsts).p50Nanoseconds, Timing(of: floods).p50Nanoseconds, Double(objects * 2) / seconds)
    }
}

/// Returns the rows about notices.
func measureNotices(_ arguments: Arguments) async throws -> Table {
    var table = Table("Notices: \(NoticeSuite.subscribers) subscribers; a role that opens 100,000 objects")
    note("notices")
    let folder = arguments.folder + "/notices"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let pace = 1_000.0
    let result = try await NoticeSuite(folder: folder, rounds: arguments.isQuick ? 4 : 20, objects: 100_000).run(pace: pace)
    table.add(Row("commits at the pace of \(Figure.perSecond(pace))", .perSecond(result.paced), raw: .perSecond(pace)))
    table.add(
        Row(
            "from commit to notice, vs. acknowledgement, p50", .nanoseconds(result.delivery.p50Nanoseconds),
            raw: .nanoseconds(result.acknowledgement.p50Nanoseconds)))
    table.add(
        Row(
            "from commit to notice, vs. acknowledgement, p99", .nanoseconds(result.delivery.p99Nanoseconds),
            raw: .nanoseconds(result.acknowledgement.p99Nanoseconds), goal: .figureAtMost(2e6, .nanoseconds)))
    table.add(
        Row("from a commit for all to the last of all told, p50", .nanoseconds(result.broadcast.p50Nanoseconds)))
    table.add(
        Row("a role opens 100,000 objects: the first notice", .nanoseconds(result.first), goal: .figureAtMost(5e6, .nanoseconds)))
    table.add(Row("the notices after it", .perSecond(result.flood), goal: .figureAtLeast(500_000, .perSecond)))
    table.add(Row("coming back: events gone through", .perSecond(result.catchingUp)))
    return table
}
