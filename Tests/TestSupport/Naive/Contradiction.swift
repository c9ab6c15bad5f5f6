/// A commit that contradicts the commits before it. A log with such a commit is wrong, independent of the store's answers.
public struct Contradiction: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
