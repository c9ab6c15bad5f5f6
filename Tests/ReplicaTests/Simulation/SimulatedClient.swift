import Events
import Permissions
import TestSupport

@testable import MunimentReplica

/// A replica in a simulated process, and the messages between it and the service.
///
/// Every check is made after each event: the storage must equal the service at the confirmed revision, and the
/// view must be that of the naive replay.
struct SimulatedClient<Storage: ReplicaStorage> {
    let user: Name
    var storage: Storage
    private(set) var machine: ReplicaMachine
    private var processes = 0
    private var service: SimulatedService

    private(set) var stream: (number: UInt64, stream: SimulatedStream)?
    /// A part that an earlier stream had sent.
    private var oldParts: [(ReplicaStreamPart, UInt64)] = []
    private(set) var requests: [Request] = []
    private var requestCount = 0
    private(set) var timers: [ReplicaTimer] = []
    var wantsConnection = false

    /// Every accepted transaction, and its end if the application was told.
    private(set) var accepted: [TransactionID: String] = [:]
    private(set) var ends: [TransactionID: TransactionOutcome] = [:]
    private var lastConfirmed: UInt64 = 0
    private var lastPosition: String?
    /// The transactions that had ended when a reset was declared.
    private var declaredLost: Set<TransactionID> = []
    /// How many times each kind of event happened.
    private(set) var counts: [String: Int] = [:]

    struct Request {
        let id: TransactionID
        let key: String
        let changes: [ReplicaChange]
        let attempt: UInt64
        /// The number of the request, and of the process that sent it.
        let number: Int
        let process: Int
        var answer: ReplicaSendOutcome?
    }

    /// A promise that is not kept.
    struct Broken: Error, CustomStringConvertible { let description: String }

    init(_ user: Name, _ storage: Storage, _ service: SimulatedService) throws {
        (self.user, self.storage, self.service) = (user, storage, service)
        machine = try ReplicaMachine(reading: storage, user: user, classes: SimulatedService.classes, session: "\(user)/0")
    }

    // MARK: Events

    /// Handles an event, and performs its effects up to a number of them: then the process is killed.
    mutating func handle(_ event: ReplicaEvent, killedAfter limit: Int? = nil) throws {
        var next = machine
        let effects: [ReplicaEffect]
        do { effects = try next.handle(event, at: service.clock.now, reading: storage) } catch is ReplicaError { return }
        // The fill that follows is persisted, so that a killed process reads it later.
        if effects.contains(.report(.restored)) {
            declaredLost.formUnion(ends.keys)
        }
        for (index, effect) in effects.enumerated() {
            if index == limit { return try kill() }
            try perform(effect)
        }
        if let limit, limit >= effects.count { return try kill() }
        machine = next
        try check()
    }

    /// Checks that the client was told of each history that lost one of its acknowledged transactions. All are at rest.
    func checkResets() throws {
        for (id, key) in accepted {
            guard case .committed? = ends[id], service.committed[key] == nil, !service.withoutEffect.contains(key) else { continue }
            if !declaredLost.contains(id) {
                throw Broken(description: "\(id) is acknowledged, the restored store lacks it, and nobody told the application")
            }
        }
    }

    private mutating func perform(_ effect: ReplicaEffect) throws {
        switch effect {
        case .persist(let writes):
            try storage.persist(writes)
            for write in writes { if case .pending(let transaction) = write { accepted[transaction.id] = transaction.key } }
        case .openStream(let number, let after, let commit):
            stream = (number, SimulatedStream(of: user, after: after, containing: commit))
        case .closeStream(let number): if stream?.number == number { stream = nil }
        case .send(let id, let key, let changes, let attempt):
            requestCount += 1
            requests.append(
                Request(id: id, key: key, changes: changes, attempt: attempt, number: requestCount, process: processes))
        case .wait(let timer, _): timers.append(timer)
        case .report(let report): try hear(report)
        }
    }

    private mutating func hear(_ report: ReplicaReport) throws {
        switch report {
        case .ended(let end):
            if let before = ends[end.id], before != end.outcome {
                throw Broken(description: "\(end.id) ended as \(before) and \(end.outcome)")
            }
            if ends.updateValue(end.outcome, forKey: end.id) == nil { counts[end.kind, default: 0] += 1 }
        case .restored: counts["restored", default: 0] += 1
        case .lost: counts["lost", default: 0] += 1
        default: break
        }
    }

