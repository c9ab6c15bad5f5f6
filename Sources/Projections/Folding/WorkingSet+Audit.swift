package import Events

/// What the audit is found by, beside the rest of the fold.
extension WorkingSet {
    /// The revision of the first commit whose events are in the open block and have to be taken up from the log before anything is
    /// folded; nil where there is none.
    package var firstUntaken: Revision? { blocks.missing?.revision }

    /// Takes up a commit of the open block that was folded before, in order from ``firstUntaken`` on.
    package func takeUp(_ commit: Commit) { blocks.takeUp(commit, isLast: commit.revision == state.revision) }

    /// The first refusal that is in no full block: those from there on have to be folded again when the index is opened.
    package var firstOpenRefusal: RefusalNumber {
        RefusalNumber(state.refusalBlocks * UInt64(AuditRecords.capacity) + 1)
    }

    /// Folds a refused command. They come in order, on their own beside the commits.
    package func fold(_ refusal: RecordedRefusal) {
        blocks.add(refusal)
        state.refusalBlocks = blocks.refusalBlock
    }
}
