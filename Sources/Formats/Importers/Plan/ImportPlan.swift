public import Events
public import Permissions

/// The changes that make a store agree with a source.
public struct ImportPlan: Sendable {
    /// Changes that are committed together.
    public struct Step: Hashable, Sendable {
        /// The commit time; nil for the time of the import.
        public let time: Instant?
        public let changes: [Change]
    }

    /// In the order of their times.
    public internal(set) var steps: [Step] = []
    /// What the store keeps or has differently, and why.
    public internal(set) var notes: [String] = []

    public var changeCount: Int { steps.reduce(0) { $0 + $1.changes.count } }
}
