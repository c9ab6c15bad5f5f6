internal import Events

/// Those that wait for commits, found by what the commits have to touch.
struct Waiters {
    /// Resumed with the commit that concerns the waiter, where that is known and none before it does.
    typealias Continuation = CheckedContinuation<Commit?, Never>

    private struct Waiter {
        let continuation: Continuation
        let things: Set<UInt64>
    }

    private var all: [UInt64: Waiter] = [:]
    /// Who waits for a commit that touches a thing.
    private var byThing: [UInt64: Set<UInt64>] = [:]

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }

    func contains(_ id: UInt64) -> Bool { all[id] != nil }

    mutating func add(_ id: UInt64, _ things: Set<UInt64>, _ continuation: Continuation) {
        all[id] = Waiter(continuation: continuation, things: things)
        for thing in things { byThing[thing, default: []].insert(id) }
    }

    /// Takes one out; nil where it is not there.
    mutating func take(_ id: UInt64) -> Continuation? {
        guard let waiter = all.removeValue(forKey: id) else { return nil }
        for thing in waiter.things {
            byThing[thing]?.remove(id)
            if byThing[thing]?.isEmpty ?? false { byThing[thing] = nil }
        }
        return waiter.continuation
    }

    mutating func takeAll() -> [Continuation] {
        defer { self = Waiters() }
        return all.values.map(\.continuation)
    }

    /// Takes out those who wait for any of some things.
    mutating func take(waitingFor things: Set<UInt64>) -> [Continuation] {
        var found: Set<UInt64> = []
        for thing in things { if let waiters = byThing[thing] { found.formUnion(waiters) } }
        return found.compactMap { take($0) }
    }

    /// Takes out those whom some commits may concern. Linear in the events, and in those that are taken out.
    mutating func take(touchedBy commits: [Commit]) -> [Continuation] {
        guard !isEmpty else { return [] }
        var found: Set<UInt64> = []
        for commit in commits {
            for event in commit.events {
                switch event.reach {
                case .nothing: continue
                case .thing(let thing): if let waiters = byThing[thing] { found.formUnion(waiters) }
                case .anything: return takeAll()
                }
            }
        }
        return found.compactMap { take($0) }
    }
}
