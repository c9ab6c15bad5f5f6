internal import Events
internal import Hashing
internal import LMDB

/// The key of a version in an overlay.
protocol OverlayID: Hashable {
    /// Two numbers that identify it, for hashing.
    var numbers: (UInt64, UInt64) { get }
}

extension OverlayID where Self: EntityID {
    var numbers: (UInt64, UInt64) { (rawValue, 0) }
}

extension ObjectID: OverlayID {}
extension PrincipalID: OverlayID {}
extension ClassID: OverlayID {}
extension PermissionID: OverlayID {}

/// The present version of a document or relation.
struct Slot<ID, Document: Versioned> {
    let id: ID
    /// The first revision of the present version.
    fileprivate(set) var begin: Revision
    /// The present version; nil if none exists.
    fileprivate(set) var value: Document?
    /// Whether it is not in the index yet.
    fileprivate var isDirty = false
    /// The number of changes since the mark, counted up to two.
    fileprivate var changes: UInt8 = 0
}

/// The overlays that have changed since the mark. Most commits change few of them, and need not visit the others.
final class ChangedOverlays {
    var bits: UInt32 = 0

    static let relations: UInt32 = 1
    static func bit(_ kind: DocumentKind) -> UInt32 { 1 << UInt32(kind.rawValue) }
}

/// Present versions in memory, over those in the index. They are loaded on first use, changed in memory, and written in batches.
/// Changes since the last mark can be rolled back.
///
/// A version that ends is encoded as a row before it is changed in place. A rollback decodes it.
struct VersionOverlay<ID: OverlayID, Document: Versioned> {
    private(set) var slots: [Slot<ID, Document>] = []
    private var index = HashIndex()
    private let hash = KeyedHash()
    /// The rows of versions that have ended since the rows were last taken.
    private var ended: RowBatch
    /// The first change of each slot since the mark, in order.
    private var journal: [Change] = []
    /// The positions of slots with unwritten changes, each once.
    private var dirty: [Int] = []
    /// Where changes are announced, and the bit of this overlay.
    private let changed: ChangedOverlays
    private let bit: UInt32
    private let key: (ID, Revision) -> FixedKey
    private let decode: (ID, Span<UInt8>, inout ByteReader) throws(CodecError) -> Document

    /// The state of a slot at the mark.
    private struct Change {
        let position: Int
        let begin: Revision
        let wasDirty: Bool
        /// The row of the version; nil if none existed.
        let row: Int?
    }

    /// - Parameters:
    ///   - key: returns the key of a version that begins at a revision.
    ///   - decode: decodes a version.
    init(
        changed: ChangedOverlays, bit: UInt32, tag: IndexTables.Tag, keyBytes: Int, key: @escaping (ID, Revision) -> FixedKey,
        decode: @escaping (ID, Span<UInt8>, inout ByteReader) throws(CodecError) -> Document
    ) {
        ended = RowBatch(tag: tag, keyBytes: keyBytes)
        self.changed = changed
        self.bit = bit
        self.key = key
        self.decode = decode
    }

    /// Creates an overlay of documents.
    init(_ kind: DocumentKind, _ changed: ChangedOverlays) where ID: EntityID {
        self.init(
            changed: changed, bit: ChangedOverlays.bit(kind), tag: .documents, keyBytes: 11,
            key: { DocumentID(kind: kind, id: $0.rawValue).key($1) },
            decode: { _, row, reader throws(CodecError) in try Document.decode(row, &reader) })
    }

    // MARK: Reading

    /// Returns the position of a slot; nil if it was not loaded.
    @inline(__always)
    func position(of id: ID) -> Int? {
        let numbers = id.numbers
        // A closure that uses `self` would copy all of it.
        let slots = slots
        return index.position(hash(numbers.0, numbers.1)) { slots[$0].id == id }
    }

    /// Returns the position of a slot, and loads it with `load` if necessary.
    @inline(__always)
    mutating func position(of id: ID, load: () throws -> (begin: Revision, value: Document?)) rethrows -> Int {
        if let known = position(of: id) { known } else { add(id, try load()) }
    }

    /// Returns the present version, and loads it with `load` if necessary.
    @inline(__always)
    mutating func value(of id: ID, load: () throws -> (begin: Revision, value: Document?)) rethrows -> Document? {
        slots[try position(of: id, load: load)].value
    }

    /// Calls `body` with a slot; returns nil if it was not loaded.
    @inline(__always)
    func read<R>(_ id: ID, _ body: (Slot<ID, Document>) -> R) -> R? {
        position(of: id).map { body(slots[$0]) }
    }

