public import Events

/// A part of a step of a replica (``Store/replica(of:classes:after:containing:)``).
///
/// A step is one `begin`, any number of `objects` and one `end`. The replica applies it as a whole at `end`. A `begin` discards the
/// parts of a step that has not ended, except if it resumes a fill.
public enum ReplicaPart: Hashable, Sendable {
    /// The beginning of a step. A fill has a position; it can be resumed there.
    case begin(ReplicaStepKind, position: ReplicaPosition?)
    case objects(ReplicaObjects)
    case end(ReplicaEnd)
}

/// The kind of a step.
public enum ReplicaStepKind: Hashable, Sendable {
    /// Every object is sent. The replica removes all others at the end.
    case fill(Reason)
    /// The difference from the replica's revision.
    case changes(after: Revision)

    /// The reason for a fill.
    public enum Reason: Hashable, Sendable {
        /// The replica is new, has other classes, or is too many commits late.
        case first
        /// A fill that was interrupted continues. The replica keeps the objects that it has received.
        case resumed
        /// The store does not contain the replica's revision: it was restored from a backup.
        case restored
    }
}

/// Some objects of a step, in the order to apply: first the removed ones.
public struct ReplicaObjects: Hashable, Sendable {
    /// The names of objects that the user cannot read any longer.
    public internal(set) var removed: [String] = []
    public internal(set) var changed: [ReplicaPart.Object] = []
    /// In a fill, the position to resume it after these objects.
    public internal(set) var position: ReplicaPosition?

    var isEmpty: Bool { removed.isEmpty && changed.isEmpty }
}

extension ReplicaPart {
    /// An object that the user may read.
    public struct Object: Hashable, Sendable {
        public let name: String
        /// Its class, without `class:`.
        public let className: String
        /// Its value as JSON in UTF-8, on one line.
        public let value: [UInt8]
        /// The revision of the last change of its value, parent or owner.
        public let changed: Revision
        /// Its parent, if that is an object of a class that is not built in and the user may read it.
        public let parent: String?
        /// The privileges of the user on it.
        public let privileges: [ReplicaPrivilege]
    }
}

/// A privilege of the user.
public struct ReplicaPrivilege: Hashable, Sendable {
    public let name: String
    /// When it ends if no further commit is made; nil if it does not end.
    public let until: Instant?
}

/// The end of a step: the replica now has the state of a revision.
public struct ReplicaEnd: Hashable, Sendable {
    public let revision: Revision
    /// The time of the revision.
    public let time: Instant
    public let position: ReplicaPosition
    /// The classes of the replica and the privileges of the user on them, sorted by name.
    public let classes: [ReplicaClass]
}

/// A class of a replica.
public struct ReplicaClass: Hashable, Sendable {
    /// Its name, without `class:`.
    public let name: String
    /// The privileges of the user at the level of the class: creating in it, querying it.
    public let privileges: [ReplicaPrivilege]
}
