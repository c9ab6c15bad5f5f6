internal import EventLog
public import Events
public import Permissions
internal import Projections

/// A name for a set of privileges, as histories use them.
public struct Level: Hashable, Sendable {
    public let name: String
    public let privileges: [String]

    public init(name: String, privileges: [String]) {
        self.name = name
        self.privileges = privileges
    }
}

/// What one commit changed in a user's access.
public struct AccessChange: Hashable, Sendable {
    /// The request id of the commit: the `id` of an imported transaction.
    public let id: String?
    public let revision: Revision
    /// Sorted by object.
    public let changes: [LevelChange]
}

/// The highest level that a user held in full on an object, before and after.
public struct LevelChange: Hashable, Sendable {
    public let object: String
    public let before: String?
    public let after: String?
}

extension Store {
    /// Every commit that changed which levels a user holds on some object, in order.
    ///
    /// Costs what the commits touched and the user can meet: only objects that a commit is about, or that name a role which the
    /// user won or lost, are looked at before and after.
    public func accessChanges(for user: Name, levels: [Level]) throws -> [AccessChange] {
        if let problem = user.problem { throw problem }
        return try withReader { reader in
            guard let caller = try reader.caller(user) else { return [] }
            let ordered = try levels.sorted { $0.privileges.count < $1.privileges.count }.map { level in
                (name: level.name, privileges: try known(level.privileges, in: reader))
            }
            var changes: [AccessChange] = []
            var walk = AccessWalk(reader: reader, caller: caller, levels: ordered)
            try log.read { log in
                try log.forEachCommit(from: .genesis, to: reader.state.revision) { commit, _ in
                    let found = try walk.changes(of: commit)
                    if !found.isEmpty {
                        changes.append(AccessChange(id: commit.origin.requestID, revision: commit.revision, changes: found))
                    }
                }
            }
            return changes
        }
    }

    private func known(_ names: [String], in reader: IndexReader) throws -> Privileges {
        try names.reduce(into: []) { privileges, name in
            guard let privilege = reader.privilege(name) else {
                throw Refusal(.malformed, "the store knows no privilege called `\(name)`, which a level names")
            }
            privileges.formUnion(privilege)
        }
    }
}

/// Walks a log and compares a caller's access before and after each commit.
private struct AccessWalk {
    let reader: IndexReader
    let caller: PrincipalID
    let levels: [(name: String, privileges: Privileges)]
    private var previousTime = Instant.distantPast

    init(reader: IndexReader, caller: PrincipalID, levels: [(name: String, privileges: Privileges)]) {
        self.reader = reader
        self.caller = caller
        self.levels = levels
    }

    mutating func changes(of commit: Commit) throws -> [LevelChange] {
        defer { previousTime = commit.time }
        guard commit.revision > .genesis else { return [] }
        let before = Revision(commit.revision.rawValue - 1)
        let touched = try touchedObjects(commit, before)
        guard !touched.isEmpty else { return [] }
        let earlier = try held(on: touched, at: before, min(previousTime, commit.time))
        let later = try held(on: touched, at: commit.revision, commit.time)
        return try touched.filter { earlier[$0] != later[$0] }
            .map { LevelChange(object: try reader.name(of: $0), before: earlier[$0], after: later[$0]) }
            .sorted { $0.object.utf8.lexicographicallyPrecedes($1.object.utf8) }
    }

    /// The highest level held in full on each of some objects.
    private func held(on objects: Set<ObjectID>, at revision: Revision, _ instant: Instant) throws -> [ObjectID: String] {
        reader.look(at: revision)
        let subjects = try reader.subjects(of: caller)
        let rules = AccessRules(reader, at: instant)
        var held: [ObjectID: String] = [:]
        for object in objects {
            let verdict = try rules.verdict(for: subjects, on: object)
            held[object] = levels.last { verdict.allows($0.privileges) }?.name
        }
        return held
    }

