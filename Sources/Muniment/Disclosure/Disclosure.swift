internal import EventLog
internal import Events
internal import Permissions
internal import Projections

/// What an audience may know of a store: the one place that judges it (CONFORMANCE E15).
///
/// An unrestricted audience may know everything. A caller may know, of an object that exists now and at revisions from its last
/// creation on:
/// - its value at a revision, if the caller may read it now and could read it then;
/// - what happened to it and who has what on it, if the caller may set permissions on it now;
/// - that it exists, if the caller may do either now.
///
/// Who administers the store it may know of nobody but itself: an answer about others is by their entries, roles and levels.
///
/// Of itself a caller may know at any time what it was given and what was taken from it, the roles that it is a member of included.
/// What an earlier object of the same name was, it may not know.
final class Disclosure {
    private let reader: IndexReader
    /// Nil for an unrestricted audience.
    private let caller: Caller?
    private var objects: [ObjectID: Standing?] = [:]
    private var memberships: [Revision: Set<PrincipalID>] = [:]

    private struct Caller {
        let name: Name
        /// Nil if the store never heard of it.
        let principal: PrincipalID?
        let instant: Instant
    }

    /// What the caller has on an object that exists now.
    private struct Standing {
        let created: Revision
        let classID: ClassID
        let privileges: Privileges
    }

    /// - Parameter reader: may be turned to any revision; it is turned back to that revision after each question.
    init(to audience: Audience, _ reader: IndexReader) throws {
        self.reader = reader
        switch audience {
        case .unrestricted: caller = nil
        case .caller(let name, let instant): caller = Caller(name: name, principal: try reader.caller(name), instant: instant)
        }
    }

    /// Whether a question about a subject is one that the audience may ask at any time: it is the caller itself, or may know all.
    func isOwn(_ subject: Name) -> Bool { caller.map { $0.name == subject } ?? true }

    // MARK: Administrators

    /// Whether the audience may know that somebody administers the store: of itself a caller may, of others not.
    func tellsAdministration(of principal: PrincipalID) -> Bool { caller.map { $0.principal == principal } ?? true }

    /// What a principal counts as for an answer to the audience: an administrator of whom it may not know that is judged by its
    /// entries, roles and levels alone.
    func told(_ subjects: SubjectSet) -> SubjectSet {
        tellsAdministration(of: subjects.caller) ? subjects : subjects.withoutAdministration
    }

    // MARK: Objects

    /// The revision at which an object's past begins for the audience; nil if it may know nothing of it.
    func firstRevision(of object: ObjectID) throws -> Revision? {
        caller == nil ? .genesis : try standing(on: object)?.created
    }

    /// Whether the audience may know that an object existed at a revision, as the one that exists now.
    func isPresent(_ object: ObjectID, at revision: Revision) throws -> Bool {
        try firstRevision(of: object).map { $0 <= revision } ?? false
    }

    /// Whether the audience may know of an object's entries and of what happened to it.
    func mayKnowEntries(on object: ObjectID, at revision: Revision) throws -> Bool {
        guard caller != nil else { return true }
        guard let standing = try standing(on: object), standing.created <= revision else { return false }
        return standing.privileges.contains(.setPermissions)
    }

    /// Whether the audience may know that an object exists, and its name.
    func mayKnow(_ object: ObjectID, at revision: Revision) throws -> Bool {
        guard caller != nil else { return true }
        guard let standing = try standing(on: object), standing.created <= revision else { return false }
        return !standing.privileges.isDisjoint(with: [.read, .setPermissions])
    }

