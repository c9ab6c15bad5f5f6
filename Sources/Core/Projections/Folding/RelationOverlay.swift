internal import Events
internal import Hashing

extension RelationID: OverlayID {
    var numbers: (UInt64, UInt64) { (prefix.first | UInt64(prefix.kind.rawValue) << 56, second) }
}

/// Present relations in memory, over those in the index: a ``VersionOverlay`` that can also list the relations of an entity.
struct RelationOverlay {
    var versions: VersionOverlay<RelationID, RelationDocument>
    /// The last slot of each prefix, for kinds that are listed.
    private var lists: [(prefix: RelationPrefix, last: Int)] = []
    private var listIndex = HashIndex()
    private let hash = KeyedHash()
    /// For each slot, the earlier slot of its prefix; nil for the first one, and for kinds that are not listed.
    private var earlier: [Int?] = []

    init(_ changed: ChangedOverlays) {
        versions = VersionOverlay(
            changed: changed, bit: ChangedOverlays.relations, tag: .relations, keyBytes: 16, key: { $0.key($1) },
            decode: { id, row, reader throws(CodecError) in try RelationDocument.decode(id.prefix.kind, row, &reader) })
    }

    /// Returns the position of a relation, and loads it with `load` if necessary.
    @inline(__always)
    mutating func position(
        of id: RelationID, load: () throws -> (begin: Revision, value: RelationDocument?)
    ) rethrows -> Int {
        if let known = versions.position(of: id) { known } else { add(id, try load()) }
    }

    @inline(__always)
    func value(_ position: Int) -> RelationDocument? { versions.slots[position].value }

    /// Adds a version that was loaded, and returns its position.
    private mutating func add(_ id: RelationID, _ loaded: (begin: Revision, value: RelationDocument?)) -> Int {
        let position = versions.add(id, loaded)
        earlier.append(id.prefix.kind.isListedInFold ? list(id.prefix, position) : nil)
        return position
    }

    /// Makes a slot the last one of its prefix, and returns the one before it.
    private mutating func list(_ prefix: RelationPrefix, _ position: Int) -> Int? {
        if let list = self.list(prefix) {
            defer { lists[list].last = position }
            return lists[list].last
        }
        listIndex.insert(hash(prefix.first, UInt64(prefix.kind.rawValue)), lists.count)
        lists.append((prefix, position))
        return nil
    }

    private func list(_ prefix: RelationPrefix) -> Int? {
        listIndex.position(hash(prefix.first, UInt64(prefix.kind.rawValue))) { lists[$0].prefix == prefix }
    }

    mutating func set(_ position: Int, _ value: RelationDocument?, at revision: Revision) {
        versions.set(position, value, at: revision)
    }

    /// Returns the second entities in memory, and whether each is related at present.
    func held(_ prefix: RelationPrefix) -> [UInt64: Bool] {
        var held: [UInt64: Bool] = [:]
        var position = list(prefix).map { lists[$0].last }
        while let slot = position {
            held[versions.slots[slot].id.second] = versions.slots[slot].value != nil
            position = earlier[slot]
        }
        return held
    }

    mutating func removeAll() {
        versions.removeAll()
        lists.removeAll()
        listIndex.removeAll()
        earlier.removeAll()
    }

    var count: Int { versions.count }
}
