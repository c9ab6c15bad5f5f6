import Credentials
import Events
import Muniment
import Permissions
import RandomHistories
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("The live feed of an object's changes, in random histories", .timeLimit(.minutes(60)))
struct RandomChangeStreamTests {
    @Test("F14, E15: the feed sends the events of an observer in the process, in the same order, also after reconnections")
    func likeTheObserver() async throws {
        var (changes, ends, refusals) = (0, 0, 0)
        let count = max(1, TestSettings.historyCount / 20)
        // One history often has no end. Further ones follow until each kind occurred.
        for number in 0..<count + 100 where number < count || changes == 0 || ends == 0 || refusals == 0 {
            let seed = TestSettings.firstSeed &+ UInt64(number)
            try await withListeners { fixture in
                let run = try RandomChangeStreamRun(seed: seed, fixture)
                try await run.run()
                changes += run.changes
                ends += run.ends
                refusals += run.refusals
            }
        }
        #expect(changes > 0 && ends > 0 && refusals > 0, "\(changes) changes, \(ends) ends, \(refusals) refusals")
    }
}

/// A random history with pairs of an observer in the process and a client of the feed. After each commit, each pair must have the same
/// events.
private final class RandomChangeStreamRun {
    private let seed: UInt64
    private let fixture: ServiceFixture
    private let store: Store
    private let port: UInt16
    private let token: String
    private var history: RandomHistory
    private var random: SplitMix64
    private var objects: Set<Name> = []
    private var pairs: [Pair] = []
    private(set) var (changes, ends, refusals) = (0, 0, 0)

    private static let steps = 80
    private static let callers: [Name] =
        (0..<6).map { Name("user:u\($0)") } + (0..<5).map { Name("role:r\($0)") }
        + ["user:new", "user:root", "user:nobody", "thing:t1", "everyone", "anonymous"]
    private static let pointers = ["", "", "/n", "/s", "/to", "/to/0", "/to/0/$ref", "/deep", "/deep/x/0/y", "/0"]

    init(seed: UInt64, _ fixture: ServiceFixture) throws {
        (self.seed, self.fixture) = (seed, fixture)
        store = try #require(try fixture.service.data.store(.default)).store
        (port, token) = (try fixture.listen(), try fixture.token(.ask))
        history = RandomHistory(seed: seed, preset: .locked)
        random = SplitMix64(seed: seed &+ 1)
        fixture.clock.now = max(fixture.clock.now, history.start)
    }

    func run() async throws {
        for step in 0..<Self.steps {
            commitStep()
            try await compare()
            write()
            try await compare()
            if step % 3 == 2 { for _ in 0..<4 { try await begin() } }
        }
    }

    // MARK: Changing

    private func commitStep() {
        let next = history.next()
        fixture.clock.now = max(fixture.clock.now, next.time)
        for case .createObject(let object, _, _, _) in next.changes { objects.insert(object) }
        if !commit(Transaction(next.caller, next.changes)) { history.takeBack() }
    }

    /// Writes a value in addition to the history, because only changes of readable values are sent.
    private func write() {
        guard
            let object = pairs.isEmpty || random.chance(percent: 20)
                ? objects.sorted().randomElement(using: &random)
                : random.one(of: pairs).object
        else { return }
        let number = JSONValue.integer(Int64(random.number(0...3)))
        let letter = JSONValue.string(random.chance(percent: 50) ? "a" : "b")
        let content: Change.Content =
            switch random.number(0...6) {
            case 0: .merge(.object(["n": number]))
            case 1: .merge(.object(["s": letter, "n": .null]))
            case 2: .merge(.object(["deep": .object(["x": .array([.object(["y": number]), letter])])]))
            case 3: .merge(.object(["deep": .null, "to": .array([.object(["$ref": .string(object.text)]), number])]))
            case 4: .value(.array([number, letter]))
            case 5: .value(.object(["to": .array([number]), "s": letter, "0": number]))
            default: .value(number)
            }
        commit(Transaction("user:root", [.writeObject(object, content)]))
    }

    @discardableResult private func commit(_ transaction: Transaction) -> Bool { (try? store.commit(transaction)) != nil }

    // MARK: Observing

    /// Starts an observation in both ways, now or in the past. Both must be refused, or none.
    private func begin() async throws {
        let head = try store.head.revision
        guard let object = objects.sorted().randomElement(using: &random) else { return }
        let (caller, pointer) = (random.one(of: Self.callers), random.one(of: Self.pointers))
        let since = random.chance(percent: 60) ? head : Revision(UInt64.random(in: 0...head.rawValue, using: &random))
        let target = "/v1/stores/default/objects/\(object)"
        let client = try FeedClient(
            port: port, target + "/changes?path=\(pointer)&as=\(caller)&after=\(since)", token: token)
        // Reading the object now must be allowed, and observing it in the process.
        let reading = try await fixture.direct.send("GET", target + "?as=\(caller)", token: token)
        guard reading.status == 200 else { return try refuse(client, like: reading) }
        let path = JSONPath(pointer)
        let changes: ObservedChangeSequence
        do { changes = try store.observe(object, at: path, as: caller, since: since) } catch is Refusal {
            return try refuse(
                client, like: try await fixture.direct.send("GET", target + "?as=\(caller)&at=\(since)", token: token))
        }
        try require(client.status == 200, "\(caller) on \(object) after \(since) is refused with \(client.status)")
        pairs.append(
            Pair(object: object, target: target + "/changes?path=\(pointer)&as=\(caller)", observer: Watch(changes), client))
        try await compare()
    }

