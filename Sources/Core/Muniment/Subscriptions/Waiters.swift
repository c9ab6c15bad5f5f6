internal import Events

/// The state of the log when a waiter is woken.
struct Wakening: Sendable {
    /// The commit that affects the waiter, if it is known and no earlier commit affects it.
    var commit: Commit?
    /// A revision up to which no commit affects the waiter.
    var passed = Revision.genesis
}

/// The waiters for commits, indexed by the entities that a commit must touch.
struct Waiters {
    typealias Continuation = CheckedContinuation<Wakening, Never>

    private struct Waiter {
        let continuation: Continuation
        let entities: Set<UInt64>
    }

    private var all: [UInt64: Waiter] = [:]
    /// The waiters for commits that touch an entity.
    private var byEntity: [UInt64: Set<UInt64>] = [:]

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }

    func contains(_ id: UInt64) -> Bool { all[id] != nil }

    mutating func add(_ id: UInt64, _ entities: Set<UInt64>, _ continuation: Continuation) {
        all[id] = Waiter(continuation: continuation, entities: entities)
        for entity in entities { byEntity[entity, default: []].insert(id) }
    }

    mutating func take(_ id: UInt64) -> Continuation? {
        guard let waiter = all.removeValue(forKey: id) else { return nil }
        for entity in waiter.entities {
            byEntity[entity]?.remove(id)
            if byEntity[entity]?.isEmpty ?? false { byEntity[entity] = nil }
        }
        return waiter.continuation
    }

    mutating func takeAll() -> [Continuation] {
        defer { self = Waiters() }
        return all.values.map(\.continuation)
    }

    /// Removes the waiters for any of some entities.
    mutating func take(waitingFor entities: Set<UInt64>) -> [Continuation] {
        var found: Set<UInt64> = []
        for entity in entities { if let waiters = byEntity[entity] { found.formUnion(waiters) } }
        return found.compactMap { take($0) }
    }

    /// Removes the waiters that some commits may affect. Linear in the events, and in the removed waiters.
    mutating func take(touchedBy commits: [Commit]) -> [Continuation] {
        guard !isEmpty else { return [] }
        var found: Set<UInt64> = []
        for commit in commits {
            for event in commit.events {
                let effect = event.effect
                let entity: UInt64
                switch effect {
                // Every caller with the subject `member` also has the subjects of its roles.
                case .membership(let member, _): entity = member.rawValue
                case .administrator(let principal): entity = principal.rawValue
                // It can be attached to a class or to the store.
                case .permission: return takeAll()
                case .registered, .clock: continue
                // The access to objects below depends on this object too.
                case .created, .written, .moved, .deleted, .owner, .options, .entry, .roleDeleted, .attachment:
                    entity = effect.object.rawValue
                }
                if let waiters = byEntity[entity] { found.formUnion(waiters) }
            }
        }
        return found.compactMap { take($0) }
    }
}
