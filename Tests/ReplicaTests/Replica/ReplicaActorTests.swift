import Events
import Permissions
import TestSupport
import Testing

@testable import MunimentReplica

@Suite("R17: a replica as an application uses it", .timeLimit(.minutes(60)))
struct ReplicaActorTests {
    private func withReplica(
        clock: ManualClock = ManualClock(), _ body: (Replica, LoopbackTransport, String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let transport = try LoopbackTransport(path: folder)
            try await transport.commit([
                .register("user:ann"), .createObject("doc:plan", value: .object(["title": .string("Bridge")])),
                .createObject("doc:list"), .grant("user:ann", on: "doc:plan", ["read", "update"]),
                .grant("user:ann", on: "doc:list", ["read", "update"], until: ManualClock().now.later(seconds: 3_600)),
            ])
            let replica = try open(folder, transport, clock)
            try await body(replica, transport, folder)
            await replica.close()
            try await transport.close()
        }
    }

    private func open(_ folder: String, _ transport: LoopbackTransport, _ clock: ManualClock) throws -> Replica {
        try Replica(
            at: folder + "/replica", user: "user:ann", classes: ["doc"], transport: transport,
            options: Replica.Options { clock.now })
    }

    /// Returns the updates up to the first one that matches.
    private func updates(
        _ iterator: inout ReplicaUpdates.Iterator, through isLast: (ReplicaUpdate) -> Bool
    ) async -> [ReplicaUpdate] {
        var all: [ReplicaUpdate] = []
        while let update = await iterator.next() {
            all.append(update)
            if isLast(update) { break }
        }
        return all
    }

    private func isConnected(_ update: ReplicaUpdate) -> Bool {
        if case .status(let status) = update { status.connection == .connected } else { false }
    }

    private func isEnd(of id: TransactionID) -> (ReplicaUpdate) -> Bool {
        { if case .ended(let end) = $0 { end.id == id } else { false } }
    }

    @Test("R17: a write is in the view at once, marked, and unmarked when the service has confirmed it")
    func writeIsConfirmed() async throws {
        try await withReplica { replica, _, _ in
            var iterator = replica.updates.makeAsyncIterator()
            try await replica.connect()
            _ = await updates(&iterator, through: isConnected)
            try await replica.disconnect()
            let id = try await replica.write([.merge("doc:plan", .object(["pages": .integer(3)])), .create("doc:new")])
            let plan = try #require(try await replica.object("doc:plan"))
            #expect(plan.value == .object(["title": .string("Bridge"), "pages": .integer(3)]) && plan.isPending)
            #expect(try await replica.objects(ofClass: "doc").objects.map(\.name) == ["doc:list", "doc:new", "doc:plan"])
            #expect(try await replica.object("doc:new")?.privileges == nil)
            try await replica.connect()
            _ = await updates(&iterator, through: isEnd(of: id))
            _ = await updates(&iterator) { _ in true }
            while try await replica.object("doc:plan")?.isPending == true { _ = await iterator.next() }
            #expect(await replica.pendingTransactions.isEmpty)
            #expect(try await replica.object("doc:plan")?.value == plan.value)
        }
    }

    @Test("R17: a refused write is taken back like any other change, and its input is kept until the application forgets it")
    func refusalIsGivenBack() async throws {
        try await withReplica { replica, transport, folder in
            var iterator = replica.updates.makeAsyncIterator()
            try await replica.connect()
            _ = await updates(&iterator, through: isConnected)
            try await replica.disconnect()
            try await transport.commit([.revoke("user:ann", on: "doc:plan", ["update"])])
            let id = try await replica.write([.write("doc:plan", .string("mine"))])
            let later = try await replica.write([.merge("doc:plan", .object(["later": .bool(true)]))])
            let independent = try await replica.write([.write("doc:list", .string("other"))])
            try await replica.connect()
            let told = await updates(&iterator, through: isEnd(of: independent))
            #expect(told.contains(.changed("doc:plan")))
            #expect(try await replica.object("doc:plan")?.value == .object(["title": .string("Bridge")]))
            let ended = try await replica.endedTransactions()
            #expect(ended.map(\.id) == [id, later, independent])
            guard case .refused(let refusal) = ended[0].outcome, case .refused(let second) = ended[1].outcome,
                case .committed = ended[2].outcome
            else {
                Issue.record("\(ended)")
                return
            }
            #expect(refusal.code == "noPrivilege" && second.cause == id)
            #expect(ended[0].changes == [.write("doc:plan", .string("mine"))])
            try await replica.forget(id)
            #expect(try await replica.endedTransactions().map(\.id) == [later, independent])
            for file in try FileBytes.files(below: folder) where file.path.hasPrefix("replica") {
                #expect(!FileBytes.contains("mine", in: file.bytes), "\(file.path)")
            }
        }
    }

