/// A random history that breaks what is to hold at every revision, with all that is needed to see it again.
public struct BrokenProperty: Error, Sendable, CustomStringConvertible {
    /// The seed that the history was drawn from.
    public let seed: UInt64
    /// How many entries the history had that was drawn, up to where it broke the property.
    public let drawnCount: Int
    /// The short history.
    public let shrunk: ShrunkHistory

    init(seed: UInt64, drawn: Int, _ shrunk: ShrunkHistory) { (self.seed, drawnCount, self.shrunk) = (seed, drawn, shrunk) }

    /// What was broken by which short history, and how to run it again.
    public var description: String {
        """
        a random history breaks what is to hold; MUNIMENT_SEED=\(seed) draws it first
        \(shrunk)
        """
    }
}

/// A short history that fails as a long one did.
public struct ShrunkHistory: Sendable, CustomStringConvertible {
    /// What is left, as it can be replayed.
    public let history: History
    /// How it fails: ``UnmetExpectation``, or what else a property threw.
    public let failure: any Error
    /// A `scenario/1` file that fails in the same way under `muniment scenario`, where what was expected can be asked there.
    public let scenario: String
    /// How many replays it took.
    public let replays: Int

    public var description: String {
        """
        \(failure)
        what is left of the history, as a scenario (\(history.entries.count) entries, after \(replays) replays):
        \(scenario)
        """
    }
}
