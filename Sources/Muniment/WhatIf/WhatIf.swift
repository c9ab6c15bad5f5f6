public import Events
public import Permissions

/// What transactions would lead to that were not made: who would gain and lose what, and what would be refused (CONFORMANCE E12).
public struct WhatIf: Sendable {
    /// The revision that the transactions were tried on.
    public let revision: Revision
    /// The instant for which access before and after was judged: the clock's, or the time of the last transaction where that is
    /// later.
    public let instant: Instant
    /// What would become of each transaction, in their order; nil where it would be accepted.
    public let refusals: [Refusal?]
    /// Whose access would be another one, to what: sorted by subject, then by object.
    public let differences: [Difference]
    /// Whether ``differences`` holds all there are; false where there are more than ``differenceLimit``.
    public let isComplete: Bool

    /// The differences that are listed at most.
    public static let differenceLimit = 1_000_000

    /// What one subject's access to one object is, and what it would be.
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

        /// What would be won, sorted.
        public var gained: [String] { after.filter { !before.contains($0) } }
        /// What would be lost, sorted.
        public var lost: [String] { before.filter { !after.contains($0) } }
    }
}

extension WhatIf.Difference: CustomStringConvertible {
    /// Subject, object, and what is won and lost: `user:ann  doc:plan  + read  - update`.
    public var description: String {
        var text = subject + "  " + object
        if !gained.isEmpty { text += "  + " + gained.joined(separator: ", ") }
        if !lost.isEmpty { text += "  - " + lost.joined(separator: ", ") }
        return text
    }
}
