public import Events

/// How a caller comes to count as its subjects: every membership between them.
public final class Ancestry: Sendable {
    public let caller: PrincipalID
    /// The direct members of each role that the caller counts as, as far as the caller counts as them as well.
    private let members: [PrincipalID: [PrincipalID]]

    /// - Parameters:
    ///   - caller: who counts as them.
    ///   - members: the direct members of each role that the caller counts as, among the caller's subjects.
    public init(of caller: PrincipalID, members: [PrincipalID: [PrincipalID]]) {
        self.caller = caller
        self.members = members.mapValues { $0.sorted() }
    }

    /// The chains of memberships by which the caller counts as a subject, the shortest first: each begins with the caller, with
    /// `everyone` or with `anonymous`, goes on from member to role, and ends with the subject.
    ///
    /// Roles can be nested in more ways than anybody would read, so there is a limit. Linear in the length of what is found.
    ///
    /// - Parameters:
    ///   - subject: one of the caller's subjects.
    ///   - limit: how many chains to find at most, at least one.
    /// - Returns: the chains, and whether these are all.
    public func chains(to subject: PrincipalID, limit: Int) -> (chains: [[PrincipalID]], isComplete: Bool) {
        var found: [[PrincipalID]] = []
        var isComplete = true
        // Downwards from the subject: each step leads to somebody whom the caller counts as, so none is in vain.
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

    /// Whether the caller counts as somebody without any membership.
    private func isBeginning(_ subject: PrincipalID) -> Bool {
        subject == caller || subject == .anonymous || subject == .everyone && caller != .anonymous
    }
}
