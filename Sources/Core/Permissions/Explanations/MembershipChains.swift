public import Events

/// Every membership between a caller and its subjects.
public final class MembershipChains: Sendable {
    public let caller: PrincipalID
    /// The direct members of each role among the caller's subjects; only members that are themselves subjects of the caller.
    private let members: [PrincipalID: [PrincipalID]]

    /// - Parameters:
    ///   - caller: the caller with these memberships.
    ///   - members: the direct members of each role among the caller's subjects; only members that are themselves subjects of the
    ///     caller.
    public init(of caller: PrincipalID, members: [PrincipalID: [PrincipalID]]) {
        self.caller = caller
        self.members = members.mapValues { $0.sorted() }
    }

    /// Returns the chains of memberships from the caller to a subject, the shortest first. Each begins with the caller,
    /// `everyone` or `anonymous`, continues from member to role, and ends with the subject.
    ///
    /// Nested roles can have very many chains, so the number is limited. Linear in the length of the chains found.
    ///
    /// - Parameters:
    ///   - subject: one of the caller's subjects.
    ///   - limit: the maximum number of chains, at least one.
    /// - Returns: the chains, and whether they are complete.
    public func chains(to subject: PrincipalID, limit: Int) -> (chains: [[PrincipalID]], isComplete: Bool) {
        var found: [[PrincipalID]] = []
        var isComplete = true
        // The search starts at the subject and goes down. Each step reaches another subject of the caller, so no step is wasted.
        var pending = [[subject]]
        while !pending.isEmpty {
            var longer: [[PrincipalID]] = []
            for chain in pending {
                guard let last = chain.last else { continue }
                if isBeginning(last) {
                    guard found.count < limit else { return (found, false) }
                    found.append(chain.reversed())
                }
                for member in members[last] ?? [] where !chain.contains(member) {
                    guard longer.count < limit else {
                        isComplete = false
                        break
                    }
                    longer.append(chain + [member])
                }
            }
            pending = longer
        }
        return (found, isComplete)
    }

    /// Returns the members on all chains from the caller to some of its subjects, by role. Linear in these memberships.
    public func members(passingOn subjects: Set<PrincipalID>) -> [PrincipalID: Set<PrincipalID>] {
        var passing: [PrincipalID: Set<PrincipalID>] = [:]
        var pending = Array(subjects)
        while let role = pending.popLast() {
            guard passing[role] == nil, let members = members[role] else { continue }
            passing[role] = Set(members)
            pending += members
        }
        return passing
    }

    /// Whether the caller counts as a subject without any membership.
    private func isBeginning(_ subject: PrincipalID) -> Bool {
        subject == caller || subject == .anonymous || subject == .everyone && caller != .anonymous
    }
}
