import Credentials
import Events
import Foundation
import Muniment
import MunimentReplica
import Permissions
import Primitives
import ServiceSupport
import TestSupport
import Testing

@testable import MunimentClient
@testable import Service

@Suite("R17: the windows of a fill", .timeLimit(.minutes(60)))
struct FillWindowTests {
    @Test("R17: a fill in many responses has every object once, while others change", arguments: [1, 50_000, 3 << 19])
    func manyWindows(windowBytes: Int) async throws {
        try await withTemporaryFolder { folder in
            try await withService { fixture in
                let store = try #require(try fixture.service.data.store(.default)?.store)
                try await store.commit(
                    Transaction(
                        "user:root",
                        [
                            .register("user:ann"), .defineClass("doc"), .grant(.everyone, on: .store, ["read"]),
                            .grant(.everyone, on: "class:doc", ["read"]),
                        ]))
                let names = (0..<3_000).map { Name("doc:\($0)") }
                for first in stride(from: 0, to: names.count, by: 500) {
                    let changes = names[first..<(first + 500)].flatMap { name -> [Change] in
                        [.createObject(name, value: .string("\(name)")), .grant("user:ann", on: name, ["read"])]
                    }
                    try await store.commit(Transaction("user:root", changes))
                }
                let service = ServiceConnection(
                    try ServiceAddress("http://127.0.0.1:\(try fixture.listen())"),
                    tokens: FixedToken(try fixture.token(.act(as: "user:ann"))))
                var transport = ServiceReplicaTransport(service)
                transport.windowBytes = windowBytes
                let replica = try Replica(at: folder + "/replica", user: "user:ann", classes: ["doc"], transport: transport)
                var updates = replica.updates.makeAsyncIterator()
                try await replica.connect()
                try await store.commit(Transaction("user:root", [.writeObject("doc:7", .value(.string("later")))]))
                try await store.commit(Transaction("user:root", [.revoke("user:ann", on: "doc:8")]))
                while let update = await updates.next() {
                    if case .status(let status) = update, status.revision == (try store.head.revision) { break }
                }
                var (found, last): ([ReplicaViewObject], Name?) = ([], nil)
                repeat {
                    let page = try await replica.objects(ofClass: "doc", after: last, limit: 1_000)
                    (found, last) = (found + page.objects, page.next)
                } while last != nil
                #expect(Set(found.map(\.name)) == Set(names).subtracting(["doc:8"]) && found.count == 2_999)
                #expect(found.allSatisfy { $0.value == .string($0.name == "doc:7" ? "later" : "\($0.name)") })
                await replica.close()
            }
        }
    }
}