    /// Ends the process and starts another one on the same storage.
    mutating func kill() throws {
        processes += 1
        machine = try ReplicaMachine(
            reading: storage, user: user, classes: SimulatedService.classes, session: "\(user)/\(processes)")
        (stream, oldParts, timers) = (nil, [], [])
        // The requests of the dead process may still reach the service.
        try noteStoredEnds()
        try check()
        if wantsConnection { try handle(.connect) }
    }

    /// Reads the ends that the dead process did not report.
    private mutating func noteStoredEnds() throws {
        for end in try storage.ended(after: TransactionID(0), limit: .max) {
            try hear(.ended(end))
        }
    }

    // MARK: Messages

    /// Delivers the next part of the stream. Returns false if nothing is left.
    mutating func deliver(killedAfter limit: Int? = nil) throws -> Bool {
        guard let number = stream?.number, var stream = stream?.stream else { return false }
        guard let part = try stream.next(service) else { return false }
        self.stream = (number, stream)
        oldParts.append((part, number))
        if part == .begin(.resumedFill) { counts["resumed fill", default: 0] += 1 }
        try handle(.part(part, stream: number), killedAfter: limit)
        return true
    }

    /// Delivers a part of an earlier stream again.
    mutating func deliverOldPart(_ random: inout SplitMix64) throws {
        let old = oldParts.filter { $0.1 != stream?.number }
        guard !old.isEmpty else { return }
        let (part, number) = random.one(of: old)
        try handle(.part(part, stream: number))
    }

    /// Cuts the connection of the stream.
    mutating func cut(_ end: ReplicaStreamEnd = .lost(retryAfterSeconds: nil)) throws {
        guard let number = stream?.number else { return }
        stream = nil
        try handle(.streamEnded(end, stream: number))
    }

    /// Lets the service decide a request, however late it arrives.
    mutating func decide(_ index: Int) throws {
        let request = requests[index]
        if case .refused? = ends[request.id] { counts["late request", default: 0] += 1 }
        // A backup contains the refusals before it. The guide names this limit.
        if service.lostRefusals.contains(request.key) {
            requests.remove(at: index)
            return
        }
        requests[index].answer = try service.send(request.changes, key: request.key, as: user)
    }

    /// Delivers the answer of a request, and keeps the request for a repetition if wanted.
    mutating func answer(_ index: Int, isRepeated: Bool = false, killedAfter limit: Int? = nil) throws {
        let request = requests[index]
        guard let answer = request.answer else { return }
        guard request.process == processes else {
            requests.remove(at: index)
            return
        }
        if !isRepeated { requests.remove(at: index) }
        try handle(.answered(request.id, answer, attempt: request.attempt), killedAfter: limit)
    }

    /// Loses the connection of a request. The request may still reach the service.
    mutating func loseAnswer(_ index: Int, reachesService: Bool) throws {
        let request = requests[index]
        if !reachesService || request.answer != nil { requests.remove(at: index) }
        guard request.process == processes else { return }
        try handle(.answered(request.id, .unknown(retryAfterSeconds: nil), attempt: request.attempt))
    }

    mutating func fireTimer(_ index: Int) throws {
        let timer = timers.remove(at: index)
        try handle(.waited(timer))
    }

    /// Delivers everything without faults until nothing happens.
    mutating func settle() throws {
        wantsConnection = true
        try handle(.connect)
        for _ in 0..<10_000 {
            if try deliver() { continue }
            if let index = requests.firstIndex(where: { $0.answer == nil }) {
                try decide(index)
            } else if !requests.isEmpty {
                try answer(0)
            } else if !timers.isEmpty {
                try fireTimer(0)
            } else if try service.shownNow(to: user) == confirmed(), machine.pending.isEmpty, stream != nil {
                return
            } else {
                throw Broken(description: "nothing happens, and \(machine.pending.count) transactions are pending")
            }
        }
        throw Broken(description: "the replica still has work after many steps")
    }

