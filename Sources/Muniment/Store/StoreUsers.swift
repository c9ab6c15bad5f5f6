internal import Dispatch
internal import Synchronization

/// How many use a store at this moment. Its files are closed once nobody does: who reads where a file was mapped brings the process
/// down.
///
/// Beginning and ending costs an addition each, and nobody waits for anybody.
final class StoreUsers: Sendable {
    /// Twice how many there are, and one more once the store is closed.
    private let state = Atomic(0)
    private let haveLeft = DispatchSemaphore(value: 0)

    /// Whether the store is closed, or is being closed, so that nobody begins to use it.
    var isClosed: Bool { state.load(ordering: .acquiring) & 1 == 1 }

    /// Uses the store. Closing waits for it.
    ///
    /// - Throws: ``StoreError/closed``, and what `body` throws.
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
        // What each has done is done for whoever closes the files.
        if state.subtract(2, ordering: .acquiringAndReleasing).newValue == 1 { haveLeft.signal() }
    }

    /// Lets nobody begin any more. False where that was so already.
    func close() -> Bool { state.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue & 1 == 0 }

    /// Waits until nobody uses the store. Called once, behind ``close()``.
    func waitUntilAllHaveLeft() {
        // Those that were turned away count for a moment, too, and signal as well.
        while state.load(ordering: .acquiring) != 1 { haveLeft.wait() }
    }
}
