internal import Glibc
internal import Synchronization

/// The library's servers: the current one, which gets new connections, and earlier ones with a previous certificate. The earlier ones
/// keep their existing connections until these end.
final class DaemonRotation: Sendable {
    private let state: Mutex<State>

    private struct State {
        var current: Daemon
        var earlier: [Earlier] = []
    }

    /// A server that gets no new connections.
    private struct Earlier {
        let daemon: Daemon
        /// Whether the server had no connection at the last check. A connection that has just been added is not counted yet.
        var wasEmpty = false
    }

    init(_ first: Daemon) { state = Mutex(State(current: first)) }

    /// Passes a connection to the current server.
    ///
    /// - Returns: false if the connection was closed at once, because the library has no memory for it.
    func add(_ connection: Int32, from address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        state.withLock { unsafe $0.current.add(connection, from: address, length) }
    }

    /// Passes new connections to another server from now on.
    func replaceCurrent(with daemon: Daemon) {
        state.withLock { state in
            state.earlier.append(Earlier(daemon: state.current))
            state.current = daemon
        }
    }

    /// Stops earlier servers that had no connection at two consecutive checks. Must be called about once a second.
    func stopEmptied() {
        let emptied = state.withLock { state in
            var emptied: [Daemon] = []
            state.earlier = state.earlier.compactMap { earlier in
                let isEmpty = earlier.daemon.isEmpty
                if isEmpty, earlier.wasEmpty {
                    emptied.append(earlier.daemon)
                    return nil
                }
                return Earlier(daemon: earlier.daemon, wasEmpty: isEmpty)
            }
            return emptied
        }
        for daemon in emptied { daemon.stop() }
    }

    /// Stops all servers. No connection may be suspended or added at this time. No method may be called afterwards.
    func stop() {
        let all = state.withLock { state in
            defer { state.earlier = [] }
            return state.earlier.map(\.daemon) + [state.current]
        }
        for daemon in all { daemon.stop() }
    }
}
