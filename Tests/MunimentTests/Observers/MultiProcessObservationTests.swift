import Events
import Foundation
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Observing: writes of another process, and failures", .timeLimit(.minutes(60)))
struct MultiProcessObservationTests {
    private let options = StoreOptions(clock: { FaultHistory.now }, expiryRecording: .withCommits, mapBytes: 1 << 24)

    /// A closed store with `doc:1`, which `user:ann` may read.
    private func withClosedStore(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let store = try Store.create(at: path, preset: .open, options: options)
        let changes: [Change] = [
            .defineClass("doc"), .register("user:ann"), .createObject("doc:1", value: .integer(0)),
            .grant("user:ann", on: "doc:1", ["read"]),
        ]
        try await store.commit(Transaction("user:root", changes))
        try store.close()
        try await body(path)
    }

    @Test("F14: a store opened for reading delivers the changes of another process, each once and in order")
    func countedElsewhere() async throws {
        try await withClosedStore { path in
            let store = try Store.open(at: path, .reading, options: options)
            let changes = try store.observe("doc:1", as: "user:ann")
            async let first = changes.all()
            async let second = changes.all()
            try await store.untilWaiting(2)
            #expect(try Helper.run(["count", path, "doc:1", "30"]).exitCode == 0)
            let (one, other) = await (first, second)
            #expect(
                one.changes.map(\.kind)
                    == (0..<30).map { .valueChanged(before: .integer($0), after: .integer($0 + 1)) })
            #expect(one.end == .objectDeleted(at: try store.head.revision))
            #expect(one == other)
            try store.close()
        }
    }

    @Test("F14: a store opened for reading reports that access ended in another process, even through a new index")
    func revokedElsewhere() async throws {
        for isRebuilt in [false, true] {
            let folder = try ScratchFolder()
            let path = folder.path + "/store"
            #expect(try Helper.run(["make", path]).exitCode == 0)
            let store = try Store.open(at: path, .reading, options: options)
            async let observed = store.observe("doc:3", as: "user:ann").all()
            try await store.untilWaiting(1)
            if isRebuilt { #expect(try Helper.run(["rebuild", path]).exitCode == 0) }
            #expect(try Helper.run(["revoke", path]).exitCode == 0)
            let end = try await observed.end
            #expect(end == .accessEnded(at: try store.head.revision))
            try store.close()
        }
    }

    @Test("F14: closing a store that was opened for reading ends the observation")
    func closedElsewhere() async throws {
        try await withClosedStore { path in
            let store = try Store.open(at: path, .reading, options: options)
            async let observed = store.observe("doc:1", as: "user:ann").all()
            try await store.untilWaiting(1)
            try store.close()
            #expect(try await observed == Observed(end: .storeClosed))
        }
    }

    @Test("F14: an index that can no longer follow the log ends the observation and gives the reason")
    func fullDisk() async throws {
        try await withClosedStore { path in
            let result = try Helper.run(["observe-until-full", path, "300000"])
            let ends = result.lines.filter { $0.hasPrefix("end ") }
            #expect(ends.count == 1, "\(result)")
            #expect(ends.first?.contains("the index could not follow the log") == true, "\(result)")
        }
    }

    @Test("F14: a damaged value ends the observation, and is never delivered")
    func damage() async throws {
        try await withClosedStore { path in
            let writer = try Store.open(at: path, .writing, options: options)
            let since = try writer.head.revision
            try await writer.commit(Transaction("user:root", [.writeObject("doc:1", .value(.string("a rare word")))]))
            try writer.close()
            let store = try Store.open(at: path, .reading, options: options)
            let changes = try store.observe("doc:1", as: "user:ann", since: since)
            let file = URL(filePath: path + "/index/data.mdb")
            var bytes = try Data(contentsOf: file)
            let place = try #require(bytes.range(of: Data("a rare word".utf8)))
            bytes[place.lowerBound] = UInt8(ascii: "A")
            let handle = try FileHandle(forWritingTo: file)
            try handle.seek(toOffset: UInt64(place.lowerBound))
            try handle.write(contentsOf: bytes[place])
            try handle.close()
            let observed = await changes.all()
            #expect(observed.changes.isEmpty)
            guard case .unreadable(let why)? = observed.end else { return #expect(observed == Observed()) }
            #expect(why.contains("damaged"))
            try store.close()
        }
    }
}
