import Events

@testable import MunimentReplica

/// A replica's storage in memory.
struct MemoryReplicaStorage: ReplicaStorage, Sendable {
    private var storedHeader: ReplicaHeader?
    private var transactions: [TransactionID: PendingTransaction] = [:]
    private(set) var objects: [Name: ReplicaObject] = [:]
    private var stage: [StagedLayer: [Name: StagedObject]] = [:]
    private var ends: [TransactionID: EndedTransaction] = [:]

    func header() -> ReplicaHeader? { storedHeader }

    func pending() -> [PendingTransaction] { transactions.values.sorted { $0.id < $1.id } }

    func object(_ name: Name) -> ReplicaObject? { objects[name] }

    func staged(_ name: Name) -> StagedObject? { stage[.difference]?[name] ?? stage[.pages]?[name] }

    func objects(ofClass className: String, after name: Name?, limit: Int) -> [ReplicaObject] {
        let found = objects.values.filter { $0.name.className == className && name.map($0.name.follows) ?? true }
        return Array(found.sorted { $0.name < $1.name }.prefix(limit))
    }

    func objectsMissingInFill(limit: Int) -> [Name] {
        Array(objects.keys.filter { if case .object = staged($0) { false } else { true } }.sorted().prefix(limit))
    }

    func ended(after id: TransactionID, limit: Int) -> [EndedTransaction] {
        Array(ends.values.filter { $0.id > id }.sorted { $0.id < $1.id }.prefix(limit))
    }

    mutating func persist(_ writes: [ReplicaWrite]) {
        for write in writes { perform(write) }
    }

    private mutating func perform(_ write: ReplicaWrite) {
        switch write {
        case .header(let header): storedHeader = header
        case .stage(let changed, let removed, let layer):
            for name in removed { stage[layer, default: [:]][name] = .removed }
            for object in changed { stage[layer, default: [:]][object.name] = .object(object) }
        case .clearStage(let layer?): stage[layer] = nil
        case .clearStage(nil): stage = [:]
        case .applyStage(let isFill):
            if isFill { objects = [:] }
            for layer in [StagedLayer.pages, .difference] {
                for (name, staged) in stage[layer] ?? [:] {
                    if case .object(let object) = staged { objects[name] = object } else { objects[name] = nil }
                }
            }
            stage = [:]
        case .pending(let transaction): transactions[transaction.id] = transaction
        case .removePending(let id): transactions[id] = nil
        case .ended(let end): ends[end.id] = end
        case .forgetEnded(let id): ends[id] = nil
        case .forgetEndedUpTo(let last):
            ends = ends.filter { id, end in if id > last { true } else if case .refused = end.outcome { true } else { false } }
        }
    }
}

extension Name {
    fileprivate func follows(_ other: Name) -> Bool { other < self }
}
