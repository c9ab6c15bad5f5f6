internal import EventLog
internal import Events
internal import Permissions
internal import Synchronization

/// The names of the stores in the shared logs, which are read once a second at most.
///
/// While one thread waits for an engine that does not answer, the others get the last result.
final class SharedStoreNames: Sendable {
    private let logs: any SharedLogs
    private let state = Mutex(State())

    private struct State {
        var result: Result<[StoreName], any Error>?
        var time = ContinuousClock.now
        var isReading = false
    }

    init(_ logs: any SharedLogs) { self.logs = logs }

    /// Returns the names.
    ///
    /// - Throws: `SharedLogError`.
    func read() throws -> [StoreName] {
        let known = state.withLock { state -> Result<[StoreName], any Error>? in
            if let known = state.result, state.isReading || state.time.duration(to: .now) < .seconds(1) { return known }
            state.isReading = true
            return nil
        }
        if let known { return try known.get() }
        let result = Result { try logs.names().compactMap { StoreName($0) } }
        state.withLock { $0 = State(result: result) }
        return try result.get()
    }

    /// Makes the next call of ``read()`` ask the engine.
    func forget() { state.withLock { $0 = State() } }
}
