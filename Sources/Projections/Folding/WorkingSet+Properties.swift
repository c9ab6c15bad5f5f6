internal import Events
internal import Permissions

/// What events do to the index of properties.
extension WorkingSet {
    /// Takes up what an object has in the properties that its class names, after its value or its class has changed.
    func indexProperties(of object: ObjectID, in classID: ClassID, value: [UInt8]?) throws {
        guard !classID.isBuiltIn else { return }
        let slots = try propertySlots(classID)
        // Most classes never named any: their objects are not even looked for.
        guard !slots.names.isEmpty, let names = try classOptions(classID)?.properties else { return }
        let before = try objectProperties(object)
        try work.count(WorkMeter.change * names.count + (value?.count ?? 0) / WorkMeter.readBytes)
        let value = try names.isEmpty ? nil : value.map(JSONText.decode)
        var items: [ObjectProperties.Item] = []
        for name in Set(names.map(ExactText.init)).map(\.text) {
            guard let slot = slots[name] else { continue }
            let key = PropertyKey(value?[name])
            let known = before?.items.first { $0.slot == slot && $0.key == key }
            items.append(known ?? ObjectProperties.Item(slot: slot, key: key, begin: revision))
        }
        items.sort { $0.slot < $1.slot }
        properties.set(object, items.isEmpty ? nil : ObjectProperties(classID: classID, items: items), at: revision)
    }

    /// Gives slots to the properties that a class names for the first time, and takes up or drops what all its objects have in
    /// those that were added or left out. Linear in the number of the objects where the properties have changed.
    func indexProperties(of classID: ClassID, before: [String], after: [String]) throws {
        guard !classID.isBuiltIn, Set(before.map(ExactText.init)) != Set(after.map(ExactText.init)) else { return }
        var slots = try propertySlots(classID)
        for name in after where slots[name] == nil { slots.names.append(name) }
        self.slots.set(classID, slots, at: revision)
        for object in try allObjects(of: classID) {
            try indexProperties(of: object, in: classID, value: valueDocument(object)?.json)
        }
    }

    func endProperties(of object: ObjectID, in classID: ClassID) throws {
        guard !classID.isBuiltIn, try !propertySlots(classID).names.isEmpty, try objectProperties(object) != nil else { return }
        properties.set(object, nil, at: revision)
    }

    /// The objects of a class, those in memory and those in the index.
    private func allObjects(of classID: ClassID) throws -> [ObjectID] {
        try work.count(objects.count)
        var found = Set(objects.slots.filter { $0.value.value?.classID == classID }.keys)
        if !isIndexEmpty {
            let prefix = RelationPrefix(kind: .instance, first: classID.rawValue)
            for number in try reader.seconds(prefix, willRead: { try work.count(WorkMeter.load) }) {
                let object = ObjectID(rawValue: number)
                if try self.object(object)?.classID == classID { found.insert(object) }
            }
        }
        return found.sorted()
    }

    /// Makes the rows of a version that has ended: of what the object had in it and has no more.
    func encodeEnded(_ version: EndedVersion<ObjectID, ObjectProperties>) {
        let present = properties.slots[version.id]?.value?.items ?? []
        for item in version.value.items where !present.contains(item) {
            pending.properties.put(
                PropertyRow.key(.past, version.value.classID, item, version.id), end: version.end)
            if item.begin <= writtenRevision {
                pending.properties.delete(PropertyRow.key(.present, version.value.classID, item, version.id))
            }
        }
    }
}
