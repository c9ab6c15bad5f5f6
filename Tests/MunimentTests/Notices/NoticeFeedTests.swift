import Events
import Muniment
import Notices
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Live notices", .timeLimit(.minutes(60)))
struct NoticeFeedTests {
    private static let last: Name = "doc:last"

    /// Every signed-in subscriber gets a notice of this last transaction.
    private static let ending = Transaction(
        "user:root", [.createObject(last), .grant(.everyone, on: last, ["read"])], origin: Origin(comment: "the end"))

    /// Returns all notices of a feed until it ends.
    private static func all(_ feed: NoticeFeed) async throws -> [Notice] {
        var notices: [Notice] = []
        for try await notice in feed {
            notices.append(notice)
            if notice.object == last, notice.completesRevision { break }
        }
        return notices
    }

    /// Sorts the notices within each revision, as a finished span has them, and checks the mark at the end of each revision.
    private static func sorted(_ notices: [Notice]) -> [Notice] {
        for (notice, next) in zip(notices, notices.dropFirst()) {
            #expect(notice.revision <= next.revision)
            #expect(notice.completesRevision == (notice.revision < next.revision), "\(notice)")
        }
        #expect(notices.last?.completesRevision ?? true)
        let ends = Set(notices.map(\.revision))
        let plain = notices.map {
            Notice(
                revision: $0.revision, kind: $0.kind, object: $0.object, gained: $0.gained, lost: $0.lost,
                wasAccessible: $0.wasAccessible)
        }.sorted()
        return ends.sorted().flatMap { revision in
            let ofRevision = plain.filter { $0.revision == revision }
            return ofRevision.dropLast() + ofRevision.suffix(1).map(\.last)
        }
    }

