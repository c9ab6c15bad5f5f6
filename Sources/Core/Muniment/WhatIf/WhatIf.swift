public import Events
public import Permissions

/// The effect of transactions that were not committed: the access gained and lost, and the refusals (CONFORMANCE E12).
public struct WhatIf: Sendable {
    /// The revision that the transactions were tried on.
    public let revision: Revision
    /// The time for evaluating access before and after: the clock's, or the time of the last transaction if that is later.
    public let instant: Instant
    /// The refusal of each transaction, in order; nil for a transaction that would be accepted.
    public let refusals: [Refusal?]
    /// The changes of access, sorted by subject, then by object.
    public let differences: [Difference]
    /// Whether ``differences`` is complete; false if there are more than ``differenceLimit``.
    public let isComplete: Bool

    /// The maximum number of differences.
    public static let differenceLimit = 1_000_000

    /// The access of one subject to one object before and after.
    public struct Difference: Hashable, Sendable {
        /// A user, a thing, `everyone` or `anonymous`.
        public let subject: String
        /// The object: of a defined class, a class, a role, a permission, or the store.
        public let object: String
        /// The effective privileges now, sorted.
        public let before: [String]
        /// The effective privileges after the transactions, sorted.
        public let after: [String]

        public init(subject: String, object: String, before: [String], after: [String]) {
            (self.subject, self.object, self.before, self.after) = (subject, object, before, after)
        }

        /// The privileges gained, sorted.
        public var gained: [String] { after.filter { !before.contains($0) } }
        /// The privileges lost, sorted.
        public var lost: [String] { before.filter { !after.contains($0) } }
    }
}

extension WhatIf.Difference: CustomStringConvertible {
    /// Subject, object, and the privileges gained and lost: `user:ann  doc:plan  + read  - update`.
    public var description: String {
        var text = subject + "  " + object
        if !gained.isEmpty { text += "  + " + gained.joined(separator: ", ") }
        if !lost.isEmpty { text += "  - " + lost.joined(separator: ", ") }
        return text
    }
}
