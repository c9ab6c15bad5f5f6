public import Events

/// An event of the log, with its actor and time.
public struct Citation: Hashable, Sendable {
    public var revision: Revision
    /// The index of the event in the commit, from 0.
    public var index: Int
    public var kind: Event.Kind
    public var time: Instant
    /// The author of the change; ``Events/PrincipalID/system`` for the store itself.
    public var actor: PrincipalID
    /// The origin that the writer stated.
    public var origin: Origin

    public init(revision: Revision, index: Int, kind: Event.Kind, time: Instant, actor: PrincipalID, origin: Origin) {
        self.revision = revision
        self.index = index
        self.kind = kind
        self.time = time
        self.actor = actor
        self.origin = origin
    }
}

/// A fact, and the event that established it and is still in effect.
public struct WitnessedFact: Hashable, Sendable {
    public var fact: Fact
    public var citation: Citation

    public init(_ fact: Fact, _ citation: Citation) {
        self.fact = fact
        self.citation = citation
    }
}

/// One path that gives privileges, as a list of facts.
public struct WitnessedPath: Hashable, Sendable {
    /// The privileges that it gives, of those in the question.
    public var privileges: Privileges
    /// The subject that the caller is without any membership: itself, `everyone` or `anonymous`; nil if the path does not depend
    /// on subjects.
    public var beginning: PrincipalID?
    /// The memberships from there up to the subject, the grant, and the inheritance or the links from object to object.
    public var facts: [WitnessedFact]
    /// Whether some of it cannot be revoked, because the class gives it permanently to owners.
    public var isPermanent: Bool
    /// For links: the objects on the path, from the one that links to the object in question up to the one that is readable
    /// without links.
    public var sources: [WitnessedObject]

    public init(
        privileges: Privileges, beginning: PrincipalID?, facts: [WitnessedFact], isPermanent: Bool = false,
        sources: [WitnessedObject] = []
    ) {
        self.privileges = privileges
        self.isPermanent = isPermanent
        self.beginning = beginning
        self.facts = facts
        self.sources = sources
    }
}

/// The privileges that a class and the object part of an object give.
public struct WitnessedObject: Hashable, Sendable {
    public var object: ObjectID
    /// The fact that the object exists, with its class.
    public var existence: WitnessedFact
    /// The options of its class, which define how the levels combine.
    public var options: WitnessedFact
    public var classLevel: [WitnessedPath]
    /// The object part, followed by the links if this is the object in question.
    public var objectPart: [WitnessedPath]

    public init(
        object: ObjectID, existence: WitnessedFact, options: WitnessedFact, classLevel: [WitnessedPath], objectPart: [WitnessedPath]
    ) {
        self.object = object
        self.existence = existence
        self.options = options
        self.classLevel = classLevel
        self.objectPart = objectPart
    }
}

/// An explanation with the event that established each step: sufficient to check the answer against the log alone (CONFORMANCE
/// E11).
///
/// Names are stored separately from numbers, as in the log.
public struct Witness: Hashable, Sendable {
    public var subject: Name
    public var privileges: [String]
    public var object: Name
    public var revision: Revision
    public var instant: Instant
    /// The answer for each privilege, in the order of the question.
    public var outcomes: [PrivilegeResult]
    /// The privileges as bit sets; empty if the store does not define one of them.
    public var wanted: [Privileges]
    /// The id of the subject; nil for a role that does not exist.
    public var caller: PrincipalID?
    /// The fact that the caller is an administrator; nil if it is not one.
    public var appointment: WitnessedFact?
    public var storeLevel: [WitnessedPath]
    /// The class level and the object part; nil if the object does not exist, and for a subject that is an administrator or does
    /// not exist.
    public var target: WitnessedObject?
    /// Whether the paths are complete: there can be more than ``ExplanationLimits`` allows.
    public var isComplete: Bool
    /// For a denial, the missing privileges at each level, of those in the question.
    public var missing: [DecidingLevel: Privileges]
    /// The names of the numbers in this witness.
    public var names: [UInt64: String]
    /// The names of the privileges.
    public var privilegeNames: PrivilegeNames

    public var isAllowed: Bool { !outcomes.isEmpty && outcomes.allSatisfy(\.isAllowed) }

    public init(
        of explanation: Explanation, appointment: WitnessedFact?, storeLevel: [WitnessedPath], target: WitnessedObject?,
        isComplete: Bool, names: [UInt64: String], privilegeNames: PrivilegeNames
    ) {
        subject = explanation.subject
        privileges = explanation.privileges
        object = explanation.object
        revision = explanation.revision
        instant = explanation.instant
        outcomes = explanation.outcomes
        wanted = explanation.wanted
        caller = explanation.caller
        missing = [:]
        for level in DecidingLevel.allCases where !explanation.missing(at: level).isEmpty {
            missing[level] = explanation.missing(at: level)
        }
        self.appointment = appointment
        self.storeLevel = storeLevel
        self.target = target
        self.isComplete = isComplete
        self.names = names
        self.privilegeNames = privilegeNames
    }

    /// Returns the name of a number in this witness.
    public func name(_ id: some EntityID) -> String { names[id.rawValue] ?? id.description }

    /// Returns the paths at a level.
    public func paths(at level: DecidingLevel) -> [WitnessedPath] {
        switch level {
        case .store: storeLevel
        case .class: target?.classLevel ?? []
        case .object: target?.objectPart ?? []
        }
    }
}