    /// Whether the audience may know the value that an object had at a revision.
    func mayKnowValue(of object: ObjectID, at revision: Revision) throws -> Bool {
        guard let caller else { return true }
        guard let standing = try standing(on: object), standing.created <= revision, standing.privileges.contains(.read) else {
            return false
        }
        guard let principal = caller.principal else { return true }
        return try looking(at: revision) { try reader.access(of: principal, .read, to: object).isAllowed }
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

    /// Whether an access of a subject is the caller's own: the subject is the caller, a role that it counted as, or everyone.
    private func isOwn(_ subject: PrincipalID, at revision: Revision) throws -> Bool {
        guard let caller else { return true }
        guard let principal = caller.principal else { return subject == .everyone || subject == .anonymous }
        if subject == principal { return true }
        // A role that was left, or that ended, with this revision was the caller's until then.
        for looked in [Revision(max(revision.rawValue, 1) - 1), revision] {
            let members: Set<PrincipalID>
            if let known = memberships[looked] {
                members = known
            } else {
                members = Set(try looking(at: looked) { try reader.subjects(of: principal).members })
                memberships[looked] = members
            }
            if members.contains(subject) { return true }
        }
        return false
    }

    /// Whether an object is the store or a class, whose entries are levels.
    private func isLevel(_ object: ObjectID) throws -> Bool {
        try object == .store || reader.place(of: object)?.classID == .class
    }

    private func looking<R>(at revision: Revision, _ body: () throws -> R) rethrows -> R {
        let present = reader.revision
        reader.look(at: revision)
        defer { reader.look(at: present) }
        return try body()
    }

    // MARK: Events

    /// What is kept back of an event that the audience may know of; nil for an event that it may not know of.
    ///
    /// - Parameters:
    ///   - event: an event of the commit.
    ///   - index: which event of the commit it is, from 0.
    func withheld(of event: Event, _ index: Int, in commit: Commit) throws -> WithheldParts? {
        guard let caller else { return [] }
        let revision = commit.revision
        func isPast(_ object: ObjectID) throws -> Bool {
            // The same commit can delete an object and create another one under its name.
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
            if try isPast(object) || !mayKnowValue(of: object, at: revision) { withheld.insert(.value) }
            if let parent, try !mayKnow(parent, at: revision) { withheld.insert(.parent) }
            return withheld
        }
        switch event {
        case .storeCreated: return try entriesAreKnown(on: .store) ? [] : nil
        case .classDefined(let event): return try entriesAreKnown(on: ObjectID(event.classID.id)) ? [] : nil
        case .classChanged(let event): return try entriesAreKnown(on: ObjectID(event.classID)) ? [] : nil
        case .principalRegistered(let event):
            return try event.principal.id == caller.principal || entriesAreKnown(on: ObjectID(event.principal.id)) ? [] : nil
        case .roleCreated(let event): return try entriesAreKnown(on: ObjectID(event.role.id)) ? [] : nil
        case .roleDeleted(let event): return try isOwn(event.role, at: revision) ? [] : nil
        case .memberAdded(let event): return try membership(event.member, event.role, entriesAreKnown)
        case .memberRemoved(let event): return try membership(event.member, event.role, entriesAreKnown)
        case .objectCreated(let event):
            guard try event.owner == caller.principal || entriesAreKnown(on: event.object.id) else { return nil }
            return try content(event.object.id, parent: event.parent)
        case .objectWritten(let event):
            return try entriesAreKnown(on: event.object) ? content(event.object, parent: nil) : nil
        case .objectMoved(let event):
            return try entriesAreKnown(on: event.object) ? content(event.object, parent: event.parent) : nil
        // An object that was deleted exists no more, or is the earlier one of its name.
        case .objectDeleted: return nil
        case .ownerChanged(let event):
            return try event.owner == caller.principal || entriesAreKnown(on: event.object) ? [] : nil
        case .accessGranted(let event): return try access(event.subject, on: event.object)
        case .accessRevoked(let event): return try access(event.subject, on: event.object)
        case .accessExpired(let event): return try access(event.subject, on: event.object)
        case .permissionDefined(let event): return try access(event.subject, on: ObjectID(event.permission.id))
        case .permissionChanged(let event): return try access(event.subject, on: ObjectID(event.permission))
        case .permissionAttached(let event): return try entriesAreKnown(on: event.object) ? [] : nil
        case .permissionDetached(let event): return try entriesAreKnown(on: event.object) ? [] : nil
        case .administratorAppointed(let event): return event.principal == caller.principal ? [] : nil
        case .administratorDismissed(let event): return event.principal == caller.principal ? [] : nil
        case .clockCorrected: return try entriesAreKnown(on: .store) ? [] : nil
        }
    }

    private func membership(
        _ member: PrincipalID, _ role: PrincipalID, _ entriesAreKnown: (ObjectID) throws -> Bool
    ) throws -> WithheldParts? {
        try member == caller?.principal || entriesAreKnown(ObjectID(role)) ? [] : nil
    }

    /// The events of a commit that are asked about and that the audience may know of, and what it may know of the commit's origin.
    ///
    /// - Parameter isWanted: whether an event is asked about.
    func events(
        of commit: Commit, where isWanted: (Int, Event) throws -> Bool
    ) throws -> (events: [(index: Int, withheld: WithheldParts)], origin: Origin) {
        var found: [(index: Int, withheld: WithheldParts)] = []
        for (index, event) in commit.events.enumerated() where try isWanted(index, event) {
            if let withheld = try withheld(of: event, index, in: commit) { found.append((index, withheld)) }
        }
        // What the actor said of a commit can be about any of its events.
        let isWhole =
            try commit.actor == caller?.principal
            || commit.events.indices.allSatisfy { index in
                try withheld(of: commit.events[index], index, in: commit) == []
            }
        return (found, isWhole ? commit.origin : Origin())
    }

    /// Whether an event is about something, or ended a membership of the caller.
    func isAbout(_ asked: ObjectID, _ event: Event, at revision: Revision) throws -> Bool {
        if event.auditObjects.contains(asked) || event.auditSubject == PrincipalID(asked) { return true }
        switch event {
        case .objectCreated(let event): return event.parent == asked
        case .objectMoved(let event): return event.parent == asked
        case .roleDeleted(let event): return try asked == caller?.principal.map { ObjectID($0) } && isOwn(event.role, at: revision)
        default: return false
        }
    }

    // MARK: Explanations

    /// An explanation without the steps that the audience may not know of.
    func told(_ witness: Witness, about asked: ObjectID?) throws -> Witness {
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
            // These are told with the objects and entries of their way, or not at all.
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
            // Whom a role holds, through which other roles and since when, is told with the role; that it is granted something here,
            // with the entry.
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

/// What is kept back of an event that an audience may know of.
package struct WithheldParts: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value that an object got.
    package static let value = WithheldParts(rawValue: 1)
    /// The object that another one was put in.
    package static let parent = WithheldParts(rawValue: 2)
}
