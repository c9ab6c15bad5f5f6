public import Events

/// What a test expected of a history at some revision, and what was so instead.
public struct UnmetExpectation: Error, Sendable, CustomStringConvertible {
    /// What was expected.
    public let expected: String
    /// What is so instead; nil where the opposite of what was expected is all there is to say.
    public let actual: String?
    /// Why it is so; nil where that is not known.
    public let reason: String?
    public let revision: Revision
    public let time: Instant
    /// What led to the revision, as a line of a scenario.
    public let cause: String
    /// The title of the history; nil where it has none.
    public let title: String?
    /// The place of the cause among the entries of the history, from 0.
    public let entry: Int
    /// The expectation as a line of a scenario: a question, with the answer that was expected; nil where none says it.
    public let question: String?

    /// Whether it is about what came of a transaction.
    let isOutcome: Bool
    /// What sort of expectation it is: shrinking a history keeps to it.
    let kind: String

    /// Several lines: what was expected and what is so, where, and why.
    public var description: String {
        var lines = ["expected: \(expected)"]
        if let actual { lines.append("but: \(actual)") }
        if let reason { lines.append("because: \(reason)") }
        lines.append("at: revision \(revision), \(time)\(title.map { " of `\($0)`" } ?? "")")
        lines.append("after: \(cause)")
        return lines.joined(separator: "\n")
    }
}
