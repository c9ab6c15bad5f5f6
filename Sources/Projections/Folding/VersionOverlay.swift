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
        guard slots.values[index].value != value else { return }
        journal.append((id, slots.values[index]))
        if !slots.values[index].isDirty { dirty.append(id) }
        slots.values[index].set(value, at: revision)
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
        mark()
    }

    mutating func removeAll() {
        slots.removeAll(keepingCapacity: true)
        mark()
    }

    var count: Int { slots.count }
}

/// As ``VersionOverlay``, for relations: grouped by their first thing, so that all of a group can be listed.
struct RelationOverlay {
    private(set) var groups: [RelationPrefix: [UInt64: Slot<RelationDocument>]] = [:]
    private var journal: [(prefix: RelationPrefix, second: UInt64, before: Slot<RelationDocument>)] = []
    private var dirty: [(prefix: RelationPrefix, second: UInt64)] = []
    private(set) var count = 0

    mutating func value(
        _ prefix: RelationPrefix, _ second: UInt64,
        _ load: (RelationPrefix, UInt64) throws -> (begin: Revision, value: RelationDocument?)
    ) throws -> RelationDocument? {
        if let slot = groups[prefix]?[second] { return slot.value }
        let (begin, value) = try load(prefix, second)
        groups[prefix, default: [:]][second] = Slot(begin: begin, value: value)
        count += 1
        return value
    }

    mutating func set(_ prefix: RelationPrefix, _ second: UInt64, _ value: RelationDocument?, at revision: Revision) {
        guard var slot = groups[prefix]?[second] else { preconditionFailure("a relation is read before it is changed") }
        guard slot.value != value else { return }
        journal.append((prefix, second, slot))
        if !slot.isDirty { dirty.append((prefix, second)) }
        slot.set(value, at: revision)
        groups[prefix, default: [:]][second] = slot
    }

    mutating func mark() { journal.removeAll(keepingCapacity: true) }

    mutating func rollBack() {
        for (prefix, second, before) in journal.reversed() { groups[prefix]?[second] = before }
        mark()
    }

    var hasChanged: Bool {
        var seen: Set<[UInt64]> = []
        return journal.contains { prefix, second, before in
            seen.insert([UInt64(prefix.kind.rawValue), prefix.first, second]).inserted
                && groups[prefix]?[second]?.value != before.value
        }
    }

    mutating func flush(_ body: (RelationPrefix, UInt64, Slot<RelationDocument>) -> Void) {
        for (prefix, second) in dirty {
            guard var slot = groups[prefix]?[second], slot.isDirty else { continue }
            body(prefix, second, slot)
            slot.isDirty = false
            slot.ended = []
            groups[prefix, default: [:]][second] = slot
        }
        dirty.removeAll(keepingCapacity: true)
        mark()
    }

    mutating func removeAll() {
        groups.removeAll(keepingCapacity: true)
        count = 0
        mark()
    }
}
