public import Events
internal import Permissions

/// A notification for a subscriber about one change of its access to one object by one commit.
///
/// Notices are derived from the difference between two revisions and are not stored (CONFORMANCE E6, F9–F13). One step can cause
/// several notices for one object: an object that is made public and taken from its named users at once is `madePublic` and
/// `unshared`.
public struct Notice: Hashable, Sendable {
    /// The revision of the change.
    public let revision: Revision
    public let kind: Kind
    /// An object of a class that is not built in.
    public let object: Name
    /// The privileges gained, sorted; empty except for `privilegesChanged`.
    public let gained: [String]
    /// The privileges lost, sorted; empty except for `privilegesChanged`.
    public let lost: [String]
    /// Whether the subscriber could read the object before this revision. If so, an object that is made public or shared is not
    /// new to it.
    public let wasAccessible: Bool
    /// Whether this is the last notice of its revision for this subscriber. A subscriber that has handled it continues after the
    /// revision. A subscriber that has not handled it resumes from the previous revision.
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

    /// A copy that is marked as the last of its revision.
    public var last: Notice {
        var notice = self
        notice.completesRevision = true
        return notice
    }

    /// The kinds of notices, for a subscriber and the step from one revision to the next (SCENARIOS.md, “Notices, exactly”).
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The object was deleted; the subscriber could read it before.
        case deleted
        /// The subscriber cannot read the object any longer, for any reason, and the object still exists.
        case madeInaccessible
        /// A caller without an entry cannot read the object any longer; the subscriber still can.
        case madePrivate
        /// Any signed-in caller can now read it, including the subscriber.
        case madePublic
        /// The subscriber's privileges other than read have changed.
        case privilegesChanged
        /// The subscriber can now read it for a reason specific to the subscriber: an entry for it or one of its roles, or
        /// because it is an administrator.
        case shared
        /// That specific reason has ended; the subscriber can still read the object.
        case unshared
    }
}

extension Notice: Comparable {
    /// Orders notices by revision; within one revision by the bytes of their kind and object.
    public static func < (left: Notice, right: Notice) -> Bool {
        if left.revision != right.revision { return left.revision < right.revision }
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        return left.object < right.object
    }
}
