import Events
import Permissions
import Projections
import StoreSupport
import TestSupport

@testable import Muniment

/// A random history in a real store, with replicas of several users. They look at random moments, reconnect, and are compared with the
/// model at the end of every step.
struct RandomReplicaRun {
    /// A difference, with everything needed to reproduce it.
    struct Disagreement: Error, CustomStringConvertible {
        let seed: UInt64
        let what: String

        var description: String { "MUNIMENT_SEED=\(seed) MUNIMENT_HISTORIES=1: \(what)" }
    }

    private static let users: [Name] = [
        "user:u0", "user:u1", "user:u2", "user:new", "thing:t1", "user:root", "user:never-seen", .anonymous,
    ]

    /// A user's replica, and its feed.
    private struct Client {
        let user: Name
        let classes: [String]
        var replica = ReceivedReplica()
        var subscriber: ReplicaSubscriber?
        /// While the feed waits: the keys of the commits that wake it.
        var awaited: Set<UInt64>?
    }

    private let fixture: StoreFixture
    private var history: RandomHistory
    private var model = NaiveModel()
    private var random: SplitMix64
    private var clients: [Client] = []
    private(set) var steps = 0
    private(set) var sentObjects = 0

    private var store: Store { fixture.store }

    init(_ history: RandomHistory, in fixture: StoreFixture) {
        (self.history, self.fixture) = (history, fixture)
        random = SplitMix64(seed: ~history.seed)
    }

    /// Applies the history to the store, with looks of the replicas in between.
    mutating func run(steps: Int) throws {
        for number in 0..<steps {
            let next = history.next()
            fixture.clock.now = next.time
            do { try store.commit(Transaction(next.caller, next.changes)) } catch is Refusal { history.takeBack() }
            try followLog()
            if number >= steps / 4, clients.isEmpty { try connectAll() }
            for index in clients.indices where random.chance(percent: 35) { try advance(index, looks: random.number(1...6)) }
        }
        // The last commit records every end that has passed, so that every replica can be completed.
        try store.commit(Transaction("user:root", [.register("user:the-last")], authority: .importer))
        try followLog()
        for index in clients.indices {
            try advance(index, looks: .max)
            guard clients[index].awaited != nil else { throw disagreement("\(clients[index].user) is not complete at the end") }
            try compare(clients[index], at: model.head)
        }
    }

    private mutating func connectAll() throws {
        let classes = try store.read { snapshot in
            try snapshot.reader.definedClasses().compactMap { Name(try snapshot.reader.name(of: $0)).id }
        }
        // In some histories every definition of a class is refused for a long time.
        guard !classes.isEmpty else { return }
        for user in Self.users {
            var chosen = classes.filter { _ in random.chance(percent: 75) }
            if chosen.isEmpty { chosen = [classes[0]] }
            clients.append(Client(user: user, classes: chosen.sorted()))
        }
    }

    private mutating func followLog() throws {
        for commit in try fixture.commits(from: model.commitCount == 0 ? .genesis : model.head.next) {
            try model.append(commit)
            for index in clients.indices { try wake(index, commit) }
        }
    }

    /// Wakes a waiting feed if the commit may affect it.
    private mutating func wake(_ index: Int, _ commit: Commit) throws {
        guard let awaited = clients[index].awaited, commit.revision > .genesis else { return }
        let affected = try store.withReader { try AffectedSubscribers.subjects(of: commit, readsValues: true, $0) }
        guard affected?.isDisjoint(with: awaited) != true else { return }
        clients[index].awaited = nil
        clients[index].subscriber?.take(
            Wakening(
                commit: random.chance(percent: 70) ? commit : nil,
                passed: random.chance(percent: 70) ? Revision(commit.revision.rawValue - 1) : .genesis))
    }

    // MARK: Looks

    private mutating func advance(_ index: Int, looks: Int) throws {
        if clients[index].subscriber == nil || random.chance(percent: 10) { try connect(index) }
        var left = looks
        while left > 0, clients[index].awaited == nil {
            left -= 1
            guard var subscriber = clients[index].subscriber else { return }
            defer { clients[index].subscriber = subscriber }
            switch store.look(&subscriber) {
            case .success(.parts(let parts, let keys)):
                for part in parts { try take(part, index) }
                clients[index].awaited = keys
            case .success(.unsettled): return
            case .success(.nothing(let keys)): clients[index].awaited = keys
            case .failure(let error): throw error
            }
        }
    }

    /// Connects a client, or disconnects it and connects it again at its position.
    private mutating func connect(_ index: Int) throws {
        let position = try clients[index].replica.position.map { try ReplicaPosition($0.description) }
        clients[index].replica.disconnect()
        var subscriber = try store.replica(
            of: clients[index].user, classes: clients[index].classes.shuffled(using: &random), after: position
        ).start
        if random.chance(percent: 80) {
            subscriber.limits.objectsOfLook = random.number(1...8)
            subscriber.limits.commitsOfLook = UInt64(random.number(1...4))
            subscriber.limits.objectsOfPart = random.number(1...3)
            subscriber.limits.bytesOfPart = random.one(of: [1, 500, 100_000])
        }
        subscriber.limits.sharesSteps = random.chance(percent: 70)
        if random.chance(percent: 15) { subscriber.limits.objectsOfDifference = random.number(0...6) }
        if random.chance(percent: 10) { subscriber.limits.commitsOfDifference = UInt64(random.number(0...10)) }
        clients[index].subscriber = subscriber
        clients[index].awaited = nil
    }

    private mutating func take(_ part: ReplicaPart, _ index: Int) throws {
        let client = clients[index]
        if case .objects(let objects) = part {
            sentObjects += objects.changed.count
            let present = model.view(.head, now: fixture.clock.now)
            for object in objects.changed {
                for name in [object.name, object.parent].compactMap(\.self)
                where !present.check(client.user, ["read"], on: Name(name)) {
                    throw disagreement("\(client.user) is sent \(object.name) with \(name), which it may not read now")
                }
            }
        }
        guard try clients[index].replica.take(part) else { return }
        steps += 1
        guard let end = clients[index].replica.end else { return }
        try compare(clients[index], at: end.revision)
    }

    // MARK: Comparing

    private func compare(_ client: Client, at revision: Revision) throws {
        let expected = model.replica(of: client.user, classes: client.classes, at: revision)
        let found = try client.replica.naive
        guard found == expected else {
            for name in Set(found.objects.keys).union(expected.objects.keys) where found.objects[name] != expected.objects[name] {
                throw disagreement(
                    """
                    \(client.user) at \(revision) has \(name) as \(found.objects[name].map { "\($0)" } ?? "nothing"), and should have \
                    \(expected.objects[name].map { "\($0)" } ?? "nothing"), after \(client.replica.steps.suffix(4))
                    """)
            }
            throw disagreement("\(client.user) at \(revision) has the classes \(found.classes) and should have \(expected.classes)")
        }
        try store.read(at: .revision(revision)) { snapshot in
            for (name, object) in client.replica.objects where try snapshot.lastChange(of: name) != object.changed {
                throw disagreement("\(client.user) at \(revision) has \(name) as of \(object.changed)")
            }
        }
    }

    private func disagreement(_ what: String) -> Disagreement { Disagreement(seed: history.seed, what: what) }
}
