internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// Reads the views that a user has of objects at several revisions, during one look.
struct ReplicaReader {
    let reader: IndexReader
    /// The present time: access may have ended before the log records it.
    let now: Instant
    private(set) var subscriber: NamedSubscriber
    private let classes: Set<ClassID>
    /// The subjects of the user at the reader's revision.
    private var subjects: SubjectSet
    private var revision: Revision
    /// Whether the user may read an object above others, at the reader's revision.
    private var readableParents: [ObjectID: Bool] = [:]
    private var privileges: [TimedPrivileges: [ReplicaPrivilege]] = [:]
    private var classNames: [ClassID: String] = [:]

    init(_ reader: IndexReader, for subscriber: NamedSubscriber, classes: Set<ClassID>, now: Instant) throws {
        (self.reader, self.classes, self.now, self.subscriber) = (reader, classes, now, subscriber)
        revision = reader.revision
        subjects = try self.subscriber.subjects(reader).subjects
    }

    mutating func move(to revision: Revision) throws {
        reader.move(to: revision)
        guard revision != self.revision else { return }
        self.revision = revision
        subjects = try subscriber.subjects(reader).subjects
        readableParents.removeAll(keepingCapacity: true)
    }

    // MARK: Objects

    /// A user's view of an object at a revision. `lastChange` represents the value.
    struct View: Hashable {
        let created: Revision
        let lastChange: Revision
        let classID: ClassID
        let parent: ObjectID?
        let privileges: TimedPrivileges
    }

    /// Returns the user's view of an object of the replica's classes; nil if it does not exist or the user may not read it.
    mutating func view(of object: ObjectID) throws -> View? {
        guard let place = try reader.place(of: object), classes.contains(place.classID) else { return nil }
        let privileges = try reader.timedPrivileges(of: subjects, on: object)
        guard privileges.effective.contains(.read), let version = try reader.version(of: object) else { return nil }
        return try view(of: version, privileges)
    }

    /// Returns the same, for an object whose version at the reader's revision is known.
    mutating func view(of object: ObjectID, as version: ObjectVersion?) throws -> View? {
        guard let version, classes.contains(version.classID) else { return nil }
        let privileges = try reader.timedPrivileges(of: subjects, on: object)
        return privileges.effective.contains(.read) ? try view(of: version, privileges) : nil
    }

    private mutating func view(of version: ObjectVersion, _ privileges: TimedPrivileges) throws -> View {
        var parent = version.parent
        if let above = parent, try !isReadableParent(above) { parent = nil }
        return View(
            created: version.created, lastChange: version.lastChange, classID: version.classID, parent: parent,
            privileges: privileges)
    }

    /// Whether the user may read an object of a class that is not built in.
    func isReadable(_ object: ObjectID) throws -> Bool {
        guard let place = try reader.place(of: object), !place.classID.isBuiltIn else { return false }
        return try AccessRules(reader, at: .distantPast).verdict(for: subjects, on: object, wanted: .read).allows(.read)
    }

    private mutating func isReadableParent(_ object: ObjectID) throws -> Bool {
        if let known = readableParents[object] { return known }
        let isReadable = try isReadable(object)
        readableParents[object] = isReadable
        return isReadable
    }

    /// Whether an earlier view of an object may be sent now.
    enum Permission {
        case allowed
        /// A commit has changed the access since that revision.
        case denied
        /// Access has ended, and the end is not recorded yet.
        case unsettled
    }

    /// Must be called at the head.
    func permission(toSend view: View, of object: ObjectID) throws -> Permission {
        let permission = try permission(toRead: object)
        guard permission == .allowed else { return permission }
        // An object of the same name that was created later is another object.
        guard try reader.version(of: object)?.created == view.created else { return .denied }
        return try view.parent.map { try self.permission(toRead: $0) } ?? .allowed
    }

    private func permission(toRead object: ObjectID) throws -> Permission {
        if try isReadableNow(object) { return .allowed }
        return try isReadable(object) ? .unsettled : .denied
    }

    /// Whether no end has passed that the log does not record yet, for an object that the user may read.
    func isReadableNow(_ object: ObjectID) throws -> Bool {
        try AccessRules(reader, at: now).verdict(for: subjects, on: object, wanted: .read).allows(.read)
    }

    /// Returns an object with its value at the revision of its view.
    mutating func object(_ object: ObjectID, _ view: View) throws -> ReplicaPart.Object {
        ReplicaPart.Object(
            name: try reader.name(of: object), className: try className(view.classID),
            value: try reader.value(of: object) ?? Array("null".utf8), changed: view.lastChange,
            parent: try view.parent.map { try reader.name(of: $0) }, privileges: named(view.privileges))
    }

    private mutating func className(_ classID: ClassID) throws -> String {
        if let known = classNames[classID] { return known }
        let name = Name(try reader.name(of: classID)).id ?? ""
        classNames[classID] = name
        return name
    }

    // MARK: Privileges

    /// Returns the privileges of the user on the objects of some classes: creating in them, querying them.
    func classPrivileges(_ classes: [ClassID]) throws -> [TimedPrivileges] {
        try classes.map { try reader.timedPrivileges(of: subjects, onClass: $0) }
    }

    mutating func named(_ timed: TimedPrivileges) -> [ReplicaPrivilege] {
        if let known = privileges[timed] { return known }
        let names = reader.state.privilegeNames
        let found = names.names(of: timed.effective).map { name in
            let end = timed.end(of: names.privilege(name) ?? [])
            return ReplicaPrivilege(name: name, until: end == .forever ? nil : end)
        }
        privileges[timed] = found
        return found
    }

    // MARK: Waiting

    /// Returns the subjects of the user. A commit that affects none of them changes no view.
    mutating func keys() throws -> Set<UInt64> { try AffectedSubscribers.keys(of: &subscriber, reader) }
}
