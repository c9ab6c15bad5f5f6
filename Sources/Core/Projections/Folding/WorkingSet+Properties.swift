internal import Events
internal import Permissions

/// The effects of events on the index of properties.
extension WorkingSet {
    /// Updates the indexed properties of an object after its value or its class has changed.
    func indexProperties(of object: ObjectID, in classID: ClassID, value: [UInt8]?) throws {
        guard !classID.isBuiltIn else { return }
        let slots = try propertySlots(classID)
        // Most classes never name a property: their objects need no lookup.
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

    /// Assigns slots to the properties that a class names for the first time, and updates all its objects for added or removed
    /// properties. Linear in the number of objects if the properties have changed.
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

    /// Returns the objects of a class, in memory and in the index.
    private func allObjects(of classID: ClassID) throws -> [ObjectID] {
        try work.count(objects.count)
        var found = Set(objects.slots.lazy.filter { $0.value?.classID == classID }.map(\.id))
        if !isIndexEmpty {
            let prefix = RelationPrefix.instances(of: classID)
            for number in try reader.seconds(prefix, willRead: { try work.count(WorkMeter.load) }) {
                let object = ObjectID(rawValue: number)
                if try self.object(object)?.classID == classID { found.insert(object) }
            }
        }
        return found.sorted()
    }

    /// Adds the rows of an ended version, for the values that the object does not have any longer.
    func encodeEnded(_ object: ObjectID, _ ended: ObjectProperties, at end: Revision) {
        let present = properties.position(of: object).flatMap { properties.slots[$0].value?.items } ?? []
        for item in ended.items where !present.contains(item) {
            pastProperties.add(PropertyRow.key(.past, ended.classID, item, object), end: end)
            if item.begin <= writtenRevision {
                pastProperties.add(PropertyRow.key(.present, ended.classID, item, object), end: nil)
            }
        }
    }
}
