public import Events

/// The privileges of a caller on an object, and what decided them.
@frozen public struct Verdict: Hashable, Sendable {
    /// The effective privileges. If the question was about some privileges only, others may be missing.
    public var effective: Privileges
    public var reason: Reason

    @inlinable public init(effective: Privileges, reason: Reason) {
        self.effective = effective
        self.reason = reason
    }

    /// The reason for the answer.
    @frozen public enum Reason: Hashable, Sendable {
        /// The caller is an administrator, who has every privilege.
        case administrator
        /// The object does not exist.
        case unknownObject
        /// The role does not exist, or the name is not a subject's.
        case unknownSubject
        /// The store does not define a privilege of this name.
        case unknownPrivilege(String)
        /// The privileges of the three levels.
        case levels(Levels)
    }

    /// Whether all of some privileges are effective.
    @inlinable public func allows(_ wanted: Privileges) -> Bool { !wanted.isEmpty && effective.isSuperset(of: wanted) }

    /// Returns the highest level that lacks some of the wanted privileges; nil if no single level does.
    public func decidingLevel(for wanted: Privileges) -> DecidingLevel? {
        guard case .levels(let levels) = reason, !allows(wanted) else { return nil }
        return levels.deciding(wanted)
    }
}
