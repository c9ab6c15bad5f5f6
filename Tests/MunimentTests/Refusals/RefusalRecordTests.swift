import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Recorded refusals")
struct RefusalRecordTests {
    private func prepare(_ fixture: StoreFixture) throws {
        try fixture.commit(.defineClass("doc"), .register("user:ann"), .createObject("doc:1"))
    }

    @Test("E9: The caller, command, time, origin and reason of a refusal are recorded before the caller gets the error")
    func record() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            fixture.clock.advance(seconds: 5)
            let origin = Origin(requestID: "r-7", idempotencyKey: "k", comment: "why not")
            let refusal = try #require(
                try fixture.refusal(
                    .createRole("role:mine"), .grant("user:ann", on: "doc:1", ["read"]), as: "user:ann", origin: origin))
            var recorded = origin
            // The refusal is the answer to the key, so the record has the digest of the request.
            recorded.requestDigest = try #require(try fixture.refusals().first).origin.requestDigest
            #expect(recorded.requestDigest.count == 32)
            let expected = RecordedRefusal(
                number: .first, time: .newYear.later(seconds: 5), head: Revision(1), caller: "user:ann", origin: recorded,
                code: "noPrivilege", message: refusal.message, change: 0, changeCount: 2,
                tried: RefusedChange(
                    operation: "createRole", objects: ["role:mine"], json: #"{"op":"createRole","role":"role:mine"}"#))
            #expect(try fixture.refusals() == [expected])
            #expect(try fixture.store.refusalCount == 1)
            // A refusal is as durable as a commit: it is present after reopening and after a rebuild of the index.
            try fixture.reopenWithoutIndex()
            #expect(try fixture.refusals() == [expected])
        }
    }

    @Test("E9: The same refusal is recorded each time, and accepted commands are not recorded as refusals")
    func everyRefusalCounts() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            for _ in 0..<3 { #expect(try fixture.refusal(.deleteObject("doc:9"))?.code == .unknownObject) }
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            // A change without effect, and a repeated key. Neither of them is a refusal.
            try fixture.commit(.grant("user:ann", on: "doc:1", ["read"]))
            let origin = Origin(idempotencyKey: "k")
            for _ in 0..<2 { try fixture.commit(.grant("user:ann", on: "doc:1", ["update"]), origin: origin) }
            let refusals = try fixture.refusals()
            #expect(refusals.map(\.number.rawValue) == [1, 2, 3])
            #expect(Set(refusals.map(\.message)).count == 1)
            #expect(try fixture.refusals(from: RefusalNumber(3)).map(\.number) == [RefusalNumber(3)])
            #expect(try fixture.refusals(from: RefusalNumber(4)).isEmpty)
        }
    }

    @Test("E9: A refused query is not a command, and is not recorded")
    func questions() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            #expect(throws: Refusal.self) { try fixture.store.read { try $0.value(of: "doc:1", as: "user:ann") } }
            #expect(throws: Refusal.self) { try fixture.store.history(of: "doc:none") { _ in } }
            #expect(try fixture.store.refusalCount == 0)
        }
    }

    @Test("E9: A refusal of a whole transaction is recorded with its first change")
    func wholeTransactions() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let origin = Origin(idempotencyKey: "k")
            try fixture.commit(.createRole("role:a"), origin: origin)
            #expect(try fixture.refusal(.createRole("role:b"), .createRole("role:c"), origin: origin)?.code == .keyReused)
            #expect(try fixture.refusal(origin: origin)?.code == .keyReused)
            #expect(try fixture.refusal(.createRole("role:d"), as: "role:r")?.code == .malformed)
            #expect(try fixture.refusal(.createRole("role:e"), as: "user:")?.code == .malformed)
            let refusals = try fixture.refusals()
            #expect(refusals.map(\.code) == ["keyReused", "keyReused", "malformed", "malformed"])
            #expect(refusals.map(\.change) == [nil, nil, nil, nil])
            #expect(refusals.map(\.changeCount) == [2, 0, 1, 1])
            #expect(refusals.map(\.caller) == ["user:root", "user:root", "role:r", "user:"])
            #expect(
                refusals.map(\.tried?.json) == [
                    #"{"op":"createRole","role":"role:b"}"#, nil, #"{"op":"createRole","role":"role:d"}"#,
                    #"{"op":"createRole","role":"role:e"}"#,
                ])
        }
    }

    @Test("E9: each refusal is recorded once, for waiting and non-waiting callers, alone and concurrently")
    func concurrency() async throws {
        try await withStore { (fixture) async throws in
            try prepare(fixture)
            let store = fixture.store
            await withTaskGroup(of: Void.self) { group in
                for caller in 0..<40 {
                    group.addTask {
                        for call in 0..<5 {
                            let name = Name("thing:\(caller)")
                            _ = try? await store.commit(Transaction(name, [.deleteObject(Name("doc:\(caller)-\(call)"))]))
                        }
                    }
                }
            }
            let refusals = try fixture.refusals()
            #expect(refusals.count == 200)
            #expect(refusals.map(\.number.rawValue) == Array(1...200))
            #expect(Set(refusals.compactMap(\.tried?.json)).count == 200)
            #expect(refusals.allSatisfy { $0.code == "unknownObject" })
            // The refusals of each caller are ordered by time.
            let own = refusals.filter { $0.caller == "thing:7" }.compactMap(\.tried?.json)
            #expect(own == (0..<5).map { #"{"op":"deleteObject","object":"doc:7-"# + "\($0)\"}" })
        }
    }

    @Test("E9: The refusals of an import are recorded at once, with the changes before them")
    func imports() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            let importer = try fixture.store.importer()
            func add(_ changes: Change..., seconds: Int64) throws -> Revision? {
                try importer.add(
                    Transaction("user:old", changes, authority: .importer, time: .newYear.later(seconds: seconds)))
            }
            #expect(try add(.createRole("role:a"), seconds: 1) == Revision(2))
            #expect(throws: Refusal.self) { try add(.createRole("role:b"), .createRole("role:a"), seconds: 2) }
            #expect(throws: Refusal.self) { try add(.createRole("role:b"), .deleteObject("doc:9"), seconds: 3) }
            #expect(try fixture.refusals().map(\.code) == ["alreadyExists", "unknownObject"])
            #expect(try add(.createRole("role:b"), seconds: 4) == Revision(3))
            try importer.finish()
            let refusals = try fixture.refusals()
            #expect(refusals.map(\.time) == [.newYear.later(seconds: 2), .newYear.later(seconds: 3)])
            #expect(refusals.map(\.caller) == ["user:old", "user:old"])
            #expect(refusals.map(\.change) == [1, 1])
            #expect(try fixture.head == Revision(3))
            #expect(try fixture.store.read { try $0.exists("role:b") })
            try fixture.reopenWithoutIndex()
            #expect(try fixture.refusals() == refusals)
        }
    }

    @Test("E9: A store opened for reading in another process shows the refusals, including later ones")
    func otherReaders() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            #expect(try fixture.refusal(.deleteObject("doc:9")) != nil)
            try fixture.whileClosed {
                let reader = try Store.open(at: fixture.path, .reading)
                #expect(try reader.refusalCount == 1)
                try reader.close()
                #expect(throws: StoreError.closed) { try reader.refusalCount }
                #expect(throws: StoreError.closed) { try reader.refusals { _, _ in } }
            }
        }
    }

    @Test("E9: Refusals change neither the head nor its hash, and a store without refusals shows none")
    func headStays() throws {
        try withStore { (fixture) throws in
            try prepare(fixture)
            #expect(try fixture.store.refusalCount == 0)
            #expect(try fixture.refusals().isEmpty)
            let head = try fixture.store.head
            for _ in 0..<100 { #expect(try fixture.refusal(.deleteObject("doc:9")) != nil) }
            #expect(try fixture.store.head == head)
            #expect(try fixture.store.statistics().refusals == 100)
            try fixture.commit(.createRole("role:r"))
            try fixture.whileClosed {
                let report = try Store.verify(at: fixture.path)
                #expect(report.problems == [])
                #expect(report.refusals == 100)
                #expect(report.commits == 2)
            }
            #expect(try fixture.commits().map(\.revision.rawValue) == [0, 1, 2])
        }
    }

    @Test("E9: The example in the description of the format matches the bytes that a store writes")
    func exampleOfTheFormat() throws {
        try withTemporaryFolder { folder in
            let clock = ManualClock(.newYear.later(seconds: 36_000))
            let store = try Store.create(
                at: folder + "/store", options: StoreOptions(clock: { clock.now }, expiryRecording: .withCommits))
            try store.commit(
                Transaction(
                    "user:root",
                    [
                        .defineClass("doc", ClassSettings(inherits: .everything)), .register("user:ann"),
                        .createObject("doc:1", value: .object(["n": .integer(1)])),
                        .grant("user:ann", on: "doc:1", ["read", "update"]),
                    ], origin: Origin(requestID: "r-1", comment: "first")))
            clock.now = .newYear.later(seconds: 86_400)
            try store.commit(
                Transaction(
                    "user:root", [.grant("user:ann", on: "doc:1", ["delete"], until: .newYear.later(seconds: 31 * 86_400))],
                    origin: Origin(idempotencyKey: "k")))
            #expect(try store.head.hash.hasPrefix("80a3cb12"))
            clock.advance(seconds: 1)
            #expect(throws: Refusal.self) { try store.commit(Transaction("user:ann", [.createRole("role:x")])) }
            var hashes: [String] = []
            try store.refusals { _, hash in hashes.append(hash) }
            #expect(hashes == ["aa7618bb6c876c08cd3b1a3242dc265534c86fb3467dc6506a60e0e79e777680"])
            try store.close()
        }
    }
}
