import Events
import Foundation
import TestSupport

@testable import MunimentReplica

/// A replica in a process that is killed, with steps of a service that the process computes itself.
struct ReplicaHelperCommands {
    let path: String

    /// The number of objects. At revision R each of them has the value R.
    static let objectCount = 20

    /// Writes transactions, moves to the next revision and ends the transactions until the process is killed. Reports each.
    func changeForever() throws {
        var replica = try HelperReplica(path)
        if try replica.storage.header()?.confirmed == nil { try replica.step(.fill, to: 1) }
        while true {
            let revision = replica.revision
            let id = try replica.write([.merge("doc:1", .object(["mine": .integer(Int64(revision))]))])
            FaultHelper.say("written \(id)")
            if revision % 3 == 0, replica.machine.pending.count > 1 {
                let last = replica.machine.pending.last?.id ?? id
                if try replica.withdraws(last) { FaultHelper.say("ended \(last)") }
            }
            try replica.step(revision % 5 == 0 ? .fill : .changes(after: Revision(revision)), to: revision + 1)
            FaultHelper.say("confirmed \(revision + 1)")
            if let ended = try replica.answer() { FaultHelper.say("ended \(ended)") }
        }
    }

    /// Fills a new replica, changes it as a whole, and reports the most memory that the process has used in KiB.
    func fill(objects count: Int) throws {
        var replica = try HelperReplica(path)
        try replica.step(.fill, to: 1, objects: count)
        try replica.step(.changes(after: Revision(1)), to: 2, objects: count)
        // `getrusage` would include the memory of the process that started this one.
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let peak = status.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? ""
        FaultHelper.say("objects \(count), KiB \(peak)")
    }
}

/// A machine and its storage.
private struct HelperReplica {
    let storage: SQLiteReplicaStorage
    var machine: ReplicaMachine
    var sent: (id: TransactionID, attempt: UInt64)?
    var stream: UInt64 = 0

    init(_ path: String) throws {
        storage = try SQLiteReplicaStorage(path: path)
        machine = try ReplicaMachine(reading: storage, user: "user:ann", classes: ["doc"], session: "helper")
        try handle(.connect)
    }

    var revision: UInt64 { machine.header.confirmed?.revision.rawValue ?? 0 }

    mutating func handle(_ event: ReplicaEvent) throws {
        var next = machine
        for effect in try next.handle(event, at: .newYear, reading: storage) {
            switch effect {
            case .persist(let writes): try storage.persist(writes)
            case .openStream(let number, _, _): stream = number
            case .send(let id, _, _, let attempt): sent = (id, attempt)
            case .closeStream, .wait, .report: break
            }
        }
        machine = next
    }

    mutating func write(_ changes: [ReplicaChange]) throws -> TransactionID {
        try handle(.write(changes))
        return machine.pending.last?.id ?? TransactionID(0)
    }

    mutating func withdraws(_ id: TransactionID) throws -> Bool {
        do { try handle(.withdraw(id)) } catch is ReplicaError { return false }
        return true
    }

    mutating func step(_ kind: ReplicaStep, to revision: UInt64, objects count: Int = ReplicaHelperCommands.objectCount) throws {
        try part(.begin(kind))
        let privileges = PrivilegeEnds([("read", nil), ("update", nil)])
        let padding = JSONValue.string(String(repeating: "x", count: 1000))
        for start in stride(from: 0, to: count, by: 500) {
            let numbers = start..<min(start + 500, count)
            let objects = numbers.map {
                ReplicaObject(
                    Name("doc:\($0)"), value: .object(["at": .integer(Int64(revision)), "padding": padding]),
                    changed: Revision(revision), privileges: privileges)
            }
            try part(.objects(objects, removed: [], position: kind == .fill ? "fill \(numbers.upperBound)" : nil))
        }
        try part(
            .end(position: "\(revision).0000000000000000", Revision(revision), time: .newYear, classes: [:]))
    }

    private mutating func part(_ part: ReplicaStreamPart) throws { try handle(.part(part, stream: stream)) }

    /// Answers the request that was sent last: every second one is refused.
    mutating func answer() throws -> TransactionID? {
        guard let sent else { return nil }
        self.sent = nil
        let refusal = TransactionRefusal(code: "noPrivilege", message: "no")
        let isRefused = sent.id.rawValue % 2 == 0
        try handle(
            .answered(sent.id, isRefused ? .refused(refusal) : .committed(Revision(revision), hash: nil), attempt: sent.attempt))
        return sent.id
    }
}
