internal import EventLog
internal import Events
internal import Permissions
internal import Projections

/// Determines which data of a store an audience may read. All such decisions are made here (CONFORMANCE E15).
///
/// An unrestricted audience may read everything. A caller may read about an object only if it exists now, and only revisions since
/// its last creation:
/// - its value at a revision, if the caller may read it now and could read it then;
/// - its events and its entries, if the caller may set permissions on it now;
/// - its existence, if the caller may do either now.
///
/// A caller may not know who else administers the store. Results about other subjects use their entries, roles and levels only.
///
/// About itself, a caller may always know the access that it was given and that was removed, including its role memberships. It may
/// not know anything about an earlier object of the same name.
final class Disclosure {
    private let reader: IndexReader
    /// Nil for an unrestricted audience.
    private let caller: Caller?
    private var objects: [ObjectID: Standing?] = [:]
    private var memberships: [Revision: Set<PrincipalID>] = [:]
    /// The last event of a commit that wrote each object, of the commit asked about last.
    private var lastWrites: (revision: Revision, indices: [ObjectID: Int])?

    private struct Caller {
        let name: Name
        /// Nil if the caller is unknown to the store.
        let principal: PrincipalID?
        let instant: Instant
    }

    /// The privileges of the caller on an object that exists now.
    private struct Standing {
        let created: Revision
        let classID: ClassID
        let privileges: Privileges
    }

    /// - Parameter reader: may be moved to any revision. It is moved back to its first revision after each query.
    init(to audience: Audience, _ reader: IndexReader) throws {
        self.reader = reader
        switch audience {
        case .unrestricted: caller = nil
        case .caller(let name, let instant): caller = Caller(name: name, principal: try reader.caller(name), instant: instant)
        }
    }

    var isUnrestricted: Bool { caller == nil }

    /// Returns whether the audience may always query a subject: the subject is the caller itself, or the audience is unrestricted.
    func isOwn(_ subject: Name) -> Bool { caller.map { $0.name == subject } ?? true }

    // MARK: Administrators

    /// Returns whether the audience may know that a principal administers the store. A caller may know this about itself only.
    func tellsAdministration(of principal: PrincipalID) -> Bool { caller.map { $0.principal == principal } ?? true }

    /// Returns the subjects that a principal counts as in results for the audience. If the audience may not know that the principal
    /// is an administrator, it counts by its entries, roles and levels only.
    func redacted(_ subjects: SubjectSet) -> SubjectSet {
        tellsAdministration(of: subjects.caller) ? subjects : subjects.withoutAdministration
    }

    // MARK: Objects

    /// Returns the first revision of an object that the audience may read; nil if it may read nothing of the object.
    func firstRevision(of object: ObjectID) throws -> Revision? {
        caller == nil ? .genesis : try standing(on: object)?.created
    }

    /// Returns whether the audience may know that the current object already existed at a revision.
    func isPresent(_ object: ObjectID, at revision: Revision) throws -> Bool {
        try firstRevision(of: object).map { $0 <= revision } ?? false
    }

    /// Returns whether the audience may read an object's entries and events.
    func mayKnowEntries(on object: ObjectID, at revision: Revision) throws -> Bool {
        try privileges(on: object, at: revision).contains(.setPermissions)
    }

    /// Returns whether the audience may know that an object exists, and its name.
    func mayKnow(_ object: ObjectID, at revision: Revision) throws -> Bool {
        try !privileges(on: object, at: revision).isDisjoint(with: [.read, .setPermissions])
    }

    /// Returns whether the audience may read the value of an object at a revision.
    func mayKnowValue(of object: ObjectID, at revision: Revision) throws -> Bool {
        guard try privileges(on: object, at: revision).contains(.read) else { return false }
        guard let principal = caller?.principal else { return true }
        return try looking(at: revision) { try reader.access(of: principal, .read, to: object).isAllowed }
    }

    /// Returns the present privileges of the audience on an object; none if the object was created after a revision.
    private func privileges(on object: ObjectID, at revision: Revision) throws -> Privileges {
        guard caller != nil else { return .all }
        return try standing(on: object).flatMap { $0.created <= revision ? $0.privileges : nil } ?? []
    }

    private func standing(on object: ObjectID) throws -> Standing? {
        if let known = objects[object] { return known }
        guard let caller else { return nil }
        let found = try looking(at: reader.state.revision) { () -> Standing? in
            guard let place = try reader.place(of: object),
                let created = try reader.beginning(of: .object(object, place.classID))
            else { return nil }
            let subjects = try reader.subjects(of: caller.principal ?? .everyone)
            let verdict = try AccessRules(reader, at: caller.instant).verdict(for: subjects, on: object, wanted: .all)
            return Standing(created: created, classID: place.classID, privileges: verdict.effective)
        }
        objects[object] = .some(found)
        return found
    }

