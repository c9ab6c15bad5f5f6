internal import Permissions

/// Counts the work of a working set in steps, and refuses a transaction that exceeds its limit.
///
/// A step is about a tenth of a microsecond: one lookup in memory. The other costs are multiples of it.
package final class WorkMeter {
    /// Reading a row or a name from the index.
    static let load = 30
    /// Changing a document or a relation, including its row.
    static let change = 20
    /// Bytes of a value that take one step to read and merge.
    static let readBytes = 4
    /// Bytes of a value that take one step to store.
    static let storedBytes = 8

    /// Steps since the working set was opened.
    package private(set) var total = 0
    /// The total that the present transaction must not exceed, and its limit.
    private var end = Int.max
    private var limit = Int.max

    /// Limits the following work to a number of steps, until ``endLimit()``.
    package func beginLimit(_ limit: Int) {
        self.limit = limit
        let (sum, overflow) = total.addingReportingOverflow(limit)
        end = overflow ? .max : sum
    }

    package func endLimit() { (end, limit) = (.max, .max) }

    /// Adds steps.
    ///
    /// - Throws: ``Refusal`` with `tooMuchWork` if the transaction exceeds its limit.
    @inline(__always)
    func count(_ steps: Int = 1) throws {
        total += steps
        if total > end { throw refusal }
    }

    private var refusal: Refusal {
        Refusal(
            .tooMuchWork,
            """
            the transaction takes more than \(limit) steps of work, the limit for a caller who does not administer the store: \
            split it into smaller transactions, or have an administrator commit it
            """)
    }
}
