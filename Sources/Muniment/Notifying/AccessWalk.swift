internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// Goes through the objects to which a commit may have changed a subscriber's access, and compares that before and after.
///
/// What it looks at follows what the commit touched and the subscriber can meet: the objects that events are about, what is below
/// them and inherits, what names a subject that the subscriber began or ceased to count as. It can stop after any number of objects
/// and go on later, with another reader; what it finds is the same then.
struct AccessWalk: Sendable {
    let revision: Revision
    private let earlier: Revision
    private let before: Viewer
    private let after: Viewer
    /// Objects that the commit created, perhaps in the place of one that it deleted.
    private let created: Set<ObjectID>

    /// Relations to look through, each from a number on; the next one last.
    private var scans: [(relation: TouchedRelation, from: UInt64)] = []
    /// Objects to compare, the next one last.
    private var pending: [ObjectID] = []
    private var seen: Set<ObjectID> = []
    private var scannedClasses: Set<ClassID> = []
    private var scannedSubjects: Set<PrincipalID> = []
    private let classLinks: ClassLinks

    /// Nil where the commit cannot have changed anything for the subscriber.
    init?(_ commit: Commit, for viewpoint: inout Viewpoint, _ reader: IndexReader) throws {
        guard commit.revision > .genesis else { return nil }
        revision = commit.revision
        earlier = Revision(commit.revision.rawValue - 1)
        reader.look(at: earlier)
        let before = try viewpoint.viewer(reader)
        reader.look(at: revision)
        let after = try viewpoint.viewer(reader)
        (self.before, self.after) = (before, after)
        let touches = commit.events.compactMap { $0.touch { before.meets($0) || after.meets($0) } }
        // A role that comes to hold everyone is then no reason of the subscriber's own any more, though it counts as it before and after.
        let changed = before.subjects.difference(from: after.subjects).union(before.strangers.difference(from: after.strangers))
        let isAppointment = before.subjects.isAdministrator != after.subjects.isAdministrator
        guard !touches.isEmpty || !changed.isEmpty || isAppointment else { return nil }
        created = Set(
            commit.events.compactMap { if case .objectCreated(let event) = $0 { event.object.id } else { nil } })
        classLinks = try reader.classLinksEver()
        for subject in changed.sorted() { scan(subject) }
        for touch in touches { try add(touch, reader) }
        if isAppointment { scans += try definedClasses(reader).map { (.instances(of: $0), 0) } }
        guard !scans.isEmpty || !pending.isEmpty else { return nil }
    }

    // MARK: Where to look

    private mutating func add(_ touch: Touch, _ reader: IndexReader) throws {
        switch touch {
        case .object(let object): pending.append(object)
        case .links(let object): try addLinks(from: object, reader)
        case .classOptions(let classID):
            // For an administrator a class's options alone decide.
            if before.subjects.isAdministrator || after.subjects.isAdministrator {
                scans.append((.instances(of: classID), 0))
            } else {
                try scan(classID, reader)
            }
        case .deletedRole(let role):
            let permissions = try reader.related(.permissions(for: role), at: earlier, or: earlier).found
            pending += ([role.rawValue] + permissions).map(ObjectID.init(rawValue:))
        case .permission(let permission):
            if try isMet(permission, reader) { scans.append((.attachments(of: permission), 0)) }
        case .attachment(let permission, let object):
            if try isMet(permission, reader) { pending.append(object) }
        }
    }

    private func isMet(_ permission: PermissionID, _ reader: IndexReader) throws -> Bool {
        for revision in [earlier, revision] {
            reader.look(at: revision)
            if let subject = try reader.subject(of: permission), before.meets(subject) || after.meets(subject) { return true }
        }
        return false
    }

    private mutating func addLinks(from object: ObjectID, _ reader: IndexReader) throws {
        guard classLinks.readThroughLinks else { return }
        for revision in [earlier, revision] {
            reader.look(at: revision)
            pending += try reader.links(from: object).map(\.target)
        }
    }

