internal import Events
internal import Permissions

/// Reading and changing versions. A version that is not in memory is loaded from the index.
extension WorkingSet {
    /// Returns the position of an object in ``objects``, and loads it if necessary.
    func position(of id: ObjectID) throws -> Int {
        try work.count()
        return try objects.position(of: id) { try load(.object, id.rawValue) }
    }

    func object(_ id: ObjectID) throws -> ObjectDocument? {
        let position = try position(of: id)
        return objects.slots[position].value
    }

    func membership(_ id: PrincipalID) throws -> [PrincipalID] {
        try work.count()
        let roles = try memberships.value(of: id) { try load(.memberships, id.rawValue) }?.roles ?? []
        try work.count(roles.count)
        return roles
    }

    func classOptions(_ id: ClassID) throws -> ClassOptions? {
        try work.count()
        return try classes.value(of: id) { try load(.classOptions, id.rawValue) }
    }

    func permissionGrant(_ id: PermissionID) throws -> PermissionGrant? {
        try work.count()
        return try permissions.value(of: id) { try load(.permission, id.rawValue) }
    }

    func valueDocument(_ id: ObjectID) throws -> ValueDocument? {
        try work.count()
        return try values.value(of: id) { try load(.value, id.rawValue) }
    }

    func objectProperties(_ id: ObjectID) throws -> ObjectProperties? {
        try work.count()
        return try properties.value(of: id) { try load(.properties, id.rawValue) }
    }

    func propertySlots(_ id: ClassID) throws -> PropertySlots {
        try slots.value(of: id) { try load(.propertySlots, id.rawValue) } ?? PropertySlots(names: [])
    }

    func relation(_ kind: RelationKind, _ first: UInt64, _ second: UInt64) throws -> RelationDocument? {
        try work.count()
        let id = RelationID(prefix: RelationPrefix(kind: kind, first: first), second: second)
        let position = try relations.position(of: id) { try loadRelation(id) }
        return relations.value(position)
    }

    /// Begins or changes a relation, or ends it if the document is nil.
    ///
    /// - Parameter isNew: whether the relation does not exist, so that it need not be loaded.
    func relate(
        _ kind: RelationKind, _ first: UInt64, _ second: UInt64, _ document: RelationDocument?, isNew: Bool = false
    ) throws {
        let id = RelationID(prefix: RelationPrefix(kind: kind, first: first), second: second)
        try work.count(WorkMeter.change)
        let position = try relations.position(of: id) { isNew ? (.genesis, nil) : try loadRelation(id) }
        relations.set(position, document, at: revision)
    }

    /// Returns every second entity that the first one is related to, sorted.
    func related(_ kind: RelationKind, _ first: UInt64) throws -> [UInt64] {
        let prefix = RelationPrefix(kind: kind, first: first)
        var found = isIndexEmpty ? [] : try reader.seconds(prefix) { try work.count(WorkMeter.load) }
        let held = relations.held(prefix)
        try work.count(held.count)
        guard !held.isEmpty else { return found }
        found.removeAll { held[$0] != nil }
        found.append(contentsOf: held.filter(\.value).keys)
        return found.sorted()
    }

    private func load<Document: Versioned>(
        _ kind: DocumentKind, _ id: UInt64
    ) throws -> (begin: Revision, value: Document?) {
        guard !isIndexEmpty else { return (.genesis, nil) }
        try work.count(WorkMeter.load)
        return try reader.document(DocumentID(kind: kind, id: id), as: Document.self)
    }

    private func loadRelation(_ id: RelationID) throws -> (begin: Revision, value: RelationDocument?) {
        guard !isIndexEmpty else { return (.genesis, nil) }
        try work.count(WorkMeter.load)
        return try reader.relation(id.prefix, id.second)
    }
}
