public import Events

/// The roles that a principal reaches by following its memberships upwards. The roles of `everyone` are not included, unless the
/// principal is `everyone`.
public struct MembershipReach: Sendable {
    /// The roles, without the principal itself.
    public private(set) var roles: Set<PrincipalID> = []
    /// The number of memberships that are followed, by the creator of the role that each is in. Each membership of each role
    /// reached counts, also if another one leads to the same role.
    public private(set) var memberships: [PrincipalID: Int] = [:]

    /// Linear in the memberships followed.
    package init(of principal: PrincipalID, _ graph: some MembershipGraph) throws {
        for role in try graph.directRoles(of: principal) { try add(role, graph) }
    }

    /// Adds a membership of the principal, or of a role that it reaches. Linear in the memberships of the roles that it reaches
    /// only now.
    package mutating func add(_ role: PrincipalID, _ graph: some MembershipGraph) throws {
        let added = try adding(role, graph)
        roles.formUnion(added.roles)
        memberships.merge(added.memberships, uniquingKeysWith: +)
    }

    /// Returns what ``add(_:_:)`` would add.
    func adding(
        _ role: PrincipalID, _ graph: some MembershipGraph
    ) throws -> (roles: Set<PrincipalID>, memberships: [PrincipalID: Int]) {
        var memberships = [try graph.creator(of: role): 1]
        let reached = try Set(reachableFrom: roles.contains(role) ? [] : [role]) { reached in
            let next = try graph.directRoles(of: reached)
            for role in next { memberships[try graph.creator(of: role), default: 0] += 1 }
            return next.filter { !roles.contains($0) }
        }
        return (reached, memberships)
    }
}

/// The memberships of a store.
public protocol MembershipGraph {
    /// Returns the roles that a principal is a direct member of, sorted.
    func directRoles(of member: PrincipalID) throws -> [PrincipalID]
    /// Returns the caller that created a role.
    func creator(of role: PrincipalID) throws -> PrincipalID
}