    private func refuse(_ client: FeedClient, like answer: ServiceSupport.Answer) throws {
        refusals += 1
        try require(client.status == answer.status, "the feed has the status \(client.status), and reading \(answer.status)")
    }

    /// Reads from each client what its observer has received up to the head.
    private func compare() async throws {
        let head = try store.head.revision
        for pair in pairs {
            let observer = pair.observer
            try await until("the observer has passed \(head)") { observer.hasPassed(head) }
            var (told, end) = observer.take()
            // An object that was created again is another one. The feed sends nothing of the earlier one.
            if case .objectDeleted? = end { told = [] }
            for change in told {
                let event = try pair.next(changing: random.chance(percent: 5) && end == nil ? port : nil, token)
                let data = event?.data.json
                try require(data == change.json(in: told), "\(pair.target) sent \(String(describing: data)), not \(change)")
                changes += 1
            }
            guard let end else { continue }
            let event = try pair.next(changing: nil, token)
            try require(
                event?.data.json == end.json(in: store), "\(pair.target) sent \(String(describing: event)), not \(end)")
            try require(pair.client.next() == nil && pair.client.isEnded, "\(pair.target) does not end")
            let again = try FeedClient(port: port, pair.target, token: token, lastID: event?.id)
            // The same commit may have created another object of this name, which can be read.
            var reading = try await fixture.direct.send("GET", pair.reading, token: token).status
            if reading == 200 {
                reading = try await fixture.direct.send("GET", pair.reading + "&at=\(event?.id ?? "")", token: token).status
            }
            try require(again.status == reading, "\(pair.target) has the status \(again.status) after its end, not \(reading)")
            ends += 1
        }
        pairs.removeAll { $0.observer.hasEnded }
    }

    private func require(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
        guard isSo else { throw DisagreementError(description: "seed \(seed): \(what())") }
    }
}

private struct DisagreementError: Error, CustomStringConvertible {
    let description: String
}

/// An observer in the process, and a client of the feed.
private final class Pair {
    let object: Name
    /// The target of the feed.
    let target: String
    /// The target for reading the object.
    var reading: String { target.replacing(/\/changes.*&as=/, with: "?as=") }
    let observer: Watch
    private(set) var client: FeedClient

    init(object: Name, target: String, observer: Watch, _ client: FeedClient) {
        (self.object, self.target, self.observer, self.client) = (object, target, observer, client)
    }

    /// Returns the next event, before or after which the client can connect again with the id of its last event.
    func next(changing port: UInt16?, _ token: String) throws -> FeedClient.Event? {
        let event = client.next()
        if let port { client = try FeedClient(port: port, target, token: token, lastID: event?.id) }
        return event
    }
}

/// An observation in the process.
private final class Watch: Sendable {
    private struct State {
        var changes: [ObservedChange] = []
        var end: ObservationError?
    }

    private let state: Mutex<State>
    private let position: FeedPosition

    init(_ changes: ObservedChangeSequence) {
        let iterator = IteratorBox(changes.makeAsyncIterator())
        position = iterator.position
        state = Mutex(State())
        Task { [self] in
            do throws(ObservationError) {
                while let change = try await iterator.next() { state.withLock { $0.changes.append(change) } }
            } catch { state.withLock { $0.end = error } }
        }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Whether the observer has received everything up to a revision.
    func hasPassed(_ revision: Revision) -> Bool { hasEnded || (position.passed ?? .genesis) >= revision }

    /// Returns what the observer has received since the last call.
    func take() -> (changes: [ObservedChange], end: ObservationError?) {
        state.withLock { state in
            defer { state.changes = [] }
            return (state.changes, state.end)
        }
    }
}

/// The iterator is used only by one task.
private final class IteratorBox: @unchecked Sendable {
    private var iterator: ObservedChangeSequence.Iterator

    init(_ iterator: ObservedChangeSequence.Iterator) { self.iterator = iterator }

    var position: FeedPosition { iterator.position }

    func next() async throws(ObservationError) -> ObservedChange? { try await iterator.next() }
}

extension String {
    /// The data of the CloudEvent in this text.
    fileprivate var json: JSONValue? { (try? JSONText.decode(Array(utf8)))?["data"] }
}

extension ObservedChange {
    /// Returns the data of the event for this change. `changes` has all changes of the revision.
    fileprivate func json(in changes: [ObservedChange]) -> JSONValue {
        var members: JSONObject = [
            "revision": .revision(revision), "time": .time(time),
            "completesRevision": .bool(changes.last { $0.revision == revision } == self),
        ]
        switch kind {
        case .childAdded(let name, let value):
            (members["kind"], members["name"], members["value"]) = (.string("childAdded"), .string(name), value)
        case .childChanged(let name, before: _, let after):
            (members["kind"], members["name"], members["value"]) = (.string("childChanged"), .string(name), after)
        case .childRemoved(let name, before: _): (members["kind"], members["name"]) = (.string("childRemoved"), .string(name))
        case .valueChanged(before: _, let after): (members["kind"], members["value"]) = (.string("valueChanged"), after)
        }
        return .object(members)
    }
}

extension ObservationError {
    fileprivate func json(in store: Store) throws -> JSONValue {
        let (kind, revision): (String, Revision) =
            switch self {
            case .accessEnded(let revision): ("accessEnded", revision)
            case .objectDeleted(let revision): ("objectDeleted", revision)
            case .storeClosed, .unreadable: ("", .genesis)
            }
        return .object([
            "kind": .string(kind), "revision": .revision(revision), "time": .time(try store.time(of: revision)),
            "completesRevision": .bool(true),
        ])
    }
}
