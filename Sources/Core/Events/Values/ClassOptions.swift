/// Whether the objects of a class have separate access lists.
public enum ObjectACL: UInt8, Hashable, Sendable {
    /// An object gives the same access as its class.
    case none = 0
    /// An object gives the privileges of its own entries.
    case required = 1
}

/// How the class level and the object part combine.
public enum Composition: UInt8, Hashable, Sendable {
    /// Both must give a privilege.
    case narrowing = 0
    /// At least one of the two must give it.
    case widening = 1
}

/// How the objects of a class are protected.
public struct ClassOptions: Hashable, Sendable {
    public var objectACL: ObjectACL
    public var composition: Composition
    /// The privileges that an object inherits from its parent's object part; empty if the class does not inherit.
    public var inherits: Privileges
    /// The privileges that the creator and every later owner of an object are granted on it.
    public var creatorPrivileges: Privileges
    /// Whether the privileges of the creator's entry cannot be revoked.
    public var creatorPermanent: Bool
    /// Whether an object can be read because a readable object links to it.
    public var readThroughLinks: Bool
    /// The custom privileges that the class supports in addition to the built-in ones.
    public var privileges: Privileges
    /// The JSON properties that queries may use.
    public var properties: [String] {
        get { exactProperties.map(\.text) }
        set { exactProperties = newValue.map(ExactText.init) }
    }
    private var exactProperties: [ExactText]
    /// The class's names for actions, sorted by their bytes.
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

    /// Every privilege that the class supports.
    @inlinable public var known: Privileges { privileges.union(.builtIn) }
}

/// A class's name for a set of privileges, used by the querying application: `can_read_todo` for `read`.
///
/// Names are compared byte for byte, like all names.
public typealias ActionAlias = NamedAction<Privileges>

/// A name for an action, and the privileges that it requires: a set, or their names as a caller writes them.
public struct NamedAction<Meaning: Hashable & Sendable>: Hashable, Sendable {
    public var name: String { exactName.text }
    /// The privileges that the action requires, all of them.
    public let privileges: Meaning
    private let exactName: ExactText

    public init(_ name: String, for privileges: Meaning) {
        exactName = ExactText(name)
        self.privileges = privileges
    }

    /// Orders aliases by the UTF-8 bytes of their names.
    package static func precedes(_ left: NamedAction, _ right: NamedAction) -> Bool { left.exactName < right.exactName }

    /// Whether this alias has the given name.
    package func isCalled(_ name: String) -> Bool { exactName == ExactText(name) }
}
