internal import Foundation
internal import Synchronization

/// A separate thread for blocking tests. It starts at once and is joined once.
public final class TestThread: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let outcome = Mutex<(any Error)?>(nil)

    public init(_ body: @escaping @Sendable () throws -> Void) {
        Thread { [self] in
            do { try body() } catch { outcome.withLock { $0 = error } }
            done.signal()
        }.start()
    }

    /// Waits until the thread has finished, and throws its error.
    ///
    /// - Parameter seconds: the time limit. A thread that still runs then is abandoned.
    /// - Throws: ``NotInTime`` if the thread runs longer.
    public func join(withinSeconds seconds: Int = 1_200) throws {
        guard done.wait(timeout: .now() + .seconds(seconds)) == .success else {
            throw NotInTime(description: "a thread goes on for more than \(seconds) s")
        }
        if let error = outcome.withLock({ $0 }) { throw error }
    }
}
