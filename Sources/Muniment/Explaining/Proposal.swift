public import Permissions

/// Changes that would allow what is denied, for an administrator to make in one transaction. None of them can be left out.
public struct Proposal: Hashable, Sendable {
    public let changes: [Change]
}

/// What would allow what is denied.
public struct Proposals: Sendable {
    /// The fewest changes first; none where nothing is denied, or where there is an obstacle.
    public let proposals: [Proposal]
    /// Whether these are all of their sort: at most ``Permissions/ExplanationLimits/proposals`` are told.
    public let isComplete: Bool
    /// Why no grant would do; nil where one does, or none is needed.
    public let obstacle: Obstacle?

    /// Why nothing can be proposed.
    public enum Obstacle: Hashable, Sendable {
        /// The object has to be created first.
        case unknownObject
        /// The role has to be created first, or the name is nobody's.
        case unknownSubject
        /// No class can have a privilege of this name: it is ill-formed, or the store has all the custom privileges it can have.
        case impossiblePrivilege(String)
        /// No privilege was asked about.
        case nothingAsked
    }
}
