/// Whether the objects of a class have access lists of their own.
public enum ObjectACL: UInt8, Hashable, Sendable {
    /// An object is as open as its class.
    case none = 0
    /// An object gives what its own entries give.
    case required = 1
}

/// How the class level and the object part combine.
public enum Composition: UInt8, Hashable, Sendable {
    /// Both must give a privilege.
    case narrowing = 0
    /// Either may give it.
    case widening = 1
}

/// How the objects of a class are protected.
public struct ClassOptions: Hashable, Sendable {
    public var objectACL: ObjectACL
    public var composition: Composition
    /// What an object takes over from its parent's object part; empty where the class does not inherit.
    public var inherits: Privileges
    /// What the creator (and every later owner) of an object is granted on it.
    public var creatorPrivileges: Privileges
    /// Whether nothing of the creator's entry can be taken away.
    public var creatorPermanent: Bool
    /// Whether an object can be read because a readable object links to it.
    public var readThroughLinks: Bool
    /// The custom privileges that the class knows beside the built-in ones.
    public var privileges: Privileges
    /// The JSON properties that queries may use.
    public var properties: [String] {
        get { exactProperties.map(\.text) }
        set { exactProperties = newValue.map(ExactText.init) }
    }
    private var exactProperties: [ExactText]
    /// The class's own names for actions, in the order of their bytes.
    public var aliases: [ActionAlias] { didSet { aliases.sort(by: ActionAlias.precedes) } }

    public init(
        objectACL: ObjectACL = .required, composition: Composition = .narrowing, inherits: Privileges = [],
        creatorPrivileges: Privileges = [], creatorPermanent: Bool = false, readThroughLinks: Bool = false,
        privileges: Privileges = [], properties: [String] = [], aliases: [ActionAlias] = []
    ) {
        self.objectACL = objectACL
        self.composition = composition
        self.inherits = inherits
        self.creatorPrivileges = creatorPrivileges
        self.creatorPermanent = creatorPermanent
        self.readThroughLinks = readThroughLinks
        self.privileges = privileges
        exactProperties = properties.map(ExactText.init)
        self.aliases = aliases.sorted(by: ActionAlias.precedes)
    }

    /// Every privilege that the class knows.
    @inlinable public var known: Privileges { privileges.union(.builtIn) }
}
