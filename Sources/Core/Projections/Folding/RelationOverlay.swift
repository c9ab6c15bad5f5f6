internal import Events

/// Present relations in memory, over those in the index: a ``VersionOverlay`` that can also list the relations of an entity.
struct RelationOverlay {
    private var versions = VersionOverlay<RelationID, RelationDocument>()
    /// The second entities that have slots, by prefix, for kinds that are listed.
    private var seconds: [RelationPrefix: [UInt64]] = [:]

    mutating func value(
        _ id: RelationID, _ load: (RelationID) throws -> (begin: Revision, value: RelationDocument?)
    ) throws -> RelationDocument? {
        let before = versions.count
        let value = try versions.value(id, load)
        if versions.count > before { list(id) }
        return value
    }

    mutating func change(
        _ id: RelationID, to value: RelationDocument?, at revision: Revision,
        _ load: (RelationID) throws -> (begin: Revision, value: RelationDocument?)
    ) throws {
        let before = versions.count
        try versions.change(id, to: value, at: revision, load)
        if versions.count > before { list(id) }
    }

    private mutating func list(_ id: RelationID) {
        if id.prefix.kind.isListedInFold { seconds[id.prefix, default: []].append(id.second) }
    }

    /// Returns the second entities in memory, and whether each is related at present.
    func held(_ prefix: RelationPrefix) -> [UInt64: Bool] {
        var held: [UInt64: Bool] = [:]
        for second in seconds[prefix] ?? [] {
            held[second] = versions.slots[RelationID(prefix: prefix, second: second)]?.value != nil
        }
        return held
    }

    mutating func mark() { versions.mark() }
    mutating func rollBack() { versions.rollBack() }
    var hasChanged: Bool { versions.hasChanged }
    mutating func takeEnded(_ body: (EndedVersion<RelationID, RelationDocument>) -> Void) { versions.takeEnded(body) }
    mutating func flush(_ body: (RelationID, _ begin: Revision, RelationDocument) -> Void) { versions.flush(body) }

    mutating func touchAll() { versions.touchAll() }

    mutating func removeAll() {
        versions.removeAll()
        seconds.removeAll()
    }

    var count: Int { versions.count }
}
