internal import Dispatch
internal import Synchronization

/// Counts the current users of a store. Its files are closed when the count is zero: reading an unmapped file crashes the process.
///
/// Beginning and ending cost one addition each and never wait.
final class StoreUseCounter: Sendable {
    /// Twice the number of users, plus one after the store was closed.
    private let state = Atomic(0)
    private let haveLeft = DispatchSemaphore(value: 0)

    /// Whether the store is closed or closing, so that no new use can begin.
    var isClosed: Bool { state.load(ordering: .acquiring) & 1 == 1 }

    /// Calls `body` while using the store. Closing waits for it.
    ///
    /// - Throws: ``StoreError/closed``, and the errors of `body`.
    func during<R>(_ body: () throws -> R) throws -> R {
        try enter()
        defer { leave() }
        return try body()
    }

    /// Begins to use the store; ``leave()`` ends it.
    func enter() throws(StoreError) {
        if state.add(2, ordering: .acquiring).oldValue & 1 == 1 {
            leave()
            throw .closed
        }
    }

    func leave() {
        // Publishes the work of each user to the thread that closes the files.
        if state.subtract(2, ordering: .acquiringAndReleasing).newValue == 1 { haveLeft.signal() }
    }

    /// Prevents new uses. Returns false if the store was already closed.
    func close() -> Bool { state.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue & 1 == 0 }

    /// Waits until all uses have ended. Called once, after ``close()``.
    func waitUntilAllHaveLeft() {
        // Rejected users are counted for a moment, and signal as well.
        while state.load(ordering: .acquiring) != 1 { haveLeft.wait() }
    }
}
