import Events
import Muniment
import Permissions
import Synchronization
import TestSupport
import Testing

@Suite("Concurrency: threads of one process")
struct ConcurrencyTests {
    private static let threads = 64
    private static let commitsPerThread = 6

    private static func makeStore(_ path: String) throws -> Store {
        let store = try Store.create(at: path, preset: .open, options: StoreOptions(mapBytes: 1 << 18))
        try store.commit(Transaction("user:root", [.defineClass("doc")]))
        return store
    }

    @Test("E3: commits of 64 threads get dense revisions, each with its own change, and all are present after reopening")
    func manyWriters() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let store = try Self.makeStore(path)
        let first = try store.head.revision.rawValue
        let revisions = Mutex<[UInt64: Name]>([:])
        let threads = (0..<Self.threads).map { thread in
            TestThread {
                for number in 0..<Self.commitsPerThread {
                    let name = Name("doc:\(thread)-\(number)")
                    let receipt = try store.commit(Transaction("user:root", [.createObject(name)]))
                    let revision = try #require(receipt.revision)
                    revisions.withLock { $0[revision.rawValue] = name }
                    // The object exists from its revision on, and not before.
                    #expect(try store.read(at: .revision(revision)) { try $0.exists(name) })
                    #expect(try !store.read(at: .revision(Revision(revision.rawValue - 1))) { try $0.exists(name) })
                    #expect(try store.read { try $0.exists(name) })
                }
            }
        }
        for thread in threads { try thread.join() }
        let made = revisions.withLock { $0 }
        let count = UInt64(Self.threads * Self.commitsPerThread)
        #expect(made.keys.sorted() == Array(first + 1...first + count))
        try store.close()
        let again = try Store.open(at: path, .reading)
        try again.log(from: Revision(first + 1), to: Revision(first + count)) { commit in
            guard case .objectCreated(let event) = commit.commit.events.first else {
                Issue.record("\(commit.commit)")
                return
            }
            #expect(event.object.name == made[commit.commit.revision.rawValue]?.text)
        }
        try again.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test("E2: Readers during writes see only whole commits, and never fewer than before")
    func readersDuringWrites() throws {
        let folder = try ScratchFolder()
        let store = try Self.makeStore(folder.path + "/store")
        let written = Box()
        let readers = (0..<4).map { _ in
            TestThread {
                var seen = 0
                while !written.isDone.load(ordering: .acquiring) {
                    let least = written.count.load(ordering: .acquiring)
                    let count = try store.read { snapshot throws in
                        // Each transaction creates one `doc:a…` and one `doc:b…`.
                        var count = least
                        while try snapshot.exists(Name("doc:a\(count)")) { count += 1 }
                        if least > 0 { #expect(try snapshot.exists(Name("doc:b\(least - 1)"))) }
                        for number in max(0, count - 3)..<count + 2 {
                            #expect(try snapshot.exists(Name("doc:a\(number)")) == snapshot.exists(Name("doc:b\(number)")))
                        }
                        return count
                    }
                    #expect(count >= seen)
                    seen = count
                }
            }
        }
        defer { written.isDone.store(true, ordering: .releasing) }
        for number in 0..<120 {
            try store.commit(
                Transaction("user:root", [.createObject(Name("doc:a\(number)")), .createObject(Name("doc:b\(number)"))]))
            written.count.store(number + 1, ordering: .releasing)
        }
        written.isDone.store(true, ordering: .releasing)
        for reader in readers { try reader.join() }
        try store.close()
    }

    @Test("A refused transaction in a group does not affect the others")
    func refusalsInGroups() throws {
        let folder = try ScratchFolder()
        let store = try Self.makeStore(folder.path + "/store")
        let box = Counter()
        let threads = (0..<Self.threads).map { thread in
            TestThread {
                do {
                    // Two threads try to create each name.
                    let name = Name("doc:\(thread / 2)")
                    try store.commit(Transaction("user:root", [.createObject(name)]))
                    box.made.add(1, ordering: .relaxed)
                } catch let refusal as Refusal {
                    #expect(refusal.code == .alreadyExists)
                    box.refused.add(1, ordering: .relaxed)
                }
            }
        }
        for thread in threads { try thread.join() }
        #expect(box.made.load(ordering: .relaxed) == Self.threads / 2)
        #expect(box.refused.load(ordering: .relaxed) == Self.threads / 2)
        try store.close()
    }

    private final class Box: Sendable {
        let count = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
    }

    private final class Counter: Sendable {
        let made = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
    }
}
