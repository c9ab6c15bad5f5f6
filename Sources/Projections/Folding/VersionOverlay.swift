internal import Events

/// The present version of one thing.
struct Slot<Document: Versioned> {
    /// Where the present version begins.
    var begin: Revision
    /// The present version; nil where there is none.
    var value: Document?
    /// Whether the index does not have it yet.
    var isDirty = false
}

/// A version that another one has taken the place of.
struct EndedVersion<ID, Document: Versioned> {
    let id: ID
    let begin: Revision
    let end: Revision
    let value: Document
}

/// Present versions in memory, over those in the index: read from there when first asked for, changed here, written there in
/// batches. Changes can be taken back to the last mark.
struct VersionOverlay<ID: Hashable, Document: Versioned> {
    private(set) var slots: [ID: Slot<Document>] = [:]
    /// Versions that have ended since the mark.
    private(set) var ended: [EndedVersion<ID, Document>] = []
    /// What the changes since the mark have replaced, in order.
    private var journal: [(id: ID, before: Slot<Document>)] = []
    /// Whose slots may have something to write.
    private var dirty: [ID] = []

    /// The present version, loaded where it is not here yet.
    mutating func value(
        _ id: ID, _ load: (ID) throws -> (begin: Revision, value: Document?)
    ) throws -> Document? {
        if let slot = slots[id] { return slot.value }
        let (begin, value) = try load(id)
        slots[id] = Slot(begin: begin, value: value)
        return value
    }

    /// Changes the present version, which must have been asked for before.
    mutating func set(_ id: ID, _ value: Document?, at revision: Revision) {
        guard let index = slots.index(forKey: id) else { preconditionFailure("a version is read before it is changed") }
        let before = slots.values[index]
        guard before.value != value else { return }
        note(id, before, at: revision)
        slots.values[index] = Slot(begin: revision, value: value, isDirty: true)
    }

    /// Changes the present version, loaded where it is not here yet.
    mutating func change(
        _ id: ID, to value: Document?, at revision: Revision, _ load: (ID) throws -> (begin: Revision, value: Document?)
    ) throws {
        guard slots.index(forKey: id) == nil else { return set(id, value, at: revision) }
        let loaded = try load(id)
        let before = Slot(begin: loaded.begin, value: loaded.value)
        guard before.value != value else {
            slots[id] = before
            return
        }
        note(id, before, at: revision)
        slots[id] = Slot(begin: revision, value: value, isDirty: true)
    }

    /// Notes what a change replaces.
    private mutating func note(_ id: ID, _ before: Slot<Document>, at revision: Revision) {
        if before.begin < revision, let replaced = before.value {
            ended.append(EndedVersion(id: id, begin: before.begin, end: revision, value: replaced))
        }
        if !before.isDirty { dirty.append(id) }
        journal.append((id, before))
    }

    /// Keeps the changes since the last mark. Those that ended versions must have been taken.
    mutating func mark() {
        if !journal.isEmpty { journal.removeAll(keepingCapacity: true) }
        if !ended.isEmpty { ended.removeAll(keepingCapacity: true) }
    }

    mutating func rollBack() {
        for (id, before) in journal.reversed() { slots[id] = before }
        mark()
    }

    /// Whether anything is other than at the mark. Linear in the number of changes.
    var hasChanged: Bool {
        if journal.count <= 1 { return journal.first.map { slots[$0.id]?.value != $0.before.value } ?? false }
        var seen: Set<ID> = []
        return journal.contains { seen.insert($0.id).inserted && slots[$0.id]?.value != $0.before.value }
    }

    /// Hands out the versions that have ended since the mark.
    mutating func takeEnded(_ body: (EndedVersion<ID, Document>) -> Void) {
        for version in ended { body(version) }
        mark()
    }

    /// Hands out the present versions that are to be written and counts them as written. Linear in what has changed.
    mutating func flush(_ body: (ID, _ begin: Revision, Document) -> Void) {
        for id in dirty {
            guard let index = slots.index(forKey: id), slots.values[index].isDirty else { continue }
            if let value = slots.values[index].value { body(id, slots.values[index].begin, value) }
            slots.values[index].isDirty = false
        }
        dirty.removeAll(keepingCapacity: true)
        mark()
    }

    /// Counts everything that is here as not written yet.
    mutating func touchAll() {
        for index in slots.values.indices where !slots.values[index].isDirty && slots.values[index].value != nil {
            slots.values[index].isDirty = true
            dirty.append(slots.keys[index])
        }
    }

    mutating func removeAll() {
        slots.removeAll()
        mark()
    }

    var count: Int { slots.count }
}