    // MARK: Checks

    func confirmed() throws -> [Name: ReplicaObject] {
        var found: [Name: ReplicaObject] = [:]
        for className in SimulatedService.classes {
            for object in try storage.objects(ofClass: className, after: nil, limit: .max) { found[object.name] = object }
        }
        return found
    }

    mutating func check() throws {
        let confirmed = try confirmed()
        if let position = machine.header.confirmed?.position {
            guard let shown = service.shown(to: user, atPosition: position) else {
                throw Broken(description: "the confirmed position \(position) was never sent by the service")
            }
            if shown != confirmed {
                throw Broken(description: "at \(position): the replica has \(confirmed), the service shows \(shown)")
            }
        } else if !confirmed.isEmpty {
            throw Broken(description: "objects before the first fill has ended")
        }
        try checkRevision()
        try checkView(confirmed)
        try checkEnds()
    }

    private mutating func checkRevision() throws {
        let revision = machine.header.confirmed?.revision.rawValue ?? 0
        if let lastPosition, service.has(lastPosition), revision < lastConfirmed {
            throw Broken(description: "the confirmed revision goes back from \(lastPosition) to \(revision)")
        }
        (lastConfirmed, lastPosition) = (revision, machine.header.confirmed?.position)
    }

    private func checkView(_ confirmed: [Name: ReplicaObject]) throws {
        let naive = NaiveView(confirmed, machine.pending, classes: SimulatedService.classes)
        for name in Set(naive.objects.keys).union(confirmed.keys).union(machine.view.pendingNames) {
            let object = try machine.view.object(name, base: storage.object).map {
                NaiveView.Object(value: $0.value, parent: $0.parent, privileges: $0.privileges, isPending: $0.isPending)
            }
            if object != naive.objects[name] {
                throw Broken(description: "\(name) in the view is \(object as Any), naive: \(naive.objects[name] as Any)")
            }
        }
        var listed: Set<Name> = []
        for className in SimulatedService.classes { listed.formUnion(machine.view.names(ofClass: className)) }
        if !listed.isSubset(of: naive.objects.keys) { throw Broken(description: "the view lists \(listed)") }
    }

    /// Checks that each accepted transaction either is pending or has ended, and that its end is the decision of the service.
    private func checkEnds() throws {
        let pending = Dictionary(uniqueKeysWithValues: try storage.pending().map { ($0.id, $0) })
        if Array(pending.values).sorted(by: { $0.id < $1.id }) != machine.pending {
            throw Broken(description: "the queue in memory is not the stored one")
        }
        for (id, key) in accepted {
            switch (pending[id]?.state, ends[id]) {
            case (.waiting, nil), (.sent, nil), (.committed, .committed): break
            case (nil, .committed):
                if service.committed[key] == nil, !service.committedBefore.union(service.withoutEffect).contains(key) {
                    throw Broken(description: "\(id) is acknowledged, and not in the store")
                }
            case (nil, .refused(let refusal)):
                if service.committed[key] != nil, refusal.code != TransactionRefusal.storeRestored {
                    throw Broken(description: "\(id) was refused, and is in the store")
                }
            case (nil, .withdrawn):
                if service.committed[key] != nil { throw Broken(description: "\(id) was withdrawn, and is in the store") }
            case (let state, let end): throw Broken(description: "\(id) is \(state as Any) and ended as \(end as Any)")
            }
        }
        try checkPrerequisites()
    }

    /// Checks that no waiting transaction is based on one that was taken back, and that what was taken back for that has its reason.
    private func checkPrerequisites() throws {
        for end in try storage.ended(after: TransactionID(0), limit: .max) {
            guard case .refused(let refusal) = end.outcome else { continue }
            if let cause = refusal.cause {
                switch ends[cause] {
                case .refused, .withdrawn: break
                default: throw Broken(description: "\(end.id) is taken back for \(cause), which is \(ends[cause] as Any)")
                }
            }
        }
    }
}

extension EndedTransaction {
    fileprivate var kind: String {
        switch outcome {
        case .committed: "committed"
        case .refused(let refusal): refusal.code
        case .withdrawn: "withdrawn"
        }
    }
}
