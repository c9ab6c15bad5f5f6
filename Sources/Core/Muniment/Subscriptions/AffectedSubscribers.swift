internal import Events
internal import Notices
internal import Permissions
internal import Projections

/// The subscribers a commit may affect, by the numbers of their subjects and these two keys.
enum AffectedSubscribers {
    /// The administrators of the store, affected by every created or deleted object.
    static let administrators = UInt64.max
    /// Subscribers that are unknown to the store, and roles that do not exist.
    static let unknownSubscribers = UInt64.max - 1
    /// The maximum number of events in a commit, and of objects, for computing the subscribers.
    private static let limit = 256

    /// Returns the numbers of the subscribers a commit may affect; nil if it may affect any.
    ///
    /// It is computed once for all waiters. A superset: it contains every subscriber with changed access, and may contain others.
    ///
    /// - Parameters:
    ///   - commit: the commit.
    ///   - readsValues: whether the subscribers also receive the values, parents and owners of the objects that they may read, and
    ///     their privileges on classes.
    ///   - reader: a view of the index that contains the commit.
    static func subjects(of commit: Commit, readsValues: Bool = false, _ reader: IndexReader) throws -> Set<UInt64>? {
        guard commit.revision > .genesis, commit.events.count <= limit else { return nil }
        var search = Search(reader: reader, revision: commit.revision, readsValues: readsValues)
        for event in commit.events { guard try search.add(event.effect) else { return nil } }
        return search.subjects
    }

    /// Returns the keys of a waiting subscriber that has processed everything up to the reader's revision.
    static func keys(of subscriber: inout NamedSubscriber, _ reader: IndexReader) throws -> Set<UInt64> {
        let subjects = try subscriber.subjects(reader)
        var keys = Set(subjects.members.map(\.rawValue))
        if subjects.subjects.isAdministrator { keys.insert(administrators) }
        let name = subscriber.name
        if name.kind == .role || name.kind == .caller, try reader.object(name) == nil { keys.insert(unknownSubscribers) }
        return keys
    }

    private struct Search {
        let reader: IndexReader
        let revision: Revision
        let readsValues: Bool
        var subjects: Set<UInt64> = []
        var objectsLeft = AffectedSubscribers.limit

        var earlier: Revision { Revision(revision.rawValue - 1) }

        /// Adds the subscribers an event may affect; returns false if it may affect any.
        mutating func add(_ effect: EventEffect) throws -> Bool {
            switch effect {
            case .entry(let subject, _), .membership(let subject, _), .administrator(let subject):
                subjects.insert(subject.rawValue)
            case .registered, .created(_, in: .role, _, _): subjects.insert(AffectedSubscribers.unknownSubscribers)
            case .permission(let permission, _):
                try add(permission)
                // The commit may also have deleted the permission, with the role that it was changed to.
                return try reader.related(.children(of: ObjectID(permission)), limit: 1, at: earlier, or: earlier).found.isEmpty
            case .attachment(let permission, _): try add(permission)
            case .created(let object, let classID, _, _):
                // An administrator, or a caller with entries above all classes, has privileges on a new class.
                guard !classID.isBuiltIn else { return !readsValues || classID != .class }
                subjects.insert(AffectedSubscribers.administrators)
                return try addNamed(on: object, at: revision)
            case .deleted(let object):
                subjects.insert(AffectedSubscribers.administrators)
                return try addTree(object, at: earlier)
            case .moved(let object, _):
                if readsValues { subjects.insert(AffectedSubscribers.administrators) }
                return try addTree(object, at: earlier) && addTree(object, at: revision)
            case .written(let object):
                guard try !reader.classLinksEver().readThroughLinks else { return false }
                return try !readsValues || addReaders(of: object)
            case .roleDeleted(let role):
                subjects.insert(role.rawValue)
                // It may have objects below it, or below a permission for it.
                return try reader.related(.permissions(for: role), at: earlier, or: earlier).found.isEmpty
                    && reader.related(.children(of: ObjectID(role)), limit: 1, at: earlier, or: earlier).found.isEmpty
            case .options: return false
            case .owner(_, let object): return try !readsValues || addReaders(of: object)
            case .clock: break
            }
            return true
        }

        /// Adds the subscribers that may read an object after the commit. The others, who could read it before, are affected by
        /// another event.
        private mutating func addReaders(of object: ObjectID) throws -> Bool {
            subjects.insert(AffectedSubscribers.administrators)
            return try addNamed(on: object, at: revision)
        }

        private mutating func add(_ permission: PermissionID) throws {
            for revision in [earlier, revision] {
                reader.move(to: revision)
                if let subject = try reader.subject(of: permission) { subjects.insert(subject.rawValue) }
            }
        }

        /// Adds the subjects named on an object or on an object below it.
        private mutating func addTree(_ root: ObjectID, at revision: Revision) throws -> Bool {
            var pending = [root]
            while let object = pending.popLast() {
                guard try addNamed(on: object, at: revision) else { return false }
                // One more than the limit is enough to exceed it.
                let below = try reader.related(.children(of: object), limit: objectsLeft + 1, at: revision, or: revision).found
                pending += below.map(ObjectID.init(rawValue:))
            }
            return true
        }

        private mutating func addNamed(on object: ObjectID, at revision: Revision) throws -> Bool {
            guard objectsLeft > 0, try !reader.classLinksEver().readThroughLinks else { return false }
            objectsLeft -= 1
            reader.move(to: revision)
            guard let named = try reader.subjectsMeeting(object) else { return false }
            for subject in named { subjects.insert(subject.rawValue) }
            return true
        }
    }
}
