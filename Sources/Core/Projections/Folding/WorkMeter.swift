internal import Permissions
internal import Synchronization

/// Counts the work of a working set in steps, and refuses a transaction that exceeds its limit.
///
/// A step is about a tenth of a microsecond: one lookup in memory. The other costs are multiples of it. Must be used by one thread at
/// a time. The counts are atomic all the same: variables of a class are checked for overlapping accesses at each use, which would take
/// longer than counting.
package final class WorkMeter {
    /// Reading a row or a name from the index.
    static let load = 30
    /// Changing a document or a relation, including its row.
    static let change = 20
    /// Bytes of a value that take one step to read and merge.
    static let readBytes = 4
    /// Bytes of a value that take one step to store.
    static let storedBytes = 8

    private let steps = Atomic(0)
    /// The total that the present transaction must not exceed, and its limit.
    private let end = Atomic(Int.max)
    private let limit = Atomic(Int.max)

    /// Steps since the working set was opened.
    package var total: Int { steps.load(ordering: .relaxed) }

    /// Limits the following work to a number of steps, until ``endLimit()``.
    package func beginLimit(_ limit: Int) {
        self.limit.store(limit, ordering: .relaxed)
        let (sum, overflow) = total.addingReportingOverflow(limit)
        end.store(overflow ? .max : sum, ordering: .relaxed)
    }

    package func endLimit() { end.store(.max, ordering: .relaxed) }

    /// Adds steps.
    ///
    /// - Throws: ``Refusal`` with `tooMuchWork` if the transaction exceeds its limit.
    @inline(__always)
    func count(_ count: Int = 1) throws {
        let sum = total + count
        steps.store(sum, ordering: .relaxed)
        if sum > end.load(ordering: .relaxed) { throw refusal }
    }

    private var refusal: Refusal {
        Refusal(
            .tooMuchWork,
            """
            the transaction takes more than \(limit.load(ordering: .relaxed)) steps of work, the limit for a caller who does not \
            administer the store: split it into smaller transactions, or have an administrator commit it
            """)
    }
}
