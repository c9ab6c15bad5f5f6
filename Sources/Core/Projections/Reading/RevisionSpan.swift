internal import Events

/// A value with its span of revisions: from `begin` up to but excluding `end`.
struct RevisionSpan<Value> {
    let begin: Revision
    let end: Revision
    let value: Value

    @inline(__always) func covers(_ revision: Revision) -> Bool { begin <= revision && revision < end }
}
