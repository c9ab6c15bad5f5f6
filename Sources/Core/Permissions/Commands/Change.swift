public import Events

/// One change that a caller requests. A transaction is a list of changes.
public enum Change: Hashable, Sendable {
    case defineClass(String, ClassSettings = ClassSettings())
    case changeClass(String, ClassSettings)
    case createObject(Name, parent: Name? = nil, value: JSONValue? = nil, owner: Name? = nil)
    case writeObject(Name, Content, expectedRevision: Revision? = nil)
    case moveObject(Name, parent: Name?)
    case deleteObject(Name, expectedRevision: Revision? = nil)
    case setOwner(Name, owner: Name)
    /// Adds to the subject's entry. With `strict`, it is refused if the entry already has all the privileges. With an expected
    /// revision, it is refused if another transaction changed the object's access list after this revision.
    case grant(Name, on: Name, [String], until: Instant? = nil, strict: Bool = false, expectedRevision: Revision? = nil)
    /// Replaces the subject's whole entry with these privileges, permanently. The expected revision is that of `grant`.
    case setAccess(Name, on: Name, [String], expectedRevision: Revision? = nil)
    /// Revokes privileges, or the whole entry. With `strict`, it is refused if the privileges are absent. The expected revision is
    /// that of `grant`.
    case revoke(Name, on: Name, [String]? = nil, strict: Bool = false, expectedRevision: Revision? = nil)
    case createRole(Name)
    case deleteRole(Name)
    case addMember(Name, to: Name, strict: Bool = false)
    case removeMember(Name, from: Name, strict: Bool = false)
    case register(Name)
    case definePermission(Name, subject: Name, [String])
    case changePermission(Name, subject: Name, [String])
    case attachPermission(Name, to: Name)
    case detachPermission(Name, from: Name)
    case appointAdministrator(Name)
    case dismissAdministrator(Name)

    /// The new value of an object.
    public enum Content: Hashable, Sendable {
        case value(JSONValue)
        /// A merge patch (RFC 7396) on the present value.
        case merge(JSONValue)
    }
}

/// The options of a class in a command. Options that are nil stay unchanged, or have their default in a new class.
public struct ClassSettings: Hashable, Sendable {
    public var objectACL: ObjectACL?
    public var composition: Composition?
    public var inherits: Inheritance?
    public var creatorPrivileges: [String]?
    public var creatorPermanent: Bool?
    public var readThroughLinks: Bool?
    /// The custom privileges that the class supports; new names define new privileges.
    public var privileges: [String]?
    public var properties: [String]?
    /// The class's names for actions, sorted by name. They replace the existing ones.
    public var aliases: [Alias]? { didSet { aliases?.sort(by: Alias.precedes) } }

    /// The privileges that objects inherit from their parents.
    public enum Inheritance: Hashable, Sendable {
        case nothing
        case everything
        case only([String])
    }

    /// A name for an action, and the privileges that it requires.
    public typealias Alias = NamedAction<[String]>

    public init(
        objectACL: ObjectACL? = nil, composition: Composition? = nil, inherits: Inheritance? = nil,
        creatorPrivileges: [String]? = nil, creatorPermanent: Bool? = nil, readThroughLinks: Bool? = nil,
        privileges: [String]? = nil, properties: [String]? = nil, aliases: [Alias]? = nil
    ) {
        self.objectACL = objectACL
        self.composition = composition
        self.inherits = inherits
        self.creatorPrivileges = creatorPrivileges
        self.creatorPermanent = creatorPermanent
        self.readThroughLinks = readThroughLinks
        self.privileges = privileges
        self.properties = properties
        self.aliases = aliases?.sorted(by: Alias.precedes)
    }
}

extension Change {
    /// The custom privileges of a class in this change, which may be new.
    package var definedPrivileges: [String] {
        switch self {
        case .defineClass(_, let settings), .changeClass(_, let settings): settings.privileges ?? []
        default: []
        }
    }

    /// The names of the aliases that the change gives a class.
    package var definedAliases: [String] {
        switch self {
        case .defineClass(_, let settings), .changeClass(_, let settings): settings.aliases?.map(\.name) ?? []
        default: []
        }
    }

    /// Returns the change with each list of privileges replaced, except the custom privileges of a class.
    package func mappingPrivileges(_ map: ([String]) throws -> [String]) rethrows -> Change {
        switch self {
        case .grant(let subject, let object, let privileges, let until, let strict, let expected):
            .grant(subject, on: object, try map(privileges), until: until, strict: strict, expectedRevision: expected)
        case .setAccess(let subject, let object, let privileges, let expected):
            .setAccess(subject, on: object, try map(privileges), expectedRevision: expected)
        case .revoke(let subject, let object, let privileges, let strict, let expected):
            .revoke(subject, on: object, try privileges.map(map), strict: strict, expectedRevision: expected)
        case .definePermission(let name, let subject, let privileges):
            .definePermission(name, subject: subject, try map(privileges))
        case .changePermission(let name, let subject, let privileges):
            .changePermission(name, subject: subject, try map(privileges))
        case .defineClass(let name, let settings): .defineClass(name, try settings.mappingPrivileges(map))
        case .changeClass(let name, let settings): .changeClass(name, try settings.mappingPrivileges(map))
        case .createObject, .writeObject, .moveObject, .deleteObject, .setOwner, .createRole, .deleteRole, .addMember,
            .removeMember, .register, .attachPermission, .detachPermission, .appointAdministrator, .dismissAdministrator:
            self
        }
    }
}

extension ClassSettings {
    fileprivate func mappingPrivileges(_ map: ([String]) throws -> [String]) rethrows -> ClassSettings {
        var settings = self
        if case .only(let privileges)? = inherits { settings.inherits = .only(try map(privileges)) }
        settings.creatorPrivileges = try creatorPrivileges.map(map)
        settings.aliases = try aliases?.map { Alias($0.name, for: try map($0.privileges)) }
        return settings
    }
}
