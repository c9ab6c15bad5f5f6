public import Events
public import Permissions

/// What a subscriber is told: one way in which its access to one object became another with one commit.
///
/// Notices are derived from the difference between two revisions and are stored nowhere (CONFORMANCE E6, F9–F13). One step can give
/// several notices for one object: an object that is made public and taken from its named users at once is `madePublic` and
/// `unshared`.
public struct Notice: Hashable, Sendable {
    /// The revision that made it so.
    public let revision: Revision
    public let kind: Kind
    /// An object of a class that is not built in.
    public let object: Name
    /// The privileges won, sorted; empty but for `privilegesChanged`.
    public let gained: [String]
    /// The privileges lost, sorted; empty but for `privilegesChanged`.
    public let lost: [String]
    /// Whether the subscriber could read the object before this revision: one that is made public or shared is then no new one.
    public let wasAccessible: Bool
    /// Whether this is the last notice of its revision for this subscriber: whoever has handled it goes on behind the revision, and
    /// whoever has not begins again at the one before.
    public internal(set) var completesRevision: Bool

    public init(
        revision: Revision, kind: Kind, object: Name, gained: [String] = [], lost: [String] = [], wasAccessible: Bool,
        completesRevision: Bool = false
    ) {
        self.revision = revision
        self.kind = kind
        self.object = object
        self.gained = gained
        self.lost = lost
        self.wasAccessible = wasAccessible
        self.completesRevision = completesRevision
    }

    /// The same as the last of its revision.
    public var last: Notice {
        var notice = self
        notice.completesRevision = true
        return notice
    }

    /// The meanings, for a subscriber and the step from one revision to the next (SCENARIOS.md, “Notices, exactly”).
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The object is there no more, and could be read before.
        case deleted
        /// The object can be read no more, for whatever reason, and is still there.
        case madeInaccessible
        /// A caller who is named nowhere can read it no more; the subscriber still can.
        case madePrivate
        /// Any signed-in caller can read it now, the subscriber among them.
        case madePublic
        /// What the subscriber may do to it besides reading is another set than before.
        case privilegesChanged
        /// The subscriber can read it for a reason of its own now: an entry for it or a role of its own, or because it administers.
        case shared
        /// That reason is gone; the subscriber can still read it.
        case unshared
    }
}

extension Notice: Comparable {
    /// The order of revisions; within one by kind and object, by their bytes.
    public static func < (left: Notice, right: Notice) -> Bool {
        if left.revision != right.revision { return left.revision < right.revision }
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        return left.object < right.object
    }
}
