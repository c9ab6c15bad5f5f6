import Dispatch
import EventLog
import Foundation
import Permissions
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Names of shared stores")
struct SharedStoreNamesTests {
    @Test("While one request waits for a shared log that does not answer, the others get the last result")
    func waiting() throws {
        let logs = WaitingLogs()
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let names = SharedStoreNames(logs) { start + passed.withLock { $0 } }
        let found = [StoreName("default")]
        #expect(try names.read() == found)
        #expect(try names.read() == found)
        #expect(logs.calls == 1, "the names are kept for a second")
        logs.waits = true
        passed.withLock { $0 = .seconds(1) }
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            #expect(throws: SharedLogError.unreachable("a fault of the test")) { try names.read() }
            hasEnded.signal()
        }
        while logs.calls < 2 { Thread.sleep(forTimeInterval: 0.001) }
        #expect(try names.read() == found)
        logs.release.signal()
        hasEnded.wait()
        // A failure is also kept for a second.
        #expect(throws: SharedLogError.unreachable("a fault of the test")) { try names.read() }
        #expect(logs.calls == 2)
    }
}

/// Shared logs that answer, or wait until they are released and fail.
private final class WaitingLogs: SharedLogs {
    let release = DispatchSemaphore(value: 0)
    private let state = Mutex((calls: 0, waits: false))

    var calls: Int { state.withLock { $0.calls } }
    var waits: Bool {
        get { state.withLock { $0.waits } }
        set { state.withLock { $0.waits = newValue } }
    }

    func names() throws -> [String] {
        let waits = state.withLock { state in
            state.calls += 1
            return state.waits
        }
        guard waits else { return ["default"] }
        _ = release.wait(timeout: .now() + 1_200)
        throw SharedLogError.unreachable("a fault of the test")
    }

    func log(of store: String) -> any SharedLog { preconditionFailure("no log is opened") }
    func check() {}
    func close() {}
}
