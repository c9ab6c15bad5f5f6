public import Events

/// Changes that would give a caller the missing privileges, by number.
public struct Remedy: Hashable, Sendable {
    /// Whether the caller must be registered first: a user or thing that is unknown to the store cannot receive access.
    public var registers = false
    /// The custom privileges that classes must additionally support.
    public var classes: [ClassID: Privileges] = [:]
    /// The roles that the caller must become a member of.
    public var roles: [PrincipalID] = []
    /// The privileges to grant to the caller itself, by object.
    public var grants: [ObjectID: Privileges] = [:]

    public init() {}

    /// The number of changes.
    public var count: Int { (registers ? 1 : 0) + classes.count + roles.count + grants.count }

    public var isEmpty: Bool { count == 0 }

    /// Every copy of these changes with one change left out.
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

/// The changes that would allow a denied question.
public struct Remedies: Sendable {
    /// Each remedy allows it, and every change of a remedy is necessary. The fewest changes first, grants before memberships.
    public var remedies: [Remedy]
    /// Whether no more remedies exist. The search stops at ``ExplanationLimits``.
    public var isComplete: Bool
}