    /// Adds a version that was loaded, and returns its position.
    mutating func add(_ id: ID, _ loaded: (begin: Revision, value: Document?)) -> Int {
        let numbers = id.numbers
        index.insert(hash(numbers.0, numbers.1), slots.count)
        slots.append(Slot(id: id, begin: loaded.begin, value: loaded.value))
        return slots.count - 1
    }

    /// Returns the first revision of the present version, which must have been read before.
    func begin(of id: ID) -> Revision? { read(id) { $0.begin } }

    // MARK: Changing

    /// Changes the present version, which must have been read before.
    mutating func set(_ id: ID, _ value: Document?, at revision: Revision) {
        guard let position = position(of: id) else { preconditionFailure("a version is read before it is changed") }
        set(position, value, at: revision)
    }

    mutating func set(_ position: Int, _ value: Document?, at revision: Revision) {
        guard slots[position].value != value else { return }
        note(position, at: revision)
        slots[position].value = value
    }

    /// Changes the present version in place. It must exist, and `change` must make a difference.
    @inline(__always)
    mutating func change(_ position: Int, at revision: Revision, _ change: (inout Document) -> Void) {
        note(position, at: revision)
        if slots[position].value != nil { change(&slots[position].value!) }
    }

    /// Records a slot before it is changed.
    private mutating func note(_ position: Int, at revision: Revision) {
        let begin = slots[position].begin
        slots[position].begin = revision
        let wasDirty = slots[position].isDirty
        if !wasDirty {
            dirty.append(position)
            slots[position].isDirty = true
        }
        guard slots[position].changes == 0 else {
            slots[position].changes = 2
            return
        }
        slots[position].changes = 1
        changed.bits |= bit
        var row: Int?
        if let value = slots[position].value {
            row = ended.count
            ended.add(key(slots[position].id, begin), end: revision, value)
        }
        journal.append(Change(position: position, begin: begin, wasDirty: wasDirty, row: row))
    }

    /// Keeps the changes since the last mark.
    mutating func mark() {
        if journal.isEmpty { return }
        for change in journal { slots[change.position].changes = 0 }
        journal.removeAll(keepingCapacity: true)
    }

    mutating func rollBack() {
        for change in journal.reversed() {
            slots[change.position].begin = change.begin
            slots[change.position].value = before(change)
            slots[change.position].isDirty = change.wasDirty
            // The changes since the mark are the last of the list.
            if !change.wasDirty { dirty.removeLast() }
        }
        if let first = journal.first(where: { $0.row != nil })?.row { ended.truncate(to: first) }
        mark()
    }

    /// Returns the version at the mark.
    private func before(_ change: Change) -> Document? {
        change.row.map { row in
            ended.withPayload(row) { bytes, reader in
                guard let version = try? decode(slots[change.position].id, bytes, &reader) else {
                    preconditionFailure("a version that was encoded by this process can be decoded")
                }
                return version
            }
        }
    }

    /// Whether any value differs from its value at the mark. Linear in the number of changes.
    var hasChanged: Bool {
        journal.contains { change in
            // Each change makes a difference, but the second one may revert the first.
            if slots[change.position].changes == 1 { return true }
            guard let value = slots[change.position].value, let before = before(change) else {
                return (slots[change.position].value == nil) != (change.row == nil)
            }
            return !value.hasSameContent(as: before)
        }
    }

    /// Calls `body` with the versions that have ended since the mark.
    func forEachEnded(_ body: (ID, Document) -> Void) {
        for change in journal {
            if let version = before(change) { body(slots[change.position].id, version) }
        }
    }

    // MARK: Writing

    /// Calls `body` with the unwritten present versions.
    func forEachUnwritten(_ body: (ID, Document) -> Void) {
        for position in dirty {
            if let value = slots[position].value { body(slots[position].id, value) }
        }
    }

    /// Appends the rows of ended versions and of unwritten present versions, and counts these as written. Linear in the number of
    /// changes.
    mutating func flush(into rows: inout RowBatch) {
        mark()
        rows.append(&ended)
        for position in dirty {
            if let value = slots[position].value { rows.add(key(slots[position].id, slots[position].begin), end: .open, value) }
            slots[position].isDirty = false
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Counts every slot in memory as unwritten.
    mutating func touchAll() {
        for position in slots.indices where !slots[position].isDirty && slots[position].value != nil {
            slots[position].isDirty = true
            dirty.append(position)
        }
    }

    /// Forgets all versions, which must be written.
    mutating func removeAll() {
        mark()
        slots.removeAll()
        index.removeAll()
        dirty.removeAll()
    }

    /// The number of versions in memory.
    var count: Int { slots.count + ended.count }
}
