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

    func revoke(_ event: AccessRevoked) throws {
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
        guard var document = try self.object(object) else { throw FoldingError.unknownObject(object, revision) }
        let place = document.entries.firstIndex { $0.subject >= subject } ?? document.entries.count
        let before: AccessEntry?
        if document.isSpread {
            before = try relation(.entry, object.rawValue, subject.rawValue)?.entry
        } else {
            before = place < document.entries.count && document.entries[place].subject == subject ? document.entries[place] : nil
        }
        var entry = before ?? AccessEntry(subject: subject)
        change(&entry)
        guard entry != before, !(entry.isEmpty && before == nil) else { return }
        try work.count(WorkMeter.change)
        setExpiries(of: entry, instead: before, on: object)
        if document.isSpread {
            try relate(.entry, object.rawValue, subject.rawValue, entry.isEmpty ? nil : .entry(entry))
        } else {
            if before == nil {
                document.entries.insert(entry, at: place)
            } else if entry.isEmpty {
                document.entries.remove(at: place)
            } else {
                document.entries[place] = entry
            }
            if document.entries.count > ObjectDocument.inlineEntries { try spread(&document, object) }
            objects.set(object, document, at: revision)
        }
        try relate(.grant, subject.rawValue, object.rawValue, entry.grantRelation)
        if object == .store || document.classID == .class { state.schemaRevision = revision }
    }

    /// Moves each entry of an object to a separate row.
    private func spread(_ document: inout ObjectDocument, _ object: ObjectID) throws {
        for entry in document.entries {
            try relate(.entry, object.rawValue, entry.subject.rawValue, .entry(entry))
        }
        document.isSpread = true
        document.entries = []
    }

    private func setExpiries(of entry: AccessEntry, instead before: AccessEntry?, on object: ObjectID) {
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
