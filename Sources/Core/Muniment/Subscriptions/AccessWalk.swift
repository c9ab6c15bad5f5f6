internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// Compares a subscriber's access before and after a commit, for all objects on which it may have changed.
///
/// It examines the objects of the events, the objects below them that inherit, and the objects with entries for a subject that
/// the subscriber has gained or lost. It can stop after any number of objects and continue later with another reader, with the
/// same result.
struct AccessWalk: Sendable {
    let revision: Revision
    private let earlier: Revision
    private let before: SubscriberSubjects
    private let after: SubscriberSubjects
    /// Objects of defined classes that the commit created, possibly after deleting another object of the same name.
    private var created: Set<ObjectID> = []

    /// Relations to examine, each with the number to start from. The last element is examined next.
    private var scans: [(relation: RelationPrefix, from: UInt64)] = []
    /// Objects to compare. The last element is compared next.
    private var pending: [ObjectID] = []
    private var seen: Set<ObjectID> = []
    private var scannedClasses: Set<ClassID> = []
    private var scannedSubjects: Set<PrincipalID> = []

    /// Returns nil if the commit cannot have changed the subscriber's access.
    init?(_ commit: Commit, for subscriber: inout NamedSubscriber, _ reader: IndexReader) throws {
        guard commit.revision > .genesis else { return nil }
        revision = commit.revision
        earlier = Revision(commit.revision.rawValue - 1)
        reader.move(to: earlier)
        let before = try subscriber.subjects(reader)
        reader.move(to: revision)
        let after = try subscriber.subjects(reader)
        (self.before, self.after) = (before, after)
        // If `everyone` becomes a member of a role, the role stops being specific to the subscriber, although it stays one of its
        // subjects.
        let changed = before.subjects.difference(from: after.subjects).union(before.unlisted.difference(from: after.unlisted))
        let isAppointment = before.subjects.isAdministrator != after.subjects.isAdministrator
        for subject in changed.sorted() { scan(subject) }
        for event in commit.events { try add(event.effect, reader) }
        if isAppointment { scans += try definedClasses(reader).map { (.instances(of: $0), 0) } }
        guard !scans.isEmpty || !pending.isEmpty else { return nil }
    }

    // MARK: Finding candidates

    /// Adds the objects that an effect can change the subscriber's access to. Changes of the subscriber's own subjects are
    /// detected separately.
    private mutating func add(_ effect: EventEffect, _ reader: IndexReader) throws {
        switch effect {
        case .entry(let subject, let object): if isRelevant(subject) { pending.append(object) }
        case .created(let object, let classID, _, _):
            guard !classID.isBuiltIn else { break }
            created.insert(object)
            pending.append(object)
        case .moved(let object, _), .deleted(let object): pending.append(object)
        case .written(let object): try addLinks(from: object, reader)
        case .options(let classID):
            // An administrator has every privilege of the class, so only its options can change their access.
            if before.subjects.isAdministrator || after.subjects.isAdministrator {
                scans.append((.instances(of: classID), 0))
            } else {
                try scan(classID, reader)
            }
        case .roleDeleted(let role):
            // The objects below the role, and below the permissions for it.
            let permissions = try reader.related(.permissions(for: role), at: earlier, or: earlier).found
            let ended = ([role.rawValue] + permissions).map(ObjectID.init(rawValue:))
            pending += ended
            // The commit may also have created the role or a permission again, without its entries and the objects below it.
            scans += ended.map { (.children(of: $0), 0) }
            if isRelevant(role) { scan(role) }
        case .permission(let permission, _):
            // The commit may also have deleted the permission, with the role that it was changed to.
            pending.append(ObjectID(permission))
            scans.append((.children(of: ObjectID(permission)), 0))
            if try isRelevant(permission, reader) { scans.append((.attachments(of: permission), 0)) }
        case .attachment(let permission, let object): if try isRelevant(permission, reader) { pending.append(object) }
        case .registered, .owner, .membership, .administrator, .clock: break
        }
    }

    /// Whether a grant to a subject can be relevant to the subscriber.
    private func isRelevant(_ subject: PrincipalID) -> Bool { before.meets(subject) || after.meets(subject) }

    private func isRelevant(_ permission: PermissionID, _ reader: IndexReader) throws -> Bool {
        for revision in [earlier, revision] {
            reader.move(to: revision)
            if let subject = try reader.subject(of: permission), isRelevant(subject) { return true }
        }
        return false
    }

    private mutating func addLinks(from object: ObjectID, _ reader: IndexReader) throws {
        guard try reader.classLinksEver().readThroughLinks else { return }
        for revision in [earlier, revision] {
            reader.move(to: revision)
            pending += try reader.links(from: object).map(\.target)
        }
    }

    /// Examines the entries and permissions for a subject.
    private mutating func scan(_ subject: PrincipalID) {
        guard scannedSubjects.insert(subject).inserted else { return }
        scans.append((.entries(for: subject), 0))
        scans.append((.permissions(for: subject), 0))
    }

    /// Examines the objects of a class. If access to them requires an entry, examines only the entries and permissions for the
    /// subscriber's subjects.
    private mutating func scan(_ classID: ClassID, _ reader: IndexReader) throws {
        guard scannedClasses.insert(classID).inserted else { return }
        var isSelective = true
        for revision in [earlier, revision] where isSelective {
            reader.move(to: revision)
            isSelective = try reader.isSelective(classID)
        }
        if isSelective {
            for subject in before.members.union(after.members).sorted() { scan(subject) }
        } else {
            scans.append((.instances(of: classID), 0))
        }
    }

