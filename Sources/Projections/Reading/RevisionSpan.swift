internal import Events

/// A value, and the revisions for which it holds: from `begin` until before `end`.
struct RevisionSpan<Value> {
    let begin: Revision
    let end: Revision
    let value: Value

    @inline(__always) func covers(_ revision: Revision) -> Bool { begin <= revision && revision < end }
}
