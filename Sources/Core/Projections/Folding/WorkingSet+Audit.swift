package import Events

/// The audit part of the fold.
extension WorkingSet {
    /// The revision of the first commit to load from the log before folding, because its events are in the open block; nil if no
    /// commit must be loaded.
    package var firstUntaken: Revision? { blocks.missing?.revision }

    /// Loads a folded commit of the open block, in order from ``firstUntaken`` on.
    package func takeUp(_ commit: Commit) { blocks.takeUp(commit, isLast: commit.revision == state.revision) }

    /// The first refusal that is not in a full block. The refusals from it on must be folded again when the index is opened.
    package var firstOpenRefusal: RefusalNumber {
        RefusalNumber(state.refusalBlocks * UInt64(AuditRecords.capacity) + 1)
    }

    /// Folds a refused command. Refusals must be passed in order, independent of the commits.
    package func fold(_ refusal: RecordedRefusal) {
        blocks.add(refusal)
        state.refusalBlocks = blocks.refusalBlock
    }
}