    /// Returns whether access of a subject belongs to the caller: the subject is the caller, one of its roles, or everyone.
    private func isOwn(_ subject: PrincipalID, at revision: Revision) throws -> Bool {
        guard let caller else { return true }
        guard let principal = caller.principal else { return subject == .everyone || subject == .anonymous }
        if subject == principal { return true }
        // A role that the caller left or lost in this revision was its role before.
        for looked in [Revision(max(revision.rawValue, 1) - 1), revision] {
            let members = try memberships[looked] ?? looking(at: looked) { Set(try reader.subjects(of: principal).members) }
            memberships[looked] = members
            if members.contains(subject) { return true }
        }
        return false
    }

    /// Returns whether an object is the store or a class, so that its entries are levels.
    private func isLevel(_ object: ObjectID) throws -> Bool {
        try object == .store || reader.place(of: object)?.classID == .class
    }

    private func looking<R>(at revision: Revision, _ body: () throws -> R) rethrows -> R {
        let present = reader.revision
        reader.move(to: revision)
        defer { reader.move(to: present) }
        return try body()
    }

    // MARK: Events

    /// Returns the parts of an event to withhold from the audience; nil if the audience may not know the event.
    ///
    /// - Parameters:
    ///   - event: an event of the commit.
    ///   - index: the index of the event in the commit, from 0.
    func withheld(of event: Event, _ index: Int, in commit: Commit) throws -> WithheldParts? {
        guard let caller else { return [] }
        let revision = commit.revision
        func isPast(_ object: ObjectID) throws -> Bool {
            // The same commit can delete an object and create another one with its name.
            guard let standing = try standing(on: object), standing.created == revision else { return false }
            let creation = commit.events.lastIndex { Fact.object(object, standing.classID).isMade(by: $0) }
            return creation.map { index < $0 } ?? false
        }
        func entriesAreKnown(on object: ObjectID) throws -> Bool {
            try mayKnowEntries(on: object, at: revision) && !isPast(object)
        }
        func access(_ subject: PrincipalID, on object: ObjectID) throws -> WithheldParts? {
            if try subject == caller.principal || entriesAreKnown(on: object) { return [] }
            return try isOwn(subject, at: revision) && mayKnow(object, at: revision) && !isPast(object) ? [] : nil
        }
        func content(_ object: ObjectID, parent: ObjectID?) throws -> WithheldParts {
            var withheld: WithheldParts = []
            // No revision had a value that the same commit replaced. Its own caller knows it.
            let isReplaced = commit.actor != caller.principal && lastWrite(of: object, in: commit).map { index < $0 } ?? false
            if try isReplaced || isPast(object) || !mayKnowValue(of: object, at: revision) { withheld.insert(.value) }
            if let parent, try !mayKnow(parent, at: revision) { withheld.insert(.parent) }
            return withheld
        }
        switch event.effect {
        case .created(let permission, in: .permission, _, let subject?): return try access(subject, on: permission)
        case .created(let object, let classID, let parent, let owner):
            guard try owner.map({ $0 == caller.principal }) ?? false || entriesAreKnown(on: object) else { return nil }
            return try classID.isBuiltIn ? [] : content(object, parent: parent)
        case .registered(let principal):
            return try principal == caller.principal || entriesAreKnown(on: ObjectID(principal)) ? [] : nil
        case .written(let object): return try entriesAreKnown(on: object) ? content(object, parent: nil) : nil
        case .moved(let object, let parent): return try entriesAreKnown(on: object) ? content(object, parent: parent) : nil
        // A deleted object does not exist now. An object of its name is a later one.
        case .deleted: return nil
        case .owner(let owner, let object): return try owner == caller.principal || entriesAreKnown(on: object) ? [] : nil
        case .options(let classID): return try entriesAreKnown(on: ObjectID(classID)) ? [] : nil
        case .entry(let subject, let object): return try access(subject, on: object)
        case .membership(let member, let role):
            return try member == caller.principal || entriesAreKnown(on: ObjectID(role)) ? [] : nil
        case .roleDeleted(let role): return try isOwn(role, at: revision) ? [] : nil
        case .permission(let permission, let subject): return try access(subject, on: ObjectID(permission))
        case .attachment(_, let object): return try entriesAreKnown(on: object) ? [] : nil
        case .administrator(let principal): return principal == caller.principal ? [] : nil
        case .clock: return try entriesAreKnown(on: .store) ? [] : nil
        }
    }

    /// Returns the index of the last event of a commit that wrote an object; nil without one.
    private func lastWrite(of object: ObjectID, in commit: Commit) -> Int? {
        if let lastWrites, lastWrites.revision == commit.revision { return lastWrites.indices[object] }
        var indices: [ObjectID: Int] = [:]
        for (index, event) in commit.events.enumerated() { if case .written(let object) = event.effect { indices[object] = index } }
        lastWrites = (commit.revision, indices)
        return indices[object]
    }

