internal import Events

extension CommandAuthorizer {
    mutating func createObject(_ name: Name, parent: Name?, value: JSONValue?, owner: Name?) throws -> [Event] {
        try checkForm(name, parent, owner)
        let bytes = try value.map { try $0.bytesWithinLimits(of: name) }
        let className = name.className
        if name.kind != .object {
            throw Refusal(
                .unknownClass,
                "`\(className)` is built in: users and things are registered, roles created, permissions and classes defined")
        }
        guard let classObject = try existing(.class(className)) else {
            throw Refusal(
                .unknownClass, "there is no class `\(Name(className).excerpt)` to create `\(name.excerpt)` in: define it first")
        }
        if try existing(name) != nil { throw Refusal.taken(name) }
        let parentObject = try parent.map(object)
        if let parentObject { try checkDepth(of: name, below: parentObject) }
        let classID = ClassID(classObject)
        try need(.create, onClass: classID, className)
        if let parentObject, let parent { try need(.update, on: parentObject, parent) }
        let ownerID = try owner.map(subject) ?? caller
        let introduction: Introduction<ObjectID> = try introduction(of: name)
        let links = try links(in: value, of: name, introduction.id, besides: introduction.name == nil ? 0 : 1)
        try checkNewLinks(links, instead: [], of: introduction.id)
        created.insert(introduction.id)
        let event = ObjectCreated(
            object: introduction, classID: classID, parent: parentObject, owner: ownerID, value: bytes,
            links: links.map(\.target))
        return [.objectCreated(event)] + (try creatorEvents(for: introduction.id, classID: classID, owner: ownerID))
    }

    func writeObject(_ name: Name, _ content: Change.Content, expectedRevision: Revision?) throws -> [Event] {
        try checkForm(name, is: .object, "an object that has a value")
        var value = JSONValue.null
        switch content {
        case .value(let new), .merge(let new): value = new
        }
        _ = try value.bytesWithinLimits(of: name)
        let object = try object(name)
        try need(.update, on: object, name)
        let present = try state.value(of: object)
        if case .merge(let patch) = content {
            value = try present.map(decoded)?.merging(patch) ?? JSONValue.null.merging(patch)
        }
        let bytes = try value.bytesWithinLimits(of: name)
        let links = try links(in: value, of: name, object, besides: 0)
        let linksBefore = try state.links(of: object)
        try checkNewLinks(links, instead: linksBefore, of: object)
        try checkUnchanged(object, name, since: expectedRevision)
        // The same value can refer to other objects than when it was written.
        guard
            try bytes != present ?? Array("null".utf8)
                || linksBefore.contains(where: { try $0.created != state.creation(of: $0.target) })
        else { return [] }
        return [.objectWritten(ObjectWritten(object: object, value: bytes, links: links.map(\.target)))]
    }

    func moveObject(_ name: Name, parent: Name?) throws -> [Event] {
        try checkForm(name, is: .object, "an object that can be moved")
        try checkForm(parent)
        let object = try object(name)
        let parentObject = try parent.map(self.object)
        try need(.update, on: object, name)
        try need(.setPermissions, on: object, name)
        if let parentObject, let parent {
            try need(.update, on: parentObject, parent)
            try checkDepth(of: name, below: parentObject, moving: object)
        }
        guard let place = try state.place(of: object), place.parent != parentObject else { return [] }
        if let parentObject, let options = try state.options(of: place.classID), options.objectACL == .required {
            let given = try passedOn(by: parentObject, through: options.inherits).intersection(options.known)
            try needAtLeast(given, on: object, name)
        }
        return [.objectMoved(ObjectMoved(object: object, parent: parentObject))]
    }

    /// Returns the privileges that an object passes to the objects below it, for all subjects together. Moving an object under it
    /// gives them to its subjects.
    private func passedOn(by object: ObjectID, through inherits: Privileges) throws -> Privileges {
        var given: Privileges = []
        var mask = inherits
        var next: ObjectID? = object
        while !mask.isEmpty, let object = next, let place = try state.place(of: object),
            let options = try state.options(of: place.classID)
        {
            guard options.objectACL == .required else { return given.union(mask) }
            given.formUnion(try state.privilegesOfAnySubject(on: object, at: instant).intersection(mask))
            mask.formIntersection(options.inherits)
            next = place.parent
        }
        return given
    }

    func deleteObject(_ name: Name, expectedRevision: Revision?) throws -> [Event] {
        try checkForm(name, is: .object, "an object that can be deleted; roles go with deleteRole")
        let object = try object(name)
        try need(.delete, on: object, name)
        try checkUnchanged(object, name, since: expectedRevision)
        return [.objectDeleted(object)]
    }

    func setOwner(_ name: Name, owner: Name) throws -> [Event] {
        try checkForm(name, is: .object, "an object that has an owner")
        try checkForm(owner)
        let object = try object(name)
        try need(.setOwner, on: object, name)
        let ownerID = try subject(owner)
        guard try state.owner(of: object) != ownerID, let place = try state.place(of: object) else { return [] }
        let given = try creatorEvents(for: object, classID: place.classID, owner: ownerID)
        try needBelow(ownedBy: given, object, name)
        return [.ownerChanged(OwnerChanged(object: object, owner: ownerID))] + given
    }

    /// Throws if an object has changed since the revision that the caller expected.
    private func checkUnchanged(_ object: ObjectID, _ name: Name, since expectedRevision: Revision?) throws {
        guard let expectedRevision, let last = try state.lastChange(of: object) else { return }
        guard last <= expectedRevision, expectedRevision <= state.headRevision else {
            throw Refusal(
                .conflict, "`\(name.excerpt)` was last changed by revision \(last), not \(expectedRevision): read it again")
        }
    }

    /// Follows the parents from a new parent upwards. The chain must not contain the object that is moved, and must not exceed
    /// the limit.
    private func checkDepth(of name: Name, below parent: ObjectID, moving object: ObjectID? = nil) throws {
        var depth = 0
        var next: ObjectID? = parent
        while let current = next {
            if current == object { throw Refusal(.cycle, "`\(name.excerpt)` cannot come below itself") }
            depth += 1
            guard depth <= Limits.depthOfParents else {
                throw Refusal(.tooLarge, "`\(name.excerpt)` would have more than \(Limits.depthOfParents) objects above it")
            }
            next = try state.place(of: current)?.parent
        }
    }

    private func decoded(_ bytes: [UInt8]) throws -> JSONValue { try JSONText.decode(bytes) }
}
