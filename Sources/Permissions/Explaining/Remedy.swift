public import Events

/// Changes that would give a caller what it lacks, by number.
public struct Remedy: Hashable, Sendable {
    /// Whether the caller is to be made known first: a user or thing that the store has not seen can be given nothing.
    public var registers = false
    /// The custom privileges that classes are to know besides those they know.
    public var classes: [ClassID: Privileges] = [:]
    /// The roles that the caller is to become a member of.
    public var roles: [PrincipalID] = []
    /// What is to be granted to the caller itself, and where.
    public var grants: [ObjectID: Privileges] = [:]

    public init() {}

    /// How many changes these are.
    public var count: Int { (registers ? 1 : 0) + classes.count + roles.count + grants.count }

    public var isEmpty: Bool { count == 0 }

    /// These changes but one, for each of them.
    var withoutOne: [Remedy] {
        var smaller: [Remedy] = []
        if registers { smaller.append(with { $0.registers = false }) }
        for classID in classes.keys { smaller.append(with { $0.classes[classID] = nil }) }
        for role in roles { smaller.append(with { $0.roles.removeAll { $0 == role } }) }
        for object in grants.keys { smaller.append(with { $0.grants[object] = nil }) }
        return smaller
    }

    private func with(_ change: (inout Remedy) -> Void) -> Remedy {
        var remedy = self
        change(&remedy)
        return remedy
    }
}

/// What would allow a denied question.
public struct Remedies: Sendable {
    /// Each allows it, and none of its changes can be left out. The fewest changes first, grants before memberships.
    public var remedies: [Remedy]
    /// Whether there may be more of them: they are looked for up to ``ExplanationLimits``.
    public var isComplete: Bool
}
