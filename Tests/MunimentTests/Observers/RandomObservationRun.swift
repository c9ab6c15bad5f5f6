import Events
import Muniment
import Permissions
import Synchronization
import TestSupport

/// A random history, and observers that start at any revision. Each is compared with a query at every revision.
struct RandomObservationRun {
    private let clock = ManualClock()
    private let store: Store
    private var history: RandomHistory
    private var random: SplitMix64
    private var objects: Set<Name> = []
    private let ended = Count()
    private var observing: [(naive: NaiveObserver, task: Task<Observed, Never>)] = []

    private static let steps = 120
    private static let callers: [Name] =
        (0..<6).map { Name("user:u\($0)") } + (0..<5).map { Name("role:r\($0)") }
        + ["user:new", "user:root", "user:nobody", "thing:t1", "everyone", "anonymous"]
    private static let paths: [JSONPath] = ["", "", "n", "s", "to", "to/0", "to/0/$ref", "deep", "deep/x/0/y", "0"]

    init(seed: UInt64, in folder: String) throws {
        history = RandomHistory(seed: seed)
        random = SplitMix64(seed: seed &+ 1)
        clock.now = history.start
        store = try Store.create(
            at: folder + "/store", preset: history.preset, administrator: history.administrator,
            options: StoreOptions(clock: { [clock] in clock.now }, expiryRecording: .withCommits))
    }

    /// Returns the number of delivered changes and of delivered ends of access.
    mutating func run() async throws -> (changes: Int, ends: Int) {
        do {
            for step in 0..<Self.steps {
                if step % 10 == 7 { try importStretch() } else { try commitStep() }
                try write()
                if step % 4 == 3 { for _ in 0..<6 { try begin() } }
            }
            let told = try await compare()
            return told
        } catch {
            try store.close()
            throw error
        }
    }

    // MARK: Changing

    private mutating func commitStep() throws {
        let next = history.next()
        clock.now = next.time
        do { try commit(Transaction(next.caller, next.changes)) } catch is Refusal { history.takeBack() }
        note(next)
    }

    /// Makes an asynchronous caller use the synchronous form of `commit`.
    private func commit(_ transaction: Transaction) throws { try store.commit(transaction) }

    /// Writes a value in addition to the history, because only changes of readable values are delivered.
    private mutating func write() throws {
        guard let object = objects.sorted().randomElement(using: &random) else { return }
        let (number, letter) = (
            JSONValue.integer(Int64(random.number(0...3))), JSONValue.string(random.chance(percent: 50) ? "a" : "b")
        )
        let link = JSONValue.object(["$ref": .string(random.chance(percent: 50) ? "doc:1" : object.text)])
        let content: Change.Content =
            switch random.number(0...6) {
            case 0: .merge(.object(["n": number]))
            case 1: .merge(.object(["s": letter, "n": .null]))
            case 2: .merge(.object(["deep": .object(["x": .array([.object(["y": number]), letter])])]))
            case 3: .merge(.object(["deep": .null, "to": .array([link, number])]))
            case 4: .value(.array([number, letter]))
            case 5: .value(.object(["to": .array([link]), "s": letter, "0": number]))
            default: .value(number)
            }
        do { try commit(Transaction("user:root", [.writeObject(object, content)])) } catch is Refusal {}
    }

    private mutating func importStretch() throws {
        let importer = try store.importer()
        for _ in 0..<4 {
            let next = history.next()
            clock.now = next.time
            do { try importer.add(Transaction(next.caller, next.changes)) } catch is Refusal { history.takeBack() }
            note(next)
        }
        try importer.finish()
    }

    private mutating func note(_ step: RandomHistory.Step) {
        for case .createObject(let object, _, _, _) in step.changes { objects.insert(object) }
    }

    // MARK: Observing

    /// Begins an observation now or in the past. If it is refused, reading must be refused with the same error.
    private mutating func begin() throws {
        let head = try store.head.revision
        guard let object = objects.sorted().randomElement(using: &random), let path = Self.paths.randomElement(using: &random),
            let caller = Self.callers.randomElement(using: &random)
        else { return }
        let since = random.chance(percent: 60) ? nil : Revision(UInt64.random(in: 0...head.rawValue, using: &random))
        let reading = Result {
            _ = try store.read(at: since.map { .revision($0) } ?? .now) { try $0.value(of: object, as: caller) }
        }
        do {
            let changes = try store.observe(object, at: path, as: caller, since: since)
            try reading.get()
            let naive = NaiveObserver(object: object, caller: caller, path: path, since: changes.since)
            observing.append(
                (
                    naive,
                    Task { [ended] in
                        defer { ended.value.add(1, ordering: .relaxed) }
                        return await changes.all()
                    }
                ))
        } catch let refusal as Refusal {
            guard case .failure(let error) = reading, error as? Refusal == refusal else {
                throw Disagreement(what: "\(caller) is refused \(refusal) on \(object), where reading is \(reading)")
            }
        }
    }

    /// Waits until every observer has received all changes, ends the active ones, and compares the results.
    private func compare() async throws -> (changes: Int, ends: Int) {
        let head = try store.head.revision
        let notes = try NaiveObserver.notes(of: store)
        var expected = try observing.map { try $0.naive.observed(in: store, notes, upTo: head) }
        try await until("every observer waits or has ended", withinSeconds: 600) {
            store.waitingObservers + ended.value.load(ordering: .relaxed) == observing.count
        }
        try store.close()
        for index in expected.indices where expected[index].end == nil { expected[index].end = .storeClosed }
        for ((naive, task), expected) in zip(observing, expected) {
            let observed = await task.value
            guard observed == expected else {
                throw Disagreement(what: "\(naive) up to \(head) was told \(observed), and should be told \(expected)")
            }
        }
        return (expected.reduce(0) { $0 + $1.changes.count }, expected.count { $0.end != .storeClosed })
    }

    private final class Count: Sendable {
        let value = Atomic<Int>(0)
    }

    private struct Disagreement: Error, CustomStringConvertible {
        let what: String
        var description: String { what }
    }
}
