public import Events
public import Permissions

/// The subjects of a subscriber, and the subjects of a signed-in caller without an entry.
@frozen public struct Viewer: Sendable {
    public let subjects: SubjectSet
    public let strangers: SubjectSet
    /// The subjects that are specific to the subscriber.
    @usableFromInline let own: SubjectSet

    /// - Parameters:
    ///   - subjects: the subjects of the subscriber; empty for a role that does not exist.
    ///   - strangers: `everyone`, `anonymous` and the roles with the member `everyone`.
    public init(subjects: SubjectSet, strangers: SubjectSet) {
        self.subjects = subjects
        self.strangers = strangers
        own = subjects.subtracting(strangers)
    }

    /// Whether a grant to a subject can be relevant for the subscriber.
    public func meets(_ subject: PrincipalID) -> Bool { subjects.contains(subject) || strangers.contains(subject) }

    /// Every subject of either kind.
    public var members: Set<PrincipalID> { Set(subjects.members).union(strangers.members) }
}