    /// Looks through what names a subject.
    private mutating func scan(_ subject: PrincipalID) {
        guard scannedSubjects.insert(subject).inserted else { return }
        scans.append((.entries(of: subject), 0))
        scans.append((.permissions(for: subject), 0))
    }

    /// Looks through the objects of a class, or where only naming gives access to them, through what names the subscriber.
    private mutating func scan(_ classID: ClassID, _ reader: IndexReader) throws {
        guard scannedClasses.insert(classID).inserted else { return }
        var isSelective = true
        for revision in [earlier, revision] where isSelective {
            reader.look(at: revision)
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

// MARK: - Going on

extension AccessWalk {
    /// An object to compare, and what is found of it.
    private struct Candidate {
        let object: ObjectID
        var classes: (before: ClassID?, after: ClassID?) = (nil, nil)
        var access: (before: ObjectAccess, after: ObjectAccess) = (.absent, .absent)

        var classID: ClassID? { classes.after ?? classes.before }
    }

    /// Compares the next objects, and hands out how access to each became another.
    ///
    /// - Parameters:
    ///   - limit: how many objects to look at, at most.
    ///   - reader: a view of the index that has this revision.
    ///   - body: takes the steps, in an order that is the same every time.
    /// - Returns: whether there is more to look at.
    mutating func goOn(_ limit: Int, _ reader: IndexReader, _ body: (AccessStep) throws -> Void) throws -> Bool {
        var candidates = try take(limit, reader)
        guard !candidates.isEmpty else { return false }
        // What had ended by a revision's time is in the log before that revision, so no clock is needed.
        let rules = AccessRules(reader, at: .distantPast)
        for index in candidates.indices {
            let object = candidates[index].object
            reader.look(at: earlier)
            (candidates[index].classes.before, candidates[index].access.before) = try rules.look(at: object, for: before)
            reader.look(at: revision)
            (candidates[index].classes.after, candidates[index].access.after) = try rules.look(at: object, for: after)
        }
        for candidate in candidates {
            let object = candidate.object
            try expand(candidate, reader)
            let (before, after) = candidate.access
            let step = AccessStep(object: object, before: before, after: after, isAnother: created.contains(object))
            if before != after || step.isAnother { try body(step) }
        }
        return !scans.isEmpty || !pending.isEmpty
    }

    /// Takes the next objects that were not looked at yet.
    private mutating func take(_ limit: Int, _ reader: IndexReader) throws -> [Candidate] {
        var candidates: [Candidate] = []
        while candidates.count < limit {
            if let next = pending.popLast() {
                if seen.insert(next).inserted { candidates.append(Candidate(object: next)) }
            } else if let (relation, first) = scans.popLast() {
                let (found, next) = try reader.related(
                    relation, from: first, limit: limit - candidates.count, at: earlier, or: revision)
                if let next { scans.append((relation, next)) }
                if case .permissions = relation {
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

    /// Adds what rests on an object: what is below it, what it stands for, what it links to.
    private mutating func expand(_ candidate: Candidate, _ reader: IndexReader) throws {
        let object = candidate.object
        // Everything below goes with it, also what came to be below it with this commit: that has an event of its own.
        if candidate.classes.before != nil, candidate.classes.after == nil || created.contains(object) {
            pending += try reader.related(.children(of: object), at: earlier, or: earlier).found.map(ObjectID.init(rawValue:))
        }
        if let classID = candidate.classID {
            if classLinks.inheritedFrom.contains(classID) {
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
            reader.look(at: revision)
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
    /// The class of an object, and what somebody's notices of it depend on; nothing for objects of built-in classes.
    fileprivate func look(at object: ObjectID, for viewer: Viewer) throws -> (ClassID?, ObjectAccess) {
        guard let classID = try state.place(of: object)?.classID else { return (nil, .absent) }
        return (classID, classID.isBuiltIn ? .absent : try access(of: viewer, to: object))
    }
}

extension SubjectSet {
    /// The subjects that only one of two sets has.
    fileprivate func difference(from other: SubjectSet) -> Set<PrincipalID> {
        self === other ? [] : Set(members).symmetricDifference(other.members)
    }
}