    /// Returns the wanted events of a commit that the audience may read, and the parts of the commit's origin that it may read.
    ///
    /// - Parameter isWanted: returns whether an event is part of the query.
    func events(
        of commit: Commit, where isWanted: (Int, Event) throws -> Bool
    ) throws -> (events: [(index: Int, withheld: WithheldParts)], origin: Origin) {
        var found: [(index: Int, withheld: WithheldParts)] = []
        for (index, event) in commit.events.enumerated() where try isWanted(index, event) {
            if let withheld = try withheld(of: event, index, in: commit) { found.append((index, withheld)) }
        }
        // The origin of a commit can concern any of its events.
        let isWhole =
            try commit.actor == caller?.principal
            || commit.events.indices.allSatisfy { index in
                try withheld(of: commit.events[index], index, in: commit) == []
            }
        return (found, isWhole ? commit.origin : Origin())
    }

    /// Returns whether an event concerns an object, or ended a membership of the caller.
    func isAbout(_ asked: ObjectID, _ event: Event, at revision: Revision) throws -> Bool {
        let effect = event.effect
        if effect.objects.contains(asked) || effect.subject == PrincipalID(asked) { return true }
        switch effect {
        case .created(_, _, let parent, _), .moved(_, let parent): return parent == asked
        case .roleDeleted(let role): return try asked == caller?.principal.map { ObjectID($0) } && isOwn(role, at: revision)
        default: return false
        }
    }

    // MARK: Explanations

    /// Returns an explanation without the steps that the audience may not know.
    func redacted(_ witness: Witness, about asked: ObjectID?) throws -> Witness {
        guard let caller else { return witness }
        let isOwn = witness.subject == caller.name
        let isThere = try asked.map { try isPresent($0, at: witness.revision) } ?? false

        func isKnown(_ object: ObjectID) throws -> Bool {
            try object == asked ? isThere : mayKnow(object, at: witness.revision)
        }
        func entryIsKnown(_ subject: PrincipalID?, on object: ObjectID) throws -> Bool {
            if isOwn { return try subject == caller.principal || isLevel(object) || isKnown(object) }
            return try object == asked ? isThere : mayKnowEntries(on: object, at: witness.revision)
        }
        func isKnown(_ fact: Fact) throws -> Bool {
            switch fact {
            case .object(let object, _): try isKnown(object)
            case .child(let child, let parent): try isKnown(child) && isKnown(parent)
            // These are disclosed only with the objects and entries of their path.
            case .options, .permission: true
            case .member(let member, let role):
                try isOwn || member == caller.principal || mayKnowEntries(on: ObjectID(role), at: witness.revision)
            case .entry(let subject, let object, _, _): try entryIsKnown(subject, on: object)
            case .attachment(_, let object): try entryIsKnown(nil, on: object)
            case .link(let source, let target): try isKnown(source) && isKnown(target)
            case .administrator: isOwn
            }
        }
        var explanation = witness
        func withoutOrigin(_ fact: WitnessedFact) -> WitnessedFact {
            guard fact.citation.actor != caller.principal else { return fact }
            var fact = fact
            fact.citation.origin = Origin()
            return fact
        }
        func way(_ path: WitnessedPath) throws -> WitnessedPath {
            var path = path
            // A role's members, the roles between and the times are disclosed with the role. A grant to the role is disclosed with
            // the entry.
            let memberships = path.facts.filter { if case .member = $0.fact { true } else { false } }
            if try !memberships.allSatisfy({ try isKnown($0.fact) }) {
                path.facts.removeAll { memberships.contains($0) }
                path.beginning = nil
                explanation.isComplete = false
            }
            guard try path.facts.allSatisfy({ try isKnown($0.fact) }), try path.sources.allSatisfy({ try isKnown($0.object) })
            else {
                explanation.isComplete = false
                (path.facts, path.sources, path.beginning) = ([], [], isOwn ? path.beginning : nil)
                return path
            }
            path.facts = path.facts.map(withoutOrigin)
            path.sources = try path.sources.map { source in
                var source = source
                source.classLevel = try source.classLevel.map(way)
                source.objectPart = try source.objectPart.map(way)
                return source
            }
            return path
        }
        explanation.appointment = isOwn ? witness.appointment.map(withoutOrigin) : nil
        explanation.storeLevel = try witness.storeLevel.map(way)
        if var target = witness.target {
            target.classLevel = try target.classLevel.map(way)
            target.objectPart = try target.objectPart.map(way)
            explanation.target = target
        }
        return explanation
    }
}

/// The parts of an event that are withheld from an audience.
package struct WithheldParts: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The new value of an object.
    package static let value = WithheldParts(rawValue: 1)
    /// The new parent of an object.
    package static let parent = WithheldParts(rawValue: 2)
}