    private func definedClasses(_ reader: IndexReader) throws -> [ClassID] {
        try reader.related(.instances(of: .class), at: earlier, or: revision).found
            .map(ClassID.init(rawValue:)).filter { !$0.isBuiltIn }
    }
}

// MARK: - Comparing

extension AccessWalk {
    private struct Candidate {
        let object: ObjectID
        var classes: (before: ClassID?, after: ClassID?) = (nil, nil)
        var access: (before: ObjectAccess, after: ObjectAccess) = (.absent, .absent)

        var classID: ClassID? { classes.after ?? classes.before }
    }

    /// Compares the next objects, and calls `body` with each change of access.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of objects to examine.
    ///   - reader: a view of the index that contains this revision.
    ///   - body: receives the steps, in a reproducible order.
    /// - Returns: whether more objects remain.
    mutating func resume(_ limit: Int, _ reader: IndexReader, _ body: (ObjectAccessChange) throws -> Void) throws -> Bool {
        var candidates = try take(limit, reader)
        guard !candidates.isEmpty else { return false }
        // Every expiry before the commit time of a revision is recorded in an earlier revision, so no clock is needed.
        let rules = AccessRules(reader, at: .distantPast)
        reader.move(to: earlier)
        for index in candidates.indices {
            (candidates[index].classes.before, candidates[index].access.before) = try rules.classAndAccess(
                of: candidates[index].object, for: before)
        }
        reader.move(to: revision)
        for index in candidates.indices {
            (candidates[index].classes.after, candidates[index].access.after) = try rules.classAndAccess(
                of: candidates[index].object, for: after)
        }
        for candidate in candidates {
            let object = candidate.object
            try expand(candidate, reader)
            let (before, after) = candidate.access
            let step = ObjectAccessChange(object: object, before: before, after: after, isAnother: created.contains(object))
            if before != after || step.isAnother { try body(step) }
        }
        return !scans.isEmpty || !pending.isEmpty
    }

    /// Finds the next objects without comparing the access: for a comparison of other revisions.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of objects to examine.
    ///   - reader: a view of the index that contains this revision.
    ///   - body: receives the objects, of built-in classes too.
    /// - Returns: whether more objects remain.
    mutating func find(_ limit: Int, _ reader: IndexReader, _ body: (ObjectID) -> Void) throws -> Bool {
        for var candidate in try take(limit, reader) {
            reader.move(to: earlier)
            candidate.classes.before = try reader.place(of: candidate.object)?.classID
            reader.move(to: revision)
            candidate.classes.after = try reader.place(of: candidate.object)?.classID
            try expand(candidate, reader)
            body(candidate.object)
        }
        return !scans.isEmpty || !pending.isEmpty
    }

    private mutating func take(_ limit: Int, _ reader: IndexReader) throws -> [Candidate] {
        var candidates: [Candidate] = []
        while candidates.count < limit {
            if let next = pending.popLast() {
                if seen.insert(next).inserted { candidates.append(Candidate(object: next)) }
            } else if let (relation, first) = scans.popLast() {
                let (found, next) = try reader.related(
                    relation, from: first, limit: limit - candidates.count, at: earlier, or: revision)
                if let next { scans.append((relation, next)) }
                if relation.kind == .permissionFor {
                    scans += found.map { (.attachments(of: PermissionID(rawValue: $0)), 0) }
                    continue
                }
                for number in found {
                    let object = ObjectID(rawValue: number)
                    guard seen.insert(object).inserted else { continue }
                    candidates.append(Candidate(object: object))
                }
            } else {
                break
            }
        }
        return candidates
    }

    /// Adds the objects that depend on an object: those below it, those of its class if it is `class:NAME`, and those that it
    /// links to.
    private mutating func expand(_ candidate: Candidate, _ reader: IndexReader) throws {
        let object = candidate.object
        // Deleting an object deletes all objects below it. An object that this commit moved there has a separate event.
        if candidate.classes.before != nil, candidate.classes.after == nil || created.contains(object) {
            pending += try reader.related(.children(of: object), at: earlier, or: earlier).found.map(ObjectID.init(rawValue:))
        }
        if let classID = candidate.classID {
            if try reader.classLinksEver().inheritedFrom.contains(classID) {
                let below = try reader.related(.children(of: object), at: earlier, or: revision).found
                pending += try below.map(ObjectID.init(rawValue:)).filter { try inherits($0, reader) }
            }
            if classID == .class, !ClassID(object).isBuiltIn { try scan(ClassID(object), reader) }
            if classID == .store { for classID in try definedClasses(reader) { try scan(classID, reader) } }
        }
        try addLinks(from: object, reader)
    }

    /// Whether the class of an object inherits, before or after.
    private func inherits(_ object: ObjectID, _ reader: IndexReader) throws -> Bool {
        for revision in [revision, earlier] {
            reader.move(to: revision)
            if let classID = try reader.place(of: object)?.classID, let options = try reader.options(of: classID),
                !options.inherits.isEmpty
            {
                return true
            }
        }
        return false
    }
}

extension AccessRules where State == IndexReader {
    /// Returns the class of an object, and the data that a subscriber's notices of it depend on; empty for objects of built-in
    /// classes.
    fileprivate func classAndAccess(of object: ObjectID, for subscriber: SubscriberSubjects) throws -> (ClassID?, ObjectAccess) {
        guard let classID = try state.place(of: object)?.classID else { return (nil, .absent) }
        return (classID, classID.isBuiltIn ? .absent : try access(of: subscriber, to: object))
    }
}

extension SubjectSet {
    /// Returns the subjects that only one of two sets contains.
    fileprivate func difference(from other: SubjectSet) -> Set<PrincipalID> {
        self === other ? [] : Set(members).symmetricDifference(other.members)
    }
}
