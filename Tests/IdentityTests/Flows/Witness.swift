import Dispatch
import Synchronization
import Testing

@testable import Identity

/// A flag that any thread can set.
final class Flag: Sendable {
    private let value = Mutex(false)
    func set() { value.withLock { $0 = true } }
    var isSet: Bool { value.withLock { $0 } }
}

/// Problems in the order of their occurrence; nil means success.
final class Problems: Sendable {
    private let kept = Mutex<[AccountError?]>([])
    func add(_ problem: AccountError?) { kept.withLock { $0.append(problem) } }
    var all: [AccountError?] { kept.withLock { $0 } }
}

/// Lets one thread wait for another.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    /// Continues after one minute in any case and records an issue, so that a failing test does not hang.
    func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        let isOpen = semaphore.wait(timeout: .now() + 1_200) == .success
        #expect(isOpen, "nobody opened the gate", sourceLocation: sourceLocation)
    }
}
