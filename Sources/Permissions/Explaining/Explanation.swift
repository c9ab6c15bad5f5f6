public import Events

/// Why a caller has some privileges on an object, or has them not: which level decided, and all that gives any of them (CONFORMANCE
/// E11).
///
/// A value: it holds numbers of the store's, and nothing of the store. The names, and the events that made each step so, come from
/// the snapshot that gave it.
public struct Explanation: Sendable {
    public let subject: Name
    /// What was asked about, in the order of the question.
    public let privileges: [String]
    public let object: Name
    /// The revision that this is about.
    public let revision: Revision
    /// When ends were judged.
    public let instant: Instant
    /// As a check answers, with no privileges but those that were asked about.
    public let verdict: Verdict
    /// The numbers of the privileges, in the order of the question; nothing for one that the store does not know, and no numbers
    /// where it knows none of them.
    public let wanted: [Privileges]
    /// Who asked; nil for a role that is not there.
    public let caller: PrincipalID?
    /// Which object it is about; nil where there is none.
    public let objectID: ObjectID?
    /// What the class of the object knows.
    public let known: Privileges
    /// All that gives some of the privileges; nil where nothing is asked of the levels: for an administrator, and where the subject,
    /// the object or a privilege is not there.
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
