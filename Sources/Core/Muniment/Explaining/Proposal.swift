public import Permissions

/// Changes that would allow a denied check, for an administrator to commit in one transaction. All of them are required.
public struct Proposal: Hashable, Sendable {
    public let changes: [Change]
}

/// The proposals that would allow a denied check.
public struct Proposals: Sendable {
    /// Sorted by the number of changes, fewest first. Empty if nothing is denied, or if an obstacle exists.
    public let proposals: [Proposal]
    /// Whether the list is complete: it contains at most ``Permissions/ExplanationLimits/proposals``.
    public let isComplete: Bool
    /// Why no grant would suffice; nil if one does, or if nothing is denied.
    public let obstacle: Obstacle?

    /// Why nothing can be proposed.
    public enum Obstacle: Hashable, Sendable {
        /// The object must be created first.
        case unknownObject
        /// The role must be created first, or the name is not valid for any subject.
        case unknownSubject
        /// A privilege of this name is not possible: the name is ill-formed, or the store has its maximum of custom privileges.
        case impossiblePrivilege(String)
        /// The check named no privileges.
        case nothingAsked
    }
}