    @Test("R17: a loss is announced, its value leaves the files, and pending writes on it are refused")
    func lossLeavesTheDisk() async throws {
        try await withReplica { replica, transport, folder in
            var iterator = replica.updates.makeAsyncIterator()
            try await replica.connect()
            _ = await updates(&iterator, through: isConnected)
            #expect(try files(in: folder, contain: "Bridge"))
            try await replica.disconnect()
            let id = try await replica.write([.merge("doc:plan", .object(["a": .integer(1)]))])
            try await transport.commit([.revoke("user:ann", on: "doc:plan")])
            try await replica.connect()
            let told = await updates(&iterator, through: isEnd(of: id))
            #expect(told.contains(.accessLost("doc:plan")) && told.contains(.removed("doc:plan")))
            #expect(try await replica.object("doc:plan") == nil)
            #expect(try !files(in: folder, contain: "Bridge"))
            guard case .refused(let refusal)? = try await replica.endedTransactions().first?.outcome else {
                Issue.record("no refusal")
                return
            }
            #expect(refusal.code == TransactionRefusal.accessLost)
            #expect(try await replica.object("doc:list") != nil)
        }
    }

    private func files(in folder: String, contain text: String) throws -> Bool {
        try FileBytes.files(below: folder).contains { $0.path.hasPrefix("replica") && FileBytes.contains(text, in: $0.bytes) }
    }

    @Test("R17: without a connection a privilege is answered with its revision and age, ends by the clock, and is unknown later")
    func privilegesWithoutConnection() async throws {
        let clock = ManualClock()
        try await withReplica(clock: clock) { replica, _, folder in
            #expect(try await replica.may("read", on: "doc:plan").verdict == .unknown)
            var iterator = replica.updates.makeAsyncIterator()
            try await replica.connect()
            _ = await updates(&iterator, through: isConnected)
            try await replica.disconnect()
            clock.advance(seconds: 60)
            let revision = await replica.status.revision
            #expect(
                try await replica.may("update", on: "doc:plan")
                    == PrivilegeAnswer(verdict: .yes, revision: revision, ageSeconds: 60))
            #expect(try await replica.may("delete", on: "doc:plan").verdict == .no)
            #expect(try await replica.may("create", on: "class:doc").verdict == .yes)
            #expect(try await replica.may("read", on: "doc:absent").verdict == .no)
            #expect(try await replica.may("read", on: "note:a").verdict == .unknown)
            #expect(try await replica.may("update", on: "doc:list").verdict == .yes)
            clock.advance(seconds: 3_600)
            #expect(try await replica.may("update", on: "doc:list").verdict == .no)
            #expect(try await replica.object("doc:list") == nil)
            clock.advance(seconds: -7_200)
            #expect(try await replica.may("update", on: "doc:plan").ageSeconds == 0)
            clock.advance(seconds: 100_000)
            #expect(try await replica.may("update", on: "doc:plan").verdict == .unknown)
        }
    }

    @Test("R17: a replica that is opened again has its objects and its pending transactions; a sent one cannot be withdrawn")
    func openedAgain() async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let transport = try LoopbackTransport(path: folder)
            try await transport.commit([
                .register("user:ann"), .createObject("doc:a"), .grant("user:ann", on: "doc:a", ["read", "update"]),
            ])
            // The first one is still referenced when the file is opened again.
            let first = try open(folder, transport, clock)
            var iterator = first.updates.makeAsyncIterator()
            try await first.connect()
            _ = await updates(&iterator, through: isConnected)
            try await first.disconnect()
            let id = try await first.write([.write("doc:a", .integer(1))])
            await first.close()
            let replica = try open(folder, transport, clock)
            await #expect(throws: ReplicaError.storage("the replica is closed: open it again")) { try await first.object("doc:a") }
            #expect(try await replica.object("doc:a")?.value == .integer(1))
            let second = try await replica.write([.write("doc:a", .integer(2))])
            #expect(second > id)
            try await replica.withdraw(second)
            #expect(try await replica.object("doc:a")?.value == .integer(1))
            await #expect(throws: ReplicaError.notPending(second)) { try await replica.withdraw(second) }
            iterator = replica.updates.makeAsyncIterator()
            try await replica.connect()
            _ = await updates(&iterator, through: isEnd(of: id))
            await #expect(throws: ReplicaError.self) { try await replica.withdraw(id) }
            await replica.close()
            try await transport.close()
        }
    }
}
