/// What a process did to open a store for writing.
public struct StoreOpening: Hashable, Sendable {
    /// Whether the writer before had closed the store. Otherwise its process or the machine had stopped suddenly.
    public let wasClosed: Bool
    /// Whether the index was folded from the whole log, because it was missing, damaged, or of another version. Always false for a log
    /// with only its first commit.
    public let isRebuilt: Bool
    /// The number of commits that were folded into the index.
    public let foldedCommits: UInt64
}
