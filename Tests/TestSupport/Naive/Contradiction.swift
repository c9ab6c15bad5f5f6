/// A commit that cannot follow the ones before it: a log that says this is wrong, whatever its store answers.
public struct Contradiction: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
