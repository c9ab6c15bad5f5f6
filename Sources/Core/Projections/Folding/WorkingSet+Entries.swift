internal import Events
internal import Permissions

/// The effects of access events on entries and derived relations.
extension WorkingSet {
    func grant(_ event: AccessGranted) throws {
        try changeEntry(of: event.subject, on: event.object) { entry in
            entry.grant(event.privileges, until: event.until)
            if event.cause == .permanentCreator { entry.permanent = event.privileges }
        }
    }

    func revoke(_ event: AccessLoss) throws {
        let known = try knownPrivileges(on: event.object)
        try changeEntry(of: event.subject, on: event.object) { $0.revoke(event.privileges, known: known) }
    }

    /// Returns the privileges that the class of an object supports; for the object `class:NAME`, those of that class.
    private func knownPrivileges(on object: ObjectID) throws -> Privileges {
        let classID = try self.object(object)?.classID ?? .store
        return try classOptions(classID == .class ? ClassID(object) : classID)?.known ?? .builtIn
    }

    func entries(of document: ObjectDocument, _ object: ObjectID) throws -> [AccessEntry] {
        guard document.isSpread else { return document.entries }
        return try related(.entry, object.rawValue).compactMap { try relation(.entry, object.rawValue, $0)?.entry }
    }

    /// Changes the entry of a subject on an object, with the relation from subject to object and the pending ends.
    func changeEntry(
        of subject: PrincipalID, on object: ObjectID, _ change: (inout AccessEntry) -> Void
    ) throws {
        let position = try position(of: object)
        guard let found = objects.slots[position].value?.entry(of: subject) else {
            throw FoldingError.unknownObject(object, revision)
        }
        let before = found.isSpread ? try relation(.entry, object.rawValue, subject.rawValue)?.entry : found.entry
        var entry = before ?? AccessEntry(subject: subject)
        change(&entry)
        guard entry != before, !(entry.isEmpty && before == nil) else { return }
        try work.count(WorkMeter.change)
        setExpiries(of: entry, instead: before, on: object)
        let revision = revision
        objects.change(position, at: revision) { document in
            document.lastAccessChange = revision
            if document.isSpread { return }
            if before == nil {
                document.entries.insert(entry, at: found.place)
            } else if entry.isEmpty {
                document.entries.remove(at: found.place)
            } else {
                document.entries[found.place] = entry
            }
        }
        if found.isSpread {
            try relate(.entry, object.rawValue, subject.rawValue, entry.isEmpty ? nil : .entry(entry))
        } else {
            try spreadIfLong(object, position)
        }
        try relate(.grant, subject.rawValue, object.rawValue, entry.grantRelation, isNew: before == nil)
        if object == .store || found.classID == .class { state.schemaRevision = revision }
    }

    /// Moves each entry of an object to a separate row if it has too many for its document.
    private func spreadIfLong(_ object: ObjectID, _ position: Int) throws {
        guard let count = objects.slots[position].value?.entries.count, count > ObjectDocument.inlineEntries else { return }
        for entry in objects.slots[position].value?.entries ?? [] {
            try relate(.entry, object.rawValue, entry.subject.rawValue, .entry(entry))
        }
        objects.change(position, at: revision) { document in
            document.isSpread = true
            document.entries = []
        }
    }

    private func setExpiries(of entry: AccessEntry, instead before: AccessEntry?, on object: ObjectID) {
        if entry.ending.isEmpty, before?.ending.isEmpty ?? true { return }
        let old = Set(before?.ending.map(\.until) ?? [])
        let new = Set(entry.ending.map(\.until))
        guard old != new else { return }
        for until in old.subtracting(new) {
            setExpiry(Expiry(until: until, object: object, subject: entry.subject), isPending: false)
        }
        for until in new.subtracting(old) {
            setExpiry(Expiry(until: until, object: object, subject: entry.subject), isPending: true)
        }
    }

    func schemaChangedIfAbove(_ object: ObjectID) throws {
        if try object == .store || self.object(object)?.classID == .class { state.schemaRevision = revision }
    }
}

extension ObjectDocument {
    /// Returns the entry of a subject in this document, and its place in the list. If the entries are in separate rows, the entry is
    /// nil.
    fileprivate func entry(
        of subject: PrincipalID
    ) -> (entry: AccessEntry?, place: Int, isSpread: Bool, classID: ClassID) {
        let place = entries.firstIndex { $0.subject >= subject } ?? entries.count
        let isThere = place < entries.count && entries[place].subject == subject
        return (isThere ? entries[place] : nil, place, isSpread, classID)
    }
}
