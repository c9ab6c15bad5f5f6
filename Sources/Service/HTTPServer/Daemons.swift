internal import Glibc
internal import Synchronization

/// The library's servers: the one that gets new connections, and those with an earlier certificate, which keep the connections that
/// they have until these end.
final class Daemons: Sendable {
    private let state: Mutex<State>

    private struct State {
        var current: Daemon
        var earlier: [Earlier] = []
    }

    /// A server that gets no new connections.
    private struct Earlier {
        let daemon: Daemon
        /// Whether it had no connection when it was last looked at. A connection that was added a moment ago is not counted yet.
        var wasEmpty = false
    }

    init(_ first: Daemon) { state = Mutex(State(current: first)) }

    /// Hands a connection to the current server.
    ///
    /// - Returns: false if the connection was closed at once, because the library lacks memory for it.
    func add(_ connection: Int32, from address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        state.withLock { unsafe $0.current.add(connection, from: address, length) }
    }

    /// Gives new connections to another server from now on.
    func replaceCurrent(with daemon: Daemon) {
        state.withLock { state in
            state.earlier.append(Earlier(daemon: state.current))
            state.current = daemon
        }
    }

    /// Stops the earlier servers that have had no connection at two looks in a row. Call it about once a second.
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

    /// Stops all of them. No connection may rest or come. Nothing may be called afterwards.
    func stop() {
        let all = state.withLock { state in
            defer { state.earlier = [] }
            return state.earlier.map(\.daemon) + [state.current]
        }
        for daemon in all { daemon.stop() }
    }
}