    /// A store with four documents. One of them is shared with the role of all users.
    private func withDocuments(_ body: (StoreFixture) async throws -> Void) async throws {
        try await withStore(.open) { (fixture) async throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .register("user:bob"), .createRole("role:crew"))
            try fixture.commit(
                .createObject("doc:0"), .createObject("doc:1"), .createObject("doc:2"), .createObject("doc:3"),
                .grant("role:crew", on: "doc:3", ["read"]))
            try await body(fixture)
        }
    }

    /// The work that each of several writers repeats. Each writer has a separate document, and all share one role.
    private static func change(_ number: Int, by writer: Int) -> Change {
        let object = Name("doc:\(writer)")
        return switch number % 6 {
        case 0: .grant("user:ann", on: object, ["read", "update"])
        case 1: .grant(.everyone, on: object, ["read"])
        case 2: .addMember("user:bob", to: "role:crew")
        case 3: .revoke("user:ann", on: object)
        case 4: .revoke(.everyone, on: object)
        default: .removeMember("user:bob", from: "role:crew")
        }
    }

    @Test("E6: during writes, a feed from any revision delivers every notice once and in order, stored ones and live ones")
    func seam() async throws {
        try await withDocuments { fixture in
            let store = fixture.store
            let first = try fixture.head
            let (begun, begins) = AsyncStream<Void>.makeStream()
            let told = try await withThrowingTaskGroup(
                of: (Name, Revision, [Notice])?.self, returning: [(Name, Revision, [Notice])].self
            ) { group in
                for writer in 0..<3 {
                    group.addTask {
                        for number in 0..<120 {
                            try await store.commit(Transaction("user:root", [Self.change(number, by: writer)]))
                        }
                        return nil
                    }
                }
                for reader in 0..<24 {
                    group.addTask {
                        // One reader after another, from now or from an earlier revision, while the writers write.
                        let subject: Name = reader % 2 == 0 ? "user:ann" : "user:bob"
                        for _ in 0..<reader * 4 { await Task.yield() }
                        let head = try store.head.revision
                        let since = reader % 3 == 0 ? head : Revision((first.rawValue + head.rawValue) / 2)
                        let feed = try store.notices(for: subject, after: since)
                        begins.yield()
                        return (subject, since, try await Self.all(feed))
                    }
                }
                // Commits the last transaction after all subscribers have begun.
                group.addTask {
                    for await _ in begun.prefix(24) {}
                    return nil
                }
                var told: [(Name, Revision, [Notice])] = []
                var writing = 4
                while let result = try await group.next() {
                    guard let result else {
                        writing -= 1
                        if writing == 0 { try await store.commit(Self.ending) }
                        continue
                    }
                    told.append(result)
                }
                return told
            }
            let head = try fixture.head
            #expect(told.count == 24)
            for (subject, since, notices) in told {
                let expected = try store.notices(for: subject, after: since, through: head)
                #expect(Self.sorted(notices) == expected, "\(subject) since \(since)")
            }
            #expect(told.contains { $0.2.count > 20 })
        }
    }

    @Test("E6: a subscriber that is killed at any notice, and resumes after its last handled revision, gets the same notices")
    func killed() async throws {
        let seed = TestSettings.firstSeed
        var history = RandomHistory(seed: seed)
        try await withStore(history.preset, clock: ManualClock(history.start)) { (fixture) async throws in
            for _ in 0..<50 {
                let next = history.next()
                fixture.clock.now = next.time
                do { _ = try await fixture.store.commit(Transaction(next.caller, next.changes)) } catch is Refusal {
                    history.takeBack()
                }
            }
            let head = try fixture.head
            for subject: Name in ["user:u0", "user:u1", "user:root", "user:never-seen"] {
                let expected = try fixture.store.notices(for: subject, after: .genesis, through: head)
                let whole = try await first(expected.count, of: try fixture.store.notices(for: subject, after: .genesis))
                #expect(Self.sorted(whole) == expected, "seed \(seed), \(subject)")
                for count in 0..<whole.count {
                    let told = try await first(count, of: try fixture.store.notices(for: subject, after: .genesis))
                    #expect(told == Array(whole.prefix(count)), "seed \(seed)")
                    let handled = told.last(where: \.completesRevision)?.revision ?? .genesis
                    let rest = try await first(
                        whole.count { $0.revision > handled }, of: try fixture.store.notices(for: subject, after: handled))
                    #expect(told.filter { $0.revision <= handled } + rest == whole, "seed \(seed), \(subject), \(count)")
                }
            }
        }
    }

    private func first(_ count: Int, of feed: NoticeFeed) async throws -> [Notice] {
        var notices: [Notice] = []
        var iterator = feed.makeAsyncIterator()
        while notices.count < count, let notice = try await iterator.next() { notices.append(notice) }
        return notices
    }

    @Test("E6: a waiting feed delivers new notices, and ends with its task")
    func cancelled() async throws {
        try await withDocuments { fixture in
            let store = fixture.store
            let feed = try store.notices(for: "user:ann")
            let waiting = Task {
                var notices: [Notice] = []
                for try await notice in feed { notices.append(notice) }
                return notices
            }
            try fixture.commit(.grant("user:ann", on: "doc:0", ["read"]))
            var seen = feed.makeAsyncIterator()
            #expect(try await seen.next()?.kind == .shared)
            waiting.cancel()
            #expect(try await waiting.value.count <= 1)
        }
    }

    @Test("E6: a feed throws when the store is closed, and a new feed continues at the same position")
    func closed() async throws {
        try await withDocuments { fixture in
            let begin = try fixture.head
            var feed = try fixture.store.notices(for: "user:ann").makeAsyncIterator()
            try fixture.commit(.grant("user:ann", on: "doc:0", ["read"]))
            let notice = try #require(try await feed.next())
            #expect(notice.revision == begin.next)
            try fixture.reopen()
            await #expect(throws: (any Error).self) { try await feed.next() }
            try fixture.commit(.revoke("user:ann", on: "doc:0"))
            var next = try fixture.store.notices(for: "user:ann", after: notice.revision).makeAsyncIterator()
            #expect(try await next.next()?.kind == .madeInaccessible)
        }
    }

    @Test("E6: a feed after a future revision is refused, and so is an ill-formed name")
    func refused() async throws {
        try await withDocuments { fixture in
            let head = try fixture.head
            #expect(throws: StoreError.noSuchRevision(head.next, head: head)) {
                _ = try fixture.store.notices(for: "user:ann", after: head.next)
            }
            #expect(throws: StoreError.noSuchRevision(head.next, head: head)) {
                _ = try fixture.store.notices(for: "user:ann", after: .genesis, through: head.next)
            }
            #expect(throws: Refusal.self) { _ = try fixture.store.notices(for: "no:\u{1}", after: head) }
            #expect(try fixture.store.notices(for: "user:ann", after: head, through: head).isEmpty)
        }
    }

    @Test("E6: A role that gives access to very many objects delivers each once, live, and only the last one ends the revision")
    func manyObjects() async throws {
        try await withStore(.open) { (fixture) async throws in
            try fixture.commit(.defineClass("doc"), .register("user:ann"), .createRole("role:crew"))
            let objects = (0..<500).map { Name("doc:\($0)") }
            _ = try await fixture.store.commit(
                Transaction("user:root", objects.flatMap { [.createObject($0), .grant("role:crew", on: $0, ["read"])] }))
            let feed = try fixture.store.notices(for: "user:ann")
            try fixture.commit(.addMember("user:ann", to: "role:crew"))
            var told: [Notice] = []
            for try await notice in feed {
                told.append(notice)
                if notice.completesRevision { break }
            }
            #expect(told.map(\.object).sorted() == objects.sorted())
            #expect(told.allSatisfy { $0.kind == .shared })
            #expect(told.filter(\.completesRevision).count == 1)
        }
    }

    @Test("F13: Descendants of an object that one commit moves into a folder and deletes are also reported as deleted")
    func movedAndDeleted() throws {
        try withStore(.open) { (fixture) throws in
            try fixture.commit(
                .defineClass("doc"), .register("user:ann"), .createObject("doc:folder"), .createObject("doc:book"),
                .createObject("doc:page", parent: "doc:book"), .grant("user:ann", on: "doc:page", ["read"]))
            let before = try fixture.head
            try fixture.commit(.moveObject("doc:book", parent: "doc:folder"), .deleteObject("doc:folder"))
            let told = try fixture.store.notices(for: "user:ann", after: before, through: fixture.head)
            #expect(told.map(\.kind) == [.deleted])
            #expect(told.map(\.object) == ["doc:page"])
        }
    }
}
