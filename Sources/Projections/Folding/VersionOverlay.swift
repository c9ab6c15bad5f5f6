internal import Events

/// The present version of one thing, and versions that have ended since the index was last written.
struct Slot<Document: Versioned> {
    /// Where the present version begins.
    var begin: Revision
    /// The present version; nil where there is none.
    var value: Document?
    var ended: [EndedVersion<Document>] = []
    var isDirty = false

    /// Puts another version in the place of the present one.
    mutating func set(_ new: Document?, at revision: Revision) {
        if begin < revision, let value { ended.append(EndedVersion(begin: begin, end: revision, value: value)) }
        begin = revision
        value = new
        isDirty = true
    }
}

struct EndedVersion<Document: Versioned> {
    let begin: Revision
    let end: Revision
    let value: Document
}

/// Present versions in memory, over those in the index: read from there when first asked for, changed here, written there in
/// batches. Changes can be taken back to the last mark.
struct VersionOverlay<ID: Hashable, Document: Versioned> {
    private(set) var slots: [ID: Slot<Document>] = [:]
    /// What the changes since the mark have replaced, in order.
    private var journal: [(id: ID, before: Slot<Document>)] = []
    /// Whose slots may have something to write.
    private var dirty: [ID] = []
    /// Changes since the last flush: each may have left an ended version behind.
    private(set) var changeCount = 0

    /// The present version, loaded where it is not here yet.
    mutating func value(
        _ id: ID, _ load: (ID) throws -> (begin: Revision, value: Document?)
    ) throws -> Document? {
        if let slot = slots[id] { return slot.value }
        let (begin, value) = try load(id)
        slots[id] = Slot(begin: begin, value: value)
        return value
    }

    /// Changes the present version, which must have been asked for before; answers whether it was another.
    @discardableResult
    mutating func set(_ id: ID, _ value: Document?, at revision: Revision) -> Bool {
        guard let index = slots.index(forKey: id) else { preconditionFailure("a version is read before it is changed") }
        guard slots.values[index].value != value else { return false }
        journal.append((id, slots.values[index]))
        if !slots.values[index].isDirty { dirty.append(id) }
        slots.values[index].set(value, at: revision)
        changeCount += 1
        return true
    }

    mutating func mark() { journal.removeAll(keepingCapacity: true) }

    mutating func rollBack() {
        for (id, before) in journal.reversed() { slots[id] = before }
        mark()
    }

    /// Whether anything is other than at the mark. Linear in the number of changes.
    var hasChanged: Bool {
        var seen: Set<ID> = []
        return journal.contains { seen.insert($0.id).inserted && slots[$0.id]?.value != $0.before.value }
    }

    /// Hands out what is to be written and counts it as written. Linear in what has changed.
    mutating func flush(_ body: (ID, Slot<Document>) -> Void) {
        for id in dirty {
            guard let index = slots.index(forKey: id), slots.values[index].isDirty else { continue }
            body(id, slots.values[index])
            slots.values[index].isDirty = false
            slots.values[index].ended = []
        }
        dirty.removeAll(keepingCapacity: true)
        changeCount = 0
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
