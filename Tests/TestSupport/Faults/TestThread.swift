internal import Foundation
internal import Synchronization

/// A thread of its own, for tests of what blocks: started at once, joined once.
public final class TestThread: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let outcome = Mutex<(any Error)?>(nil)

    public init(_ body: @escaping @Sendable () throws -> Void) {
        Thread { [self] in
            do { try body() } catch { outcome.withLock { $0 = error } }
            done.signal()
        }.start()
    }

    /// Waits until the thread is done, and throws what it threw.
    ///
    /// - Parameter seconds: how long it is waited for; what hangs is left behind then.
    /// - Throws: ``NotInTime`` where it goes on for longer.
    public func join(withinSeconds seconds: Int = 1_200) throws {
        guard done.wait(timeout: .now() + .seconds(seconds)) == .success else {
            throw NotInTime(description: "a thread goes on for more than \(seconds) s")
        }
        if let error = outcome.withLock({ $0 }) { throw error }
    }
}
