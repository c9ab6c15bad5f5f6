public import Events

/// The answer for one privilege, and what decided it.
public struct PrivilegeResult: Hashable, Sendable {
    public var privilege: String
    public var isAllowed: Bool
    public var decider: Decider
    /// The levels that lack it, the highest first; empty if it is allowed. For a widening class the class level and the object
    /// part both lack it, and a grant at either would be enough.
    public var failing: [DecidingLevel]

    public init(privilege: String, isAllowed: Bool, decider: Decider, failing: [DecidingLevel] = []) {
        self.privilege = privilege
        self.isAllowed = isAllowed
        self.decider = decider
        self.failing = failing
    }

    /// The part of the rules that decides about a privilege.
    public enum Decider: String, Hashable, Sendable, CaseIterable {
        /// The caller is an administrator, who has every privilege.
        case administrator
        /// The store level lacks it.
        case store
        /// The class level gives it, or is the highest level that lacks it.
        case `class`
        /// The object part gives it, or is the highest level that lacks it.
        case object
        case unknownSubject, unknownObject, unknownPrivilege
        /// The class of the object does not support the privilege, so no caller can have it on the object.
        case unknownToClass
    }
}

extension Explanation {
    /// The answer for each privilege, in the order of the question.
    public var outcomes: [PrivilegeResult] { privileges.indices.map(outcome) }

    private func outcome(_ index: Int) -> PrivilegeResult {
        func denied(_ decider: PrivilegeResult.Decider, _ failing: [DecidingLevel] = []) -> PrivilegeResult {
            PrivilegeResult(privilege: privileges[index], isAllowed: false, decider: decider, failing: failing)
        }
        switch verdict.reason {
        case .unknownPrivilege: return denied(.unknownPrivilege)
        case .unknownSubject: return denied(.unknownSubject)
        case .unknownObject: return denied(.unknownObject)
        case .administrator, .levels: break
        }
        let privilege = wanted[index]
        if privilege.isEmpty { return denied(.unknownPrivilege) }
        if verdict.allows(privilege) {
            return PrivilegeResult(privilege: privileges[index], isAllowed: true, decider: giver(of: privilege), failing: [])
        }
        let failing = DecidingLevel.allCases.filter { !missing(at: $0, for: privilege).isEmpty }
        guard known.contains(privilege), let highest = failing.first else { return denied(.unknownToClass, failing) }
        return denied(PrivilegeResult.Decider(highest), failing)
    }

    /// Returns the level that gives an allowed privilege: the object part if the class has object ACLs, otherwise the class
    /// level. For a widening class it can be either.
    private func giver(of privilege: Privileges) -> PrivilegeResult.Decider {
        guard case .levels(let levels) = verdict.reason, let options = reasons?.object.options else { return .administrator }
        return switch levels.composition {
        case .narrowing: options.objectACL == .required ? .object : .class
        case .widening: levels.classLevel.contains(privilege) ? .class : .object
        }
    }

    /// Returns the privileges that a level lacks; empty if the answer does not depend on levels.
    ///
    /// - Parameters:
    ///   - level: at the store level `update` is included if something is to be created or deleted. For a widening class, the
    ///     class level and the object part lack the privileges that neither gives.
    ///   - privileges: some of those in the question; nil for all of them.
    public func missing(at level: DecidingLevel, for privileges: Privileges? = nil) -> Privileges {
        guard case .levels(let levels) = verdict.reason else { return [] }
        return levels.missing(privileges ?? Privileges(wanted), at: level)
    }
}

extension PrivilegeResult.Decider {
    init(_ level: DecidingLevel) {
        self =
            switch level {
            case .store: .store
            case .class: .class
            case .object: .object
            }
    }
}
