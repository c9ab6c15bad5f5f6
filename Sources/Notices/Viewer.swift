public import Events
public import Permissions

/// Whom a subscriber counts as, and whom a signed-in caller counts as who is named nowhere.
@frozen public struct Viewer: Sendable {
    public let subjects: SubjectSet
    public let strangers: SubjectSet
    /// The subjects that make a reason of the subscriber's own.
    @usableFromInline let own: SubjectSet

    /// - Parameters:
    ///   - subjects: whom the subscriber counts as; nobody where it is a role that is not there.
    ///   - strangers: `everyone`, `anonymous` and the roles that hold `everyone`.
    public init(subjects: SubjectSet, strangers: SubjectSet) {
        self.subjects = subjects
        self.strangers = strangers
        own = subjects.subtracting(strangers)
    }

    /// Whether what is granted to a subject can matter to the subscriber.
    public func meets(_ subject: PrincipalID) -> Bool { subjects.contains(subject) || strangers.contains(subject) }

    /// Every subject of either kind.
    public var members: Set<PrincipalID> { Set(subjects.members).union(strangers.members) }
}
