public import Primitives

/// The contents of a store.
public struct StoreStatistics: Hashable, Sendable, WireObject {
    public let store: String
    public let revision: Revision
    public let time: Instant
    /// The hash of the log up to the revision.
    public let hash: String
    public let events: Int
    public let objects: Int
    public let principals: Int
    public let roles: Int
    public let refusals: Int
    /// All members, such as the sizes in bytes.
    public let members: JSONObject

    init(members: JSONObject) throws {
        self.members = members
        (store, revision) = (try members.read("store"), try members.read("revision"))
        (time, hash, events) = (try members.read("time"), try members.read("hash"), try members.read("events"))
        (objects, principals) = (try members.read("objects"), try members.read("principals"))
        (roles, refusals) = (try members.read("roles"), try members.read("refusals"))
    }
}

/// The result of a check of the log.
public struct LogVerification: Hashable, Sendable, WireObject {
    public let isSound: Bool
    public let commits: Int
    public let events: Int
    public let problems: [String]
    public let notes: [String]
    /// The last revision; nil if the log cannot be read.
    public let revision: Revision?
    public let hash: String?

    init(members: JSONObject) throws {
        (isSound, commits, events) = (try members.read("sound"), try members.read("commits"), try members.read("events"))
        (problems, notes) = (try members.read("problems"), try members.read("notes"))
        (revision, hash) = (try members.read("revision"), try members.read("hash"))
    }
}

/// What a store knows about a name.
public struct NameReport: Hashable, Sendable, WireObject {
    public let name: Name
    public let className: String
    public let parent: Name?
    public let owner: Name?
    /// Whether objects are in it.
    public let hasChildren: Bool
    /// The roles of a principal, directly.
    public let roles: [Name]
    /// The members of a role, directly.
    public let members: [Name]
    /// The objects that have an entry for a principal.
    public let entries: [Name]
    /// All members, such as the options of a class.
    public let details: JSONObject

    init(members details: JSONObject) throws {
        self.details = details
        (name, className) = (try details.read("name"), try details.read("class"))
        (parent, owner) = (try details.read("parent"), try details.read("owner"))
        hasChildren = try details.read("hasChildren")
        (roles, members) = (try details.read("roles") ?? [], try details.read("members") ?? [])
        entries = try details.read("entries") ?? []
    }
}

/// An entry with an end, after which it gives nothing.
public struct UpcomingEnd: Hashable, Sendable, WireObject {
    public let until: Instant
    public let subject: Name
    public let object: Name

    init(members: JSONObject) throws {
        (until, subject, object) = (try members.read("until"), try members.read("subject"), try members.read("object"))
    }
}

/// The numbers of commits in the parts of a span.
public struct StoreActivity: Hashable, Sendable, WireObject {
    public let from: Instant
    public let to: Instant
    /// The number of commits in each part, oldest first.
    public let commits: [Int]

    init(members: JSONObject) throws {
        (from, to, commits) = (try members.read("from"), try members.read("to"), try members.read("commits"))
    }
}

/// The rights of the caller's token in a store.
public struct CallerRights: Hashable, Sendable, WireObject {
    /// The token or session.
    public let credential: String?
    /// The right of the token, such as `administer`, `ask` or `act`.
    public let right: String
    /// Whether the caller may ask about all subjects.
    public let queriesAll: Bool
    /// All members, such as the principal of a token that acts as one.
    public let members: JSONObject

    init(members: JSONObject) throws {
        self.members = members
        (credential, right) = (try members.read("credential"), try members.read("right"))
        queriesAll = try members.read("queriesAll")
    }
}

/// All access of a subject, at one revision.
public struct SubjectReport: Hashable, Sendable, WireObject {
    public let subject: Name
    /// Whether the store knows the subject.
    public let isKnown: Bool
    public let isAdministrator: Bool
    /// The privileges on the store level.
    public let store: [String]
    public let classes: [Holding]
    public let objects: [Holding]
    public let roles: [HeldRole]

    /// The privileges on a class or an object.
    public struct Holding: Hashable, Sendable, WireObject {
        public let name: Name
        public let privileges: [String]

        init(members: JSONObject) throws {
            (name, privileges) = (try members.read("name"), try members.read("privileges"))
        }
    }

    /// A role of the subject.
    public struct HeldRole: Hashable, Sendable, WireObject {
        public let role: Name
        /// The roles through which the subject has it, the nearest first.
        public let through: [Name]
        /// Whether every signed-in user has it.
        public let isEveryones: Bool

        init(members: JSONObject) throws {
            (role, through) = (try members.read("role"), try members.read("through"))
            isEveryones = try members.read("everyones")
        }
    }

    init(members: JSONObject) throws {
        (subject, isKnown) = (try members.read("subject"), try members.read("known"))
        (isAdministrator, store) = (try members.read("administrator"), try members.read("store"))
        (classes, objects) = (try members.read("classes"), try members.read("objects"))
        roles = try members.read("roles")
    }
}
