import Dispatch
import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("The work limit of a transaction")
struct WorkLimitTests {
    /// Small changes that need much work.
    enum Attack: CaseIterable {
        case changePermission, nestRoles, mergeLargeValue, deleteWideTree, deleteBigRole, indexProperties

        var preparation: [Change] {
            let objects = (0..<600).map { Name("doc:\($0)") }
            let world: [Change] = [
                .defineClass("doc", ClassSettings(objectACL: ObjectACL.none)), .createObject("doc:top"), .register("user:eve"),
            ]
            switch self {
            case .changePermission:
                return world + [.definePermission("permission:p", subject: "user:eve", ["read"])]
                    + objects.flatMap { [.createObject($0), .attachPermission("permission:p", to: $0)] }
            case .nestRoles: return world + (0..<1500).map { .createRole(.role("r\($0)")) }
            case .mergeLargeValue:
                return world
                    + [.writeObject("doc:top", .value(.object(["text": .string(String(repeating: "x", count: 1_000_000))])))]
            case .deleteWideTree:
                return world + (0..<9000).map { .createObject(Name("doc:\($0)"), parent: "doc:top") }
            case .deleteBigRole:
                return world + [.createRole("role:r")]
                    + objects.map { .createObject($0) }
                    + (0..<8000).flatMap { [.register(Name("user:\($0)")), .addMember(Name("user:\($0)"), to: "role:r")] }
            case .indexProperties:
                return world + (0..<6000).map { .createObject(Name("doc:\($0)"), value: .object(["a": .integer(1)])) }
            }
        }

        var changes: [Change] {
            switch self {
            case .changePermission:
                (0..<200).map { .changePermission("permission:p", subject: "user:eve", $0 % 2 == 0 ? ["update"] : ["read"]) }
            case .nestRoles: (1..<1500).map { .addMember(.role("r\($0)"), to: .role("r\($0 - 1)")) }
            case .mergeLargeValue: (0..<4).map { .writeObject("doc:top", .merge(.object(["n": .integer(Int64($0))]))) }
            case .deleteWideTree: [.deleteObject("doc:top")]
            case .deleteBigRole: [.deleteRole("role:r")]
            case .indexProperties:
                [.changeClass("doc", ClassSettings(properties: ["a"])), .changeClass("doc", ClassSettings(properties: ["b"]))]
            }
        }
    }

    @Test("E2: a small request that needs much work is refused as tooMuchWork and changes nothing", arguments: Attack.allCases)
    func refused(attack: Attack) throws {
        try withStore(.open) { (fixture) throws in
            var rest = attack.preparation[...]
            while !rest.isEmpty {
                #expect(try fixture.refusal(of: Array(rest.prefix(Limits.changesPerTransaction))) == nil)
                rest = rest.dropFirst(Limits.changesPerTransaction)
            }
            let head = try fixture.head
            let refusal = try fixture.refusal(of: attack.changes, as: "user:eve")
            #expect(refusal?.code == .tooMuchWork, "\(attack)")
            #expect(refusal?.message.contains("split it") == true)
            #expect(try fixture.head == head)
            // The work before the refusal is discarded, and the writer continues.
            #expect(try fixture.refusal(.createObject("doc:after"), as: "user:eve") == nil)
            let answer = try fixture.privileges("user:eve", "doc:top")
            try fixture.reopenWithoutIndex()
            #expect(try fixture.privileges("user:eve", "doc:top") == answer)
            // An administrator may commit the same changes.
            #expect(try fixture.refusal(of: attack.changes) == nil)
        }
    }

    @Test("An ordinary caller's small commit does not wait for all transactions that another caller has queued")
    func turns() async throws {
        try await withStore(.open) { (fixture) async throws in
            let store = fixture.store
            #expect(try fixture.refusal(of: Attack.changePermission.preparation + [.register("user:ben")]) == nil)
            let attack = Attack.changePermission.changes
            // All transactions wait while the writer is busy.
            let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let busy = Task.detached {
                try await store.commit(
                    Transaction("user:root", [.register("user:busy")]) {
                        begun.signal()
                        goOn.wait()
                    })
            }
            await Task.detached { begun.wait() }.value
            let revisions = try await withThrowingTaskGroup(of: (Int, UInt64?).self) { group in
                for number in 1...40 {
                    group.addTask {
                        let changes = attack.prefix(20) + [.createObject(Name("doc:eve\(number)"))]
                        return (number, try await store.commit(Transaction("user:eve", Array(changes))).revision?.rawValue)
                    }
                }
                group.addTask {
                    (0, try await store.commit(Transaction("user:ben", [.createObject("doc:ben")])).revision?.rawValue)
                }
                group.addTask {
                    try await until("all wait") { store.waitingTransactions == 41 }
                    goOn.signal()
                    return (41, nil)
                }
                return try await group.reduce(into: [Int: UInt64]()) { $0[$1.0] = $1.1 }
            }
            _ = try await busy.value
            let ben = try #require(revisions[0])
            #expect(revisions.values.filter { $0 > ben }.count >= 20, "\(revisions)")
        }
    }
}
