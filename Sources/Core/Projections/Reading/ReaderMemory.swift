internal import Events
internal import Permissions

/// A value with its span of revisions: from `begin` up to but excluding `end`.
struct RevisionSpan<Value> {
    let begin: Revision
    let end: Revision
    let value: Value

    @inline(__always) func covers(_ revision: Revision) -> Bool { begin <= revision && revision < end }
}

/// The entries of the store or a class, with their span of revisions.
final class UpperSpan {
    let object: ObjectID
    let begin: Revision
    let end: Revision
    /// The options of the class; nil for the store.
    let options: ClassOptions?
    /// The entries on the object and those of attached permissions; nil if they are too many to cache.
    let entries: [AccessEntry]?
    /// The permissions of the last entries.
    let attached: [PermissionID]

    init(
        object: ObjectID, begin: Revision, end: Revision, options: ClassOptions?, entries: [AccessEntry]?, attached: [PermissionID]
    ) {
        self.object = object
        self.begin = begin
        self.end = end
        self.options = options
        self.entries = entries
        self.attached = attached
    }

    @inline(__always) func covers(_ object: ObjectID, _ revision: Revision) -> Bool {
        self.object == object && begin <= revision && revision < end
    }
}

/// The subjects of a caller, with their span of revisions.
final class SubjectSpan {
    let caller: PrincipalID
    let begin: Revision
    let end: Revision
    let subjects: SubjectSet
    /// The memberships of the caller, after their first use.
    var ancestry: MembershipChains?

    init(begin: Revision, end: Revision, subjects: SubjectSet) {
        caller = subjects.caller
        self.begin = begin
        self.end = end
        self.subjects = subjects
    }

    @inline(__always) func covers(_ caller: PrincipalID, _ revision: Revision) -> Bool {
        self.caller == caller && begin <= revision && revision < end
    }
}

/// A cache of spans by number: a slot for each recently used number, and a table of all spans.
///
/// Most lookups need only one slot. One number can have many spans over a history; the table contains them all.
final class SpanMemory<Span: AnyObject> {
    private var slots: [Span?]
    private var table: [UInt64: [Span]] = [:]
    private var count = 0
    private let limit: Int

    /// - Parameters:
    ///   - slotBits: the logarithm of the initial number of slots; the slots grow with the number of spans.
    ///   - limit: the maximum number of spans; then the cache is cleared.
    init(slotBits: Int, limit: Int) {
        slots = Array(repeating: nil, count: 1 << slotBits)
        self.limit = limit
    }

    @inline(__always)
    func find(_ number: UInt64, _ isRight: (Span) -> Bool) -> Span? {
        let slot = Int(truncatingIfNeeded: number) & (slots.count &- 1)
        if let span = slots[slot], isRight(span) { return span }
        return findInTable(number, slot, isRight)
    }

    @inline(never)
    private func findInTable(_ number: UInt64, _ slot: Int, _ isRight: (Span) -> Bool) -> Span? {
        guard let span = table[number]?.first(where: isRight) else { return nil }
        slots[slot] = span
        return span
    }

    func remember(_ number: UInt64, _ span: Span) {
        if count >= limit { removeAll() }
        table[number, default: []].append(span)
        count += 1
        if count > slots.count, slots.count < limit { slots = Array(repeating: nil, count: slots.count * 4) }
        slots[Int(truncatingIfNeeded: number) & (slots.count - 1)] = span
    }

    func removeAll() {
        guard count > 0 else { return }
        table.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = nil }
        count = 0
    }
}
