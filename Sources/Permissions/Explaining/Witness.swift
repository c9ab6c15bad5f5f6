public import Events

/// An event of the log, and who made it when.
public struct Citation: Hashable, Sendable {
    public var revision: Revision
    /// Which event of the commit, from 0.
    public var index: Int
    public var kind: Event.Kind
    public var time: Instant
    /// Whose change it was; ``Events/PrincipalID/system`` for the store itself.
    public var actor: PrincipalID
    /// What the writer said of where it came from.
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

/// A fact, and the event that made it so and has not been undone since.
public struct WitnessedFact: Hashable, Sendable {
    public var fact: Fact
    public var citation: Citation

    public init(_ fact: Fact, _ citation: Citation) {
        self.fact = fact
        self.citation = citation
    }
}

/// One way in which privileges are given, fact by fact.
public struct WitnessedPath: Hashable, Sendable {
    /// What it gives of the privileges that were asked about.
    public var privileges: Privileges
    /// Whom the caller counts as without being a member of anything: itself, `everyone` or `anonymous`; nil where no subject counts.
    public var beginning: PrincipalID?
    /// The memberships from there up to the subject; what that is given; and how it comes down from object to object, or by links.
    public var facts: [WitnessedFact]
    /// Whether some of it cannot be taken away, since the class gives it to owners for good.
    public var isPermanent: Bool
    /// For links: the objects on the way, from the one that links to the object in question up to the one that is readable by
    /// itself.
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

/// What a class and the object part of an object give.
public struct WitnessedObject: Hashable, Sendable {
    public var object: ObjectID
    /// That the object is there, and of which class.
    public var existence: WitnessedFact
    /// The options of its class, which say how the levels combine.
    public var options: WitnessedFact
    public var classLevel: [WitnessedPath]
    /// The object part; at its end the links, where the object is the one in question.
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

/// An explanation with the event that made each step of it so: enough to check the answer against the log, and nothing else
/// (CONFORMANCE E11).
///
/// Names are kept apart from numbers, as in the log.
public struct Witness: Hashable, Sendable {
    public var subject: Name
    public var privileges: [String]
    public var object: Name
    public var revision: Revision
    public var instant: Instant
    /// The answer for each privilege, in the order of the question.
    public var outcomes: [Outcome]
    /// The numbers of the privileges; empty where the store does not know one of them.
    public var wanted: [Privileges]
    /// Who asked; nil for a role that is not there.
    public var caller: PrincipalID?
    /// That the caller is an administrator; nil where it is none.
    public var appointment: WitnessedFact?
    public var storeLevel: [WitnessedPath]
    /// The class level and the object part; nil where there is no such object, and for one who administers or is not there.
    public var target: WitnessedObject?
    /// Whether every way is here: there can be more of them than ``ExplanationLimits`` has room for.
    public var isComplete: Bool
    /// What is said to be missing at each level, for a denial: of all that is asked about.
    public var missing: [DecidingLevel: Privileges]
    /// The names of the numbers that are mentioned.
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

    /// The name under a number that is mentioned.
    public func name(_ id: some EntityID) -> String { names[id.rawValue] ?? id.description }

    /// The paths at a level.
    public func paths(at level: DecidingLevel) -> [WitnessedPath] {
        switch level {
        case .store: storeLevel
        case .class: target?.classLevel ?? []
        case .object: target?.objectPart ?? []
        }
    }
}
