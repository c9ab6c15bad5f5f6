internal import Events

/// Limits how many memberships a principal follows, so that the creator of roles cannot slow the checks and commits of others.
extension CommandAuthorizer {
    /// Checks that a new membership leaves the member, and every principal below it, within ``Limits/membershipsPerCreator`` for
    /// the creator of each role that they reach by it.
    ///
    /// Linear in the principals below the member and their direct roles. Their memberships are followed only near the limit.
    func needShare(of member: PrincipalID, in role: PrincipalID, _ name: Name) throws {
        guard try !mayDoEverything else { return }
        var most = try state.reach(of: role).memberships
        most[try state.creator(of: role), default: 0] += 1
        _ = try Set(reachableFrom: [member]) { principal in
            if try principal == member || mayExceedLimit(principal, adding: most) {
                try checkLimit(of: principal, adding: role, name)
            }
            return try state.place(of: ObjectID(principal))?.classID == .role ? state.members(of: principal) : []
        }
    }

    /// Returns whether a principal can exceed the limit by further memberships. A quick estimate, never too low: a membership that
    /// several of its direct roles follow counts for each of them.
    private func mayExceedLimit(_ principal: PrincipalID, adding memberships: [PrincipalID: Int]) throws -> Bool {
        var memberships = memberships
        for direct in try state.directRoles(of: principal) {
            memberships[try state.creator(of: direct)]? += 1
            for (creator, count) in try state.reach(of: direct).memberships { memberships[creator]? += count }
        }
        return memberships.values.contains { $0 > Limits.membershipsPerCreator }
    }

    /// Follows the memberships of a principal, and throws if it would exceed the limit.
    private func checkLimit(of principal: PrincipalID, adding role: PrincipalID, _ name: Name) throws {
        let reach = try state.reach(of: principal)
        for (creator, count) in try reach.adding(role, state).memberships
        where reach.memberships[creator, default: 0] + count > Limits.membershipsPerCreator {
            throw Refusal(
                .tooLarge,
                "`\(name.excerpt)`, or a member of it, would have more than \(Limits.membershipsPerCreator) memberships in roles that "
                    + "one caller created, nested ones included: remove some, or have an administrator add this one")
        }
    }
}
