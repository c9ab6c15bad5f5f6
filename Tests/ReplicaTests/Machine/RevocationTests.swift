import Events
import Permissions
import TestSupport
import Testing

@testable import MunimentReplica

@Suite("R17: access is revoked at each step of the protocol")
struct RevocationTests {
    /// The activity of the client when its access is revoked.
    enum Situation: CaseIterable {
        /// Without a connection.
        case offline
        /// With requests that the service has not decided.
        case inFlight
        /// With requests that the service has decided, but the answers are lost.
        case acceptedButNotHeardOf
    }

    private enum Action {
        case connect, deliver, decide, answer
        case write([ReplicaChange])
    }

    /// A first fill, three transactions, and the steps that bring their results. The second transaction is independent of the others.
    private static let script: [Action] = {
        var script = [Action.connect] + Array(repeating: Action.deliver, count: 6)
        script.append(.write([.merge("doc:b", .object(["mine": .integer(1)]))]))
        script.append(.write([.write("doc:c", .integer(2))]))
        script.append(.write([.write("doc:b", .integer(3)), .create("doc:new")]))
        for _ in 0..<3 { script += [.decide, .answer, .deliver, .deliver, .deliver, .deliver] }
        return script
    }()

    @Test(
        "R17: after a revocation at any step, the value is gone, each transaction has ended once, and independent transactions stay",
        arguments: Situation.allCases, [false, true])
    func revocationAtEachStep(situation: Situation, isKilled: Bool) throws {
        for point in Self.script.indices {
            try withTemporaryFolder { folder in
                let service = try SimulatedService(path: folder)
                defer { try? service.close() }
                try service.commit([
                    .register("user:ann"), .createObject("doc:b", value: .string("secret")), .createObject("doc:c"),
                    .createObject("doc:d"), .grant("user:ann", on: "doc:b", ["read", "update"]),
                    .grant("user:ann", on: "doc:c", ["read", "update"]), .grant("user:ann", on: "doc:d", ["read"]),
                ])
                var client = try SimulatedClient("user:ann", MemoryReplicaStorage(), service)
                try run(&client, service, revokingAt: point, situation, isKilled)
                try client.settle()
                try expectEnd(client, service, "point \(point)")
            }
        }
    }

    private func run(
        _ client: inout SimulatedClient<MemoryReplicaStorage>, _ service: SimulatedService, revokingAt point: Int,
        _ situation: Situation, _ isKilled: Bool
    ) throws {
        for (index, action) in Self.script.enumerated() {
            if index == point {
                if situation == .offline {
                    client.wantsConnection = false
                    try client.handle(.disconnect)
                }
                try service.commit([.revoke("user:ann", on: "doc:b")])
                if isKilled { try client.kill() }
            }
            switch action {
            case .connect:
                client.wantsConnection = situation != .offline || index < point
                if client.wantsConnection { try client.handle(.connect) }
            case .deliver: _ = try client.deliver()
            case .write(let changes): try client.handle(.write(changes))
            case .decide: if !client.requests.isEmpty, situation != .inFlight || index < point { try client.decide(0) }
            case .answer:
                guard !client.requests.isEmpty else { continue }
                if situation == .acceptedButNotHeardOf {
                    try client.loseAnswer(0, reachesService: true)
                } else {
                    try client.answer(0)
                }
            }
        }
    }

    private func expectEnd(
        _ client: SimulatedClient<MemoryReplicaStorage>, _ service: SimulatedService, _ place: Comment
    ) throws {
        #expect(client.storage.object("doc:b") == nil, place)
        #expect(client.storage.staged("doc:b") == nil, place)
        #expect(try client.machine.view.object("doc:b", base: client.storage.object) == nil, place)
        #expect(client.storage.object("doc:d") != nil, place)
        #expect(Set(client.ends.keys) == Set([1, 2, 3].map { TransactionID($0) }), place)
        guard case .committed? = client.ends[TransactionID(2)] else {
            Issue.record("the independent transaction ended as \(client.ends[TransactionID(2)] as Any), \(place)")
            return
        }
        // The first one is in the store exactly if the application was told so. The third one cannot be without the first.
        let first = client.ends[TransactionID(1)]
        let key = try #require(client.accepted[TransactionID(1)])
        if case .committed? = first {
            #expect(service.committed[key] != nil, place)
        } else {
            #expect(service.committed[key] == nil, place)
            guard case .refused(let refusal)? = client.ends[TransactionID(3)] else {
                Issue.record("the transaction on top of a refused one ended as \(client.ends[TransactionID(3)] as Any), \(place)")
                return
            }
            #expect([TransactionRefusal.prerequisiteEnded, TransactionRefusal.accessLost].contains(refusal.code), place)
            // The input is with the application.
            let ended = client.storage.ended(after: TransactionID(0), limit: 10)
            #expect(ended.filter { $0.id != TransactionID(2) }.allSatisfy { !$0.changes.isEmpty }, place)
        }
    }
}
