public import Events

/// The reason a caller has or lacks some privileges on an object: the level that decided, and every grant of them (CONFORMANCE
/// E11).
///
/// It is a value: it contains numbers of the store but no reference to the store. The snapshot that created it can look up the
/// names, and the events that established each step.
public struct Explanation: Sendable {
    public let subject: Name
    /// The privileges in the question, in its order.
    public let privileges: [String]
    public let object: Name
    /// The revision of the answer.
    public let revision: Revision
    /// The time used to evaluate ends.
    public let instant: Instant
    /// The verdict as from a check, reduced to the privileges in the question.
    public let verdict: Verdict
    /// The privileges as bit sets, in the order of the question. Empty for a privilege that the store does not define; the array
    /// is empty if the store defines none of them.
    public let wanted: [Privileges]
    /// The id of the subject; nil for a role that does not exist.
    public let caller: PrincipalID?
    /// The id of the object; nil if it does not exist.
    public let objectID: ObjectID?
    /// The privileges that the class of the object supports.
    public let known: Privileges
    /// Every grant of the privileges. Nil if the levels were not evaluated: for an administrator, and if the subject, the object
    /// or a privilege does not exist.
    public let reasons: Reasons?

    public init(
        subject: Name, privileges: [String], object: Name, revision: Revision, instant: Instant, verdict: Verdict,
        wanted: [Privileges] = [], caller: PrincipalID? = nil, objectID: ObjectID? = nil, known: Privileges = [],
        reasons: Reasons? = nil
    ) {
        self.subject = subject
        self.privileges = privileges
        self.object = object
        self.revision = revision
        self.instant = instant
        self.verdict = verdict
        self.wanted = wanted
        self.caller = caller
        self.objectID = objectID
        self.known = known
        self.reasons = reasons
    }

    /// Whether the caller has all of the privileges.
    public var isAllowed: Bool { !wanted.contains(where: \.isEmpty) && verdict.allows(Privileges(wanted)) }
}

/// The limits of an explanation: roles and links can lead to an object in very many ways. Paths beyond the limits are left out,
/// and the explanation says that it is incomplete.
public enum ExplanationLimits {
    /// Paths at one level.
    public static let pathsPerLevel = 256
    /// Steps of all paths, of one explanation or of several together.
    public static let steps = 20_000
    /// Chains of links to one object.
    public static let chainsOfLinks = 64
    /// Proposals for one denial.
    public static let proposals = 16
    /// Roles examined to propose a membership.
    public static let rolesConsidered = 64
    /// Roles considered for proposals of several memberships together.
    public static let rolesCombined = 12
}