    /// The objects on which a commit may have changed the caller's access.
    private func touchedObjects(_ commit: Commit, _ before: Revision) throws -> Set<ObjectID> {
        reader.look(at: before)
        let subjectsBefore = try reader.subjects(of: caller)
        reader.look(at: commit.revision)
        let subjectsAfter = try reader.subjects(of: caller)
        let difference = Set(subjectsBefore.members).symmetricDifference(subjectsAfter.members)
        var touch = Touch(subjects: Set(subjectsBefore.members).union(subjectsAfter.members), reader: reader)
        touch.isEverything = subjectsBefore.isAdministrator != subjectsAfter.isAdministrator
        for event in commit.events { try touch.add(event) }
        if !touch.isEverything, !difference.isEmpty { touch.isEverything = try namesAbove(difference, [before, commit.revision]) }
        var found: Set<ObjectID> = []
        for revision in [before, commit.revision] {
            reader.look(at: revision)
            if touch.isEverything {
                found.formUnion(try reader.possiblyAccessible(for: try reader.subjects(of: caller)))
            } else {
                found.formUnion(try reader.tree(of: Array(touch.objects)))
                if !difference.isEmpty { found.formUnion(try reader.objectsNaming(Array(difference))) }
            }
        }
        // The objects of built-in classes are not what users' access is reported on.
        return try found.filter { object in try isOfDefinedClass(object, before, commit.revision) }
    }

    private func isOfDefinedClass(_ object: ObjectID, _ before: Revision, _ after: Revision) throws -> Bool {
        for revision in [before, after] {
            reader.look(at: revision)
            if let place = try reader.place(of: object) { return !place.classID.isBuiltIn }
        }
        return false
    }

    /// Whether the store or a class names any of some subjects: then winning or losing one can change access to any object.
    private func namesAbove(_ subjects: Set<PrincipalID>, _ revisions: [Revision]) throws -> Bool {
        for revision in revisions {
            reader.look(at: revision)
            for object in [ObjectID.store] + (try reader.definedClasses().map { ObjectID($0) }) {
                let entries = try reader.entries(on: object, at: .distantPast)
                if entries.contains(where: { subjects.contains($0.subject) }) { return true }
            }
            if try reader.anyClassReadsThroughLinks() { return true }
        }
        return false
    }
}

/// What the events of a commit are about, as far as some subjects can meet it.
private struct Touch {
    let subjects: Set<PrincipalID>
    let reader: IndexReader
    var objects: Set<ObjectID> = []
    /// Whether access to any object may have changed.
    var isEverything = false

    init(subjects: Set<PrincipalID>, reader: IndexReader) {
        self.subjects = subjects
        self.reader = reader
    }

    mutating func add(_ event: Event) throws {
        switch event {
        case .accessGranted(let event): try addEntry(of: event.subject, on: event.object)
        case .accessRevoked(let event): try addEntry(of: event.subject, on: event.object)
        case .accessExpired(let event): try addEntry(of: event.subject, on: event.object)
        case .objectCreated(let event):
            objects.insert(event.object.id)
            if !event.links.isEmpty { isEverything = true }
        case .objectMoved(let event): objects.insert(event.object)
        case .objectDeleted(let event):
            objects.insert(event.object)
            if try reader.anyClassReadsThroughLinks() { isEverything = true }
        case .objectWritten: if try reader.anyClassReadsThroughLinks() { isEverything = true }
        case .classDefined, .classChanged, .permissionChanged, .permissionAttached, .permissionDetached, .storeCreated:
            isEverything = true
        case .roleDeleted, .memberAdded, .memberRemoved, .roleCreated, .principalRegistered, .ownerChanged, .permissionDefined,
            .administratorAppointed, .administratorDismissed:
            // These change whom the caller counts as, which is compared by itself, or nothing.
            break
        }
    }

    private mutating func addEntry(of subject: PrincipalID, on object: ObjectID) throws {
        guard subjects.contains(subject) else { return }
        if try object == .store || reader.place(of: object)?.classID == .class {
            isEverything = true
        } else {
            objects.insert(object)
        }
        if try reader.anyClassReadsThroughLinks() { isEverything = true }
    }
}
