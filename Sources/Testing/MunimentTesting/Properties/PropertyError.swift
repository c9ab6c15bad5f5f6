/// A random history that breaks a property, with everything needed to reproduce it.
public struct PropertyError: Error, Sendable, CustomStringConvertible {
    /// The seed of the history.
    public let seed: UInt64
    /// The number of generated entries up to the failure.
    public let drawnCount: Int
    /// The shrunk history.
    public let shrunk: ShrunkHistory

    init(seed: UInt64, drawn: Int, _ shrunk: ShrunkHistory) { (self.seed, drawnCount, self.shrunk) = (seed, drawn, shrunk) }

    /// The failure, the shrunk history, and how to run it again.
    public var description: String {
        """
        a random history breaks a property; MUNIMENT_SEED=\(seed) repeats it
        \(shrunk)
        """
    }
}

/// A short history that fails in the same way as a long one.
public struct ShrunkHistory: Sendable, CustomStringConvertible {
    /// The remaining history, ready to replay.
    public let history: History
    /// The failure: ``ExpectationError``, or another error of the property.
    public let failure: any Error
    /// A `scenario/1` file that fails in the same way under `muniment scenario`, if a scenario can express the expectation.
    public let scenario: String
    /// The number of replays.
    public let replays: Int

    public var description: String {
        """
        \(failure)
        the reduced history, as a scenario (\(history.entries.count) entries, after \(replays) replays):
        \(scenario)
        """
    }
}
