public import Events
internal import Notices
internal import Permissions
internal import Projections

/// A name for a set of privileges in a history.
public struct AccessLevel: Hashable, Sendable {
    public let name: String
    public let privileges: [String]

    public init(name: String, privileges: [String]) {
        self.name = name
        self.privileges = privileges
    }
}

/// The changes of a user's access by one commit.
public struct AccessChange: Hashable, Sendable {
    /// The request id of the commit: the `id` of an imported transaction.
    public let id: String?
    public let revision: Revision
    /// Sorted by object.
    public let changes: [AccessLevelChange]
}

/// The highest level that a user had completely on an object, before and after.
public struct AccessLevelChange: Hashable, Sendable {
    public let object: String
    public let before: String?
    public let after: String?
}

extension Store {
    /// Returns every commit that changed the levels of a user on any object, in order.
    ///
    /// Costs as much as the user's notices (``notices(for:after:through:)``): the changes of the commits that are relevant to the
    /// user.
    ///
    /// - Parameters:
    ///   - user: the user.
    ///   - levels: names for sets of privileges.
    ///   - last: the last revision to include; nil for the head.
    /// - Throws: `Refusal` for an ill-formed name, and for a privilege that the store does not define.
    public func accessChanges(for user: Name, levels: [AccessLevel], through last: Revision? = nil) throws -> [AccessChange] {
        let ordered = try withReader { reader in
            try levels.sorted { $0.privileges.count < $1.privileges.count }.map { level -> (name: String, privileges: Privileges) in
                for name in level.privileges where reader.privilege(name) == nil {
                    throw Refusal(.malformed, "the store has no privilege `\(name)`, which a level names")
                }
                return (name: level.name, privileges: reader.privileges(named: level.privileges) ?? [])
            }
        }
        func held(_ access: ObjectAccess) -> String? {
            ordered.last { !$0.privileges.isEmpty && access.privileges.isSuperset(of: $0.privileges) }?.name
        }
        var changes: [AccessChange] = []
        var found: [AccessLevelChange] = []
        func finish(_ commit: Commit) {
            guard !found.isEmpty else { return }
            found.sort { $0.object.utf8.lexicographicallyPrecedes($1.object.utf8) }
            changes.append(AccessChange(id: commit.origin.requestID, revision: commit.revision, changes: found))
            found = []
        }
        var current: Commit?
        try forEachAccessStep(of: user, after: .genesis, through: last ?? head.revision) { commit, step, reader in
            let (before, after) = (held(step.before), held(step.after))
            guard before != after else { return }
            if let current, current.revision != commit.revision { finish(current) }
            current = commit
            found.append(AccessLevelChange(object: try reader.name(of: step.object), before: before, after: after))
        }
        if let current { finish(current) }
        return changes
    }
}
