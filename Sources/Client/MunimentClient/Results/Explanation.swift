public import Primitives

/// Why a subject has privileges on an object or not.
public struct AccessExplanation: Hashable, Sendable, WireObject {
    public let isAllowed: Bool
    /// Whether the explanation has all paths.
    public let isComplete: Bool
    public let outcomes: [PrivilegeOutcome]
    /// The levels, each with the paths that give access.
    public let levels: [ExplainedLevel]
    /// The appointment of an administrator, who has all privileges; nil for others.
    public let appointment: ExplainedStep?
    /// For a denial: lists of changes. Each list would allow the access.
    public let proposals: [[StoreChange]]
    /// Whether the list of proposals has all of them.
    public let proposalsAreComplete: Bool
    /// Why no change would allow the access; nil if one would.
    public let obstacle: String?
    public let revision: Revision

    init(members: JSONObject) throws {
        (isAllowed, isComplete) = (try members.read("allowed"), try members.read("complete"))
        (outcomes, levels) = (try members.read("outcomes"), try members.read("levels") ?? [])
        (appointment, obstacle) = (try members.read("appointment"), try members.read("obstacle"))
        (proposals, proposalsAreComplete) = (try members.read("proposals") ?? [], try members.read("proposalsComplete") ?? true)
        revision = try members.read("revision")
    }
}

/// Whether a privilege is allowed, and the level that decides.
public struct PrivilegeOutcome: Hashable, Sendable, WireObject {
    public let privilege: String
    public let isAllowed: Bool
    /// `store`, `class`, `object` or `administrator`.
    public let decidedBy: String
    /// The levels that do not give the privilege.
    public let failing: [String]

    init(members: JSONObject) throws {
        (privilege, isAllowed) = (try members.read("privilege"), try members.read("allowed"))
        (decidedBy, failing) = (try members.read("decidedBy"), try members.read("failing"))
    }
}

/// The paths at the level `store`, `class` or `object`, and the privileges that it does not give.
public struct ExplainedLevel: Hashable, Sendable, WireObject {
    public let level: String
    public let missing: [String]
    public let paths: [ExplainedPath]

    init(members: JSONObject) throws {
        (level, missing, paths) = (try members.read("level"), try members.read("missing"), try members.read("paths"))
    }
}

/// Facts that give privileges together.
public struct ExplainedPath: Hashable, Sendable, WireObject {
    public let privileges: [String]
    public let steps: [ExplainedStep]
    /// The first subject of the path; nil if it is the subject of the question.
    public let beginning: Name?
    public let isPermanent: Bool
    /// Objects with links on the path: their readers may read the objects that they link to.
    public let through: [ExplainedObject]

    init(members: JSONObject) throws {
        (privileges, steps) = (try members.read("privileges"), try members.read("steps"))
        (beginning, isPermanent) = (try members.read("as"), try members.read("permanent") ?? false)
        through = try members.read("through") ?? []
    }
}

/// An object that gives access to the objects that it links to.
public struct ExplainedObject: Hashable, Sendable, WireObject {
    public let object: Name
    public let classLevel: [ExplainedPath]
    public let objectPart: [ExplainedPath]

    init(members: JSONObject) throws {
        (object, classLevel, objectPart) = (
            try members.read("object"), try members.read("classLevel"), try members.read("objectPart")
        )
    }
}

/// A fact on a path of access, with the event that caused it.
public struct ExplainedStep: Hashable, Sendable, WireObject {
    /// The kind of the fact, such as `entry` or `member`.
    public let fact: String
    public let revision: Revision
    public let time: Instant
    /// Who caused it; nil for the store itself.
    public let actor: Name?
    /// All members, such as `subject`, `object` and `privileges`.
    public let members: JSONObject

    init(members: JSONObject) throws {
        self.members = members
        (fact, revision) = (try members.read("fact"), try members.read("revision"))
        (time, actor) = (try members.read("time"), try members.read("actor"))
    }
}
