public import Events

/// An expectation of a test that was not met at some revision, with the actual result.
public struct ExpectationError: Error, Sendable, CustomStringConvertible {
    /// The expected result.
    public let expected: String
    /// The actual result; nil if it is just the opposite of the expected one.
    public let actual: String?
    /// The reason of the actual result; nil if unknown.
    public let reason: String?
    public let revision: Revision
    public let time: Instant
    /// The cause of the revision, as a line of a scenario.
    public let cause: String
    /// The title of the history; nil for none.
    public let title: String?
    /// The index of the cause among the entries of the history, from 0.
    public let entry: Int
    /// The expectation as a line of a scenario, a question with its expected answer; nil if no line can express it.
    public let question: String?

    /// Whether the expectation is about the outcome of a transaction.
    let isOutcome: Bool
    /// The kind of the expectation. Shrinking keeps it unchanged.
    let kind: String

    /// Several lines: the expected and the actual result, the revision, and the reason.
    public var description: String {
        var lines = ["expected: \(expected)"]
        if let actual { lines.append("but: \(actual)") }
        if let reason { lines.append("because: \(reason)") }
        lines.append("at: revision \(revision), \(time)\(title.map { " of `\($0)`" } ?? "")")
        lines.append("after: \(cause)")
        return lines.joined(separator: "\n")
    }
}
