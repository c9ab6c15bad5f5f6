import Events
import Muniment
import Permissions
import StoreSupport
import Synchronization
import TestSupport
import Testing

@Suite("Observing: each change once and in order", .timeLimit(.minutes(60)))
struct ObservingDeliveryTests {
    private func prepare(_ fixture: StoreFixture, objects: Int = 1) throws {
        let changes = (1...objects).flatMap { number -> [Change] in
            let object = Name("doc:\(number)")
            return [.createObject(object, value: .object([:])), .grant("user:ann", on: object, ["read"])]
        }
        try fixture.store.commit(Transaction("user:root", [.defineClass("doc"), .register("user:ann")] + changes))
    }

    /// Returns the value at a path at a revision.
    private func value(_ store: Store, _ path: JSONPath, at revision: Revision) throws -> JSONValue? {
        try store.read(at: .revision(revision)) { try $0.value(of: "doc:1", as: "user:ann") }.value(at: path)
    }

    /// Applies the deliveries to the initial value. After each step the result must equal the store's value at that revision.
    private func check(_ observed: Observed, _ store: Store, _ path: JSONPath, since: Revision, to last: Revision) throws {
        var members: JSONObject = [:]
        if case .object(let first)? = try value(store, path, at: since) { members = first }
        var revision = since
        for step in observed.steps {
            // Without a delivery, the value must not have changed.
            while revision.next < step.revision {
                #expect(try value(store, path, at: revision) == value(store, path, at: revision.next))
                revision = revision.next
            }
            for kind in step.kinds {
                switch kind {
                case .childAdded(let name, let value):
                    #expect(members[name] == nil)
                    members[name] = value
                case .childChanged(let name, let before, let after):
                    #expect(members[name] == before)
                    members[name] = after
                case .childRemoved(let name, let before):
                    #expect(members[name] == before)
                    members[name] = nil
                case .valueChanged(let before, let after):
                    #expect(try before == value(store, path, at: revision))
                    #expect(try after == value(store, path, at: step.revision))
                    if case .object(let told)? = after { #expect(told == members) } else { #expect(members.isEmpty) }
                }
            }
            guard case .valueChanged? = step.kinds.last else {
                Issue.record("a step without the value: \(step)")
                return
            }
            revision = step.revision
        }
        #expect(try value(store, path, at: revision) == value(store, path, at: last))
    }

    @Test("F14: with many writers, every observer gets every change once and in order, and can compute the value at each revision")
    func manyWriters() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let store = fixture.store
            let since = try fixture.head
            let paths: [JSONPath] = ["", "a", "a/deep", "b", "nowhere"]
            let changes = try paths.map { try store.observe("doc:1", at: $0, as: "user:ann") }
            let tasks = changes.map { changes in Task { await changes.all() } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        var random = SplitMix64(seed: UInt64(writer))
                        for _ in 0..<25 { try await store.commit(Transaction("user:root", [Self.change(&random)])) }
                    }
                }
                try await group.waitForAll()
            }
            let last = try fixture.head
            try fixture.commit(.deleteObject("doc:1"))
            for (path, task) in zip(paths, tasks) {
                let observed = await task.value
                #expect(observed.end == .objectDeleted(at: last.next))
                try check(observed, store, path, since: since, to: last)
                #expect(observed.changes.isEmpty == (path == "nowhere"))
            }
        }
    }

    private static func change(_ random: inout SplitMix64) -> Change {
        let number = JSONValue.integer(Int64(random.number(0...5)))
        let patch: JSONValue =
            switch random.number(0...4) {
            case 0: .object(["a": .object(["deep": .object(["x": number, "y": .null])])])
            case 1: .object(["a": .object(["deep": .object(["y": number])])])
            case 2: .object(["a": .object(["other": number])])
            case 3: .object(["a": .null, "b": number])
            default: .object(["b": .object(["c": number])])
            }
        return .writeObject("doc:1", .merge(patch))
    }

    @Test("F14: an observer that is blocked during all writes still gets every change, and blocks no other observer")
    func slow() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let store = fixture.store
            let changes = try store.observe("doc:1", at: "n", as: "user:ann")
            let (steps, continuation) = AsyncStream.makeStream(of: Void.self)
            let slow = Task {
                var leave = steps.makeAsyncIterator()
                var observed: [ObservedChange] = []
                var iterator = changes.makeAsyncIterator()
                while let change = try? await iterator.next() {
                    observed.append(change)
                    await leave.next()
                }
                return observed
            }
            async let fast = changes.all()
            for number in 0..<100 {
                try fixture.commit(.writeObject("doc:1", .merge(.object(["n": .integer(Int64(number))]))))
            }
            try fixture.commit(.deleteObject("doc:1"))
            // The fast observer finishes before the slow one may take its second change.
            let all = await fast
            #expect(all.changes.count == 100)
            continuation.finish()
            #expect(await slow.value == all.changes)
        }
    }

    @Test("F14: an observer that resumes at any revision gets exactly the later changes")
    func resuming() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let since = try fixture.head
            var random = SplitMix64(seed: 5)
            for _ in 0..<40 { try fixture.commit(Self.change(&random), .createObject(Name("doc:\(random.next())"))) }
            let last = try fixture.head
            try fixture.commit(.deleteObject("doc:1"))
            for path in ["", "a/deep"] as [JSONPath] {
                let whole = try await fixture.store.observe("doc:1", at: path, as: "user:ann", since: since).all()
                try check(whole, fixture.store, path, since: since, to: last)
                for revision in since.rawValue...last.rawValue {
                    let rest = try await fixture.store.observe("doc:1", at: path, as: "user:ann", since: Revision(revision)).all()
                    #expect(rest.end == whole.end)
                    #expect(rest.changes == whole.changes.filter { $0.revision.rawValue > revision })
                }
            }
        }
    }

    @Test("F14: a commit wakes only the observers that it may affect")
    func waking() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture, objects: 20)
            let store = fixture.store
            try fixture.commit(.register("user:ben"), .createRole("role:r"), .createObject("doc:other"))
            let tasks = try (1...20).map { number in
                let changes = try store.observe(Name("doc:\(number)"), as: "user:ann")
                return Task { await changes.all() }
            }
            try await store.untilWaiting(20)
            // The feed wakes observers before the commit is acknowledged. A missing wake-up would make the count too low here.
            let unrelated: [Change] = [
                .writeObject("doc:other", .value(.null)), .grant("user:ben", on: "doc:other", ["read"]),
                .addMember("user:ben", to: "role:r"), .appointAdministrator("user:ben"), .defineClass("note"),
                .moveObject("doc:other", parent: "doc:1"), .register("user:new"), .removeMember("user:ben", from: "role:r"),
                .deleteObject("doc:other"), .deleteRole("role:r"),
            ]
            for change in unrelated {
                try fixture.commit(change)
                #expect(store.waitingObservers == 20, "\(change)")
            }
            try fixture.commit(.deleteObject("doc:7"))
            #expect(store.waitingObservers == 19)
            #expect(await tasks[6].value.end == .objectDeleted(at: try fixture.head))
            for number in 1...20 where number != 7 { try fixture.commit(.deleteObject(Name("doc:\(number)"))) }
            for task in tasks { #expect(await task.value.changes.isEmpty) }
        }
    }

    @Test("F14: an import is delivered when it can be read, with one step for each commit", arguments: [0, 100_000])
    func imports(others: Int) async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let store = fixture.store
            let changes = try store.observe("doc:1", at: "n", as: "user:ann")
            // Only the import wakes this observer.
            let observing = Task { try await changes.prefix(50).reduce(into: []) { $0.append($1.revision) } }
            try await store.untilWaiting(1)
            let importer = try store.importer()
            var expected: [Revision] = []
            for number in 0..<50 {
                let write = Change.writeObject("doc:1", .value(.object(["n": .integer(Int64(number))])))
                if let revision = try importer.add(Transaction("user:root", [write])) { expected.append(revision) }
                // Adds so many commits that the log has them earlier than the index.
                let objects = (0..<others / 50).map { Change.createObject(Name("doc:\(number)-\($0)")) }
                try importer.add(Transaction("user:root", objects))
            }
            try importer.finish()
            #expect(try await observing.value == expected)
        }
    }

    @Test("F14: many unrelated changes in between do not hide a change")
    func longHistories() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let since = try fixture.head
            let importer = try fixture.store.importer()
            // Each of these ends a version that read access depends on. There are more of them than one batch holds.
            for _ in 0..<400 {
                try importer.add(Transaction("user:root", [.grant("user:root", on: "doc:1", ["update"])]))
                try importer.add(Transaction("user:root", [.revoke("user:root", on: "doc:1")]))
            }
            // None of these changes the value at the path.
            for number in 0..<300 {
                try importer.add(Transaction("user:root", [.writeObject("doc:1", .merge(.object(["m": .integer(Int64(number))])))]))
            }
            try importer.finish()
            let written = try fixture.commit(.writeObject("doc:1", .merge(.object(["n": .bool(true)])))).head
            let observed = try await fixture.observed("doc:1", at: "n", since: since)
            #expect(observed.steps.map(\.revision) == [written])
        }
    }

    @Test("F14: a store can be closed while all observers read; each has received a prefix of the changes, without a gap")
    func closingMeanwhile() async throws {
        try await withStore(.open) { (fixture) async throws in
            try prepare(fixture)
            let store = fixture.store
            let since = try fixture.head
            for number in 0..<200 {
                try fixture.commit(.writeObject("doc:1", .merge(.object(["n": .integer(Int64(number))]))))
            }
            let changes = try store.observe("doc:1", at: "n", as: "user:ann", since: since)
            let started = Started()
            let tasks = (0..<8).map { _ in
                Task {
                    started.count.add(1, ordering: .relaxed)
                    return await changes.all()
                }
            }
            try await until("two look") { started.count.load(ordering: .relaxed) >= 2 }
            try fixture.reopen()
            for task in tasks {
                let observed = await task.value
                #expect(observed.end == .storeClosed)
                #expect(
                    observed.changes.map(\.revision)
                        == (0..<observed.changes.count).map { Revision(since.rawValue + 1 + UInt64($0)) })
            }
        }
    }

    private final class Started: Sendable {
        let count = Atomic<Int>(0)
    }
}
