internal import Events

/// The present version of a document or relation.
struct Slot<Document: Versioned> {
    /// The first revision of the present version.
    var begin: Revision
    /// The present version; nil if none exists.
    var value: Document?
    /// Whether it is not in the index yet.
    var isDirty = false
}

/// A version that a later one has replaced.
struct EndedVersion<ID, Document: Versioned> {
    let id: ID
    let begin: Revision
    let end: Revision
    let value: Document
}

/// Present versions in memory, over those in the index. They are loaded on first use, changed in memory, and written in batches.
/// Changes since the last mark can be rolled back.
struct VersionOverlay<ID: Hashable, Document: Versioned> {
    private(set) var slots: [ID: Slot<Document>] = [:]
    /// Versions that have ended since the mark.
    private(set) var ended: [EndedVersion<ID, Document>] = []
    /// The slots that the changes since the mark have replaced, in order.
    private var journal: [(id: ID, before: Slot<Document>)] = []
    /// The ids of slots that may have unwritten changes.
    private var dirty: [ID] = []

    /// Returns the present version, and loads it if necessary.
    mutating func value(
        _ id: ID, _ load: (ID) throws -> (begin: Revision, value: Document?)
    ) throws -> Document? {
        if let slot = slots[id] { return slot.value }
        let (begin, value) = try load(id)
        slots[id] = Slot(begin: begin, value: value)
        return value
    }

    /// Changes the present version, which must have been read before.
    mutating func set(_ id: ID, _ value: Document?, at revision: Revision) {
        guard let index = slots.index(forKey: id) else { preconditionFailure("a version is read before it is changed") }
        let before = slots.values[index]
        guard before.value != value else { return }
        note(id, before, at: revision)
        slots.values[index] = Slot(begin: revision, value: value, isDirty: true)
    }

    /// Changes the present version, and loads it first if necessary.
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

    /// Records the slot that a change replaces.
    private mutating func note(_ id: ID, _ before: Slot<Document>, at revision: Revision) {
        if before.begin < revision, let replaced = before.value {
            ended.append(EndedVersion(id: id, begin: before.begin, end: revision, value: replaced))
        }
        if !before.isDirty { dirty.append(id) }
        journal.append((id, before))
    }

    /// Keeps the changes since the last mark. The ended versions must have been taken before.
    mutating func mark() {
        if !journal.isEmpty { journal.removeAll(keepingCapacity: true) }
        if !ended.isEmpty { ended.removeAll(keepingCapacity: true) }
    }

    mutating func rollBack() {
        for (id, before) in journal.reversed() { slots[id] = before }
        mark()
    }

    /// Whether any value differs from its value at the mark. Linear in the number of changes.
    var hasChanged: Bool {
        if journal.count <= 1 { return journal.first.map { slots[$0.id]?.value != $0.before.value } ?? false }
        var seen: Set<ID> = []
        return journal.contains { seen.insert($0.id).inserted && slots[$0.id]?.value != $0.before.value }
    }

    /// Calls `body` with the versions that have ended since the mark.
    mutating func takeEnded(_ body: (EndedVersion<ID, Document>) -> Void) {
        for version in ended { body(version) }
        mark()
    }

    /// Calls `body` with the unwritten present versions and counts them as written. Linear in the number of changes.
    mutating func flush(_ body: (ID, _ begin: Revision, Document) -> Void) {
        for id in dirty {
            guard let index = slots.index(forKey: id), slots.values[index].isDirty else { continue }
            if let value = slots.values[index].value { body(id, slots.values[index].begin, value) }
            slots.values[index].isDirty = false
        }
        dirty.removeAll(keepingCapacity: true)
        mark()
    }

    /// Counts every slot in memory as unwritten.
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
