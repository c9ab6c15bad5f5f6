// Keeps the imports of the guide together.
// swift-format-ignore-file: OrderedImports

// guide begins
import Foundation
import MunimentClient
import MunimentReplica
import Primitives
// guide ends
import Credentials
@testable import Service
import Muniment
import Events
import Permissions
import ServiceSupport
import TestSupport
import Testing

@Suite("Docs/Guides/offline.md", .timeLimit(.minutes(60)))
struct OfflineGuideTests {
    @Test("R17: the code of the guide runs unchanged: it shares, goes offline, is refused and recovers")
    func codeRuns() async throws {
        try await withTemporaryFolder { folder in
            try await withService { fixture in
                let store = try #require(try fixture.service.data.store(.default)?.store)
                try await store.commit(
                    Transaction(
                        "user:root",
                        [
                            .register("user:ann"), .register("user:ben"),
                            .defineClass(
                                "doc",
                                ClassSettings(
                                    objectACL: .required, creatorPrivileges: ["read", "update", "delete", "setPermissions"])),
                            .grant(.everyone, on: .store, ["read", "update", "create", "setPermissions", "delete"]),
                            .grant(.everyone, on: "class:doc", ["read", "update", "create", "setPermissions", "delete"]),
                            .createObject("doc:budget", value: .object(["total": .integer(100)])),
                            .grant("user:ann", on: "doc:budget", ["read", "update"]),
                        ]))
                let address = "http://127.0.0.1:\(try fixture.listen())"
                let token = try fixture.token(.act(as: "user:ann"))
                try await run(address, token, folder) { _ = try store.commit(Transaction("user:root", [$0])) }
                let plan = try store.read { try $0.value(of: "doc:plan", as: "user:root") }
                #expect(plan == .object(["title": .string("Bridge"), "pages": .integer(4)]))
                #expect(try store.read { try $0.check("user:ben", ["read"], on: "doc:plan").isAllowed })
                #expect(try store.read { try $0.value(of: "doc:budget", as: "user:root") } == .object(["total": .integer(100)]))
                #expect(try store.read { try $0.exists("doc:my-budget") })
            }
        }
    }

    private func run(_ address: String, _ annsToken: String, _ folder: String, _ change: (Change) throws -> Void) async throws {
        // guide begins
        let service = ServiceConnection(try ServiceAddress(address), tokens: FixedToken(annsToken))
        let replica = try Replica(
            at: folder + "/replica", user: "user:ann", classes: ["doc"],
            transport: ServiceReplicaTransport(service, store: "default"))

        // Everything that changes what Ann sees, from here on.
        var updates = replica.updates.makeAsyncIterator()
        func wait(until isSo: (ReplicaUpdate) -> Bool) async {
            while let update = await updates.next(), !isSo(update) { print(update) }
        }

        try await replica.connect()
        await wait { if case .status(let status) = $0 { status.connection == .connected } else { false } }
        // guide ends
        #expect(try await replica.object("doc:budget")?.value == .object(["total": .integer(100)]))

        // guide begins
        let created = try await replica.write([.create("doc:plan", value: .object(["title": .string("Bridge")]))])
        let shared = try await replica.write([
            ReplicaChange([
                "op": .string("grant"), "subject": .string("user:ben"), "object": .string("doc:plan"),
                "privileges": .array([.string("read")]),
            ])
        ])
        await wait { if case .ended(let end) = $0 { end.id == shared } else { false } }
        print(created, "and", shared, "are in the store")
        // guide ends

        // guide begins
        try await replica.disconnect()
        for (name, patch) in [("doc:plan", ["pages": JSONValue.integer(4)]), ("doc:budget", ["total": JSONValue.integer(900)])] {
            let answer = try await replica.may("update", on: Name(name))
            print("\(name): \(answer.verdict) at revision \(answer.revision?.description ?? "-"), \(answer.ageSeconds ?? 0) s old")
            guard answer.verdict != .no else { continue }
            try await replica.write([.merge(Name(name), .object(JSONObject(patch)))])
        }
        for object in try await replica.objects(ofClass: "doc").objects {
            print(object.name, object.value, object.isPending ? "(pending)" : "")
        }
        // guide ends
        #expect(try await replica.object("doc:budget")?.value == .object(["total": .integer(900)]))
        try change(.revoke("user:ann", on: "doc:budget"))

        // guide begins
        // Meanwhile, Ann has lost the budget.
        try await replica.connect()
        await wait { if case .ended(let end) = $0 { end.id.rawValue == 4 } else { false } }
        for transaction in try await replica.endedTransactions() {
            if case .refused(let refusal) = transaction.outcome {
                print("Your change was taken back: \(refusal.message). \(refusal.remedy)")
                // The input is still there: Ann keeps it in a document of her own.
                if let input = transaction.changes.first?.json["merge"] {
                    try await replica.write([.create("doc:my-budget", value: input)])
                }
            }
            try await replica.forget(transaction.id)
        }
        // guide ends
        await wait { if case .ended(let end) = $0 { end.id.rawValue == 5 } else { false } }
        for _ in 0..<24_000 {
            if await replica.pendingTransactions.isEmpty { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await replica.object("doc:budget") == nil)
        #expect(try await replica.object("doc:my-budget")?.value == .object(["total": .integer(900)]))

        // guide begins
        await replica.close()
        // guide ends
    }
}
