internal import Dispatch
internal import Synchronization

/// The connections of a server, and the limits on their number: in total, and for each network (``IPAddress/network``).
///
/// At a limit, the server closes a waiting connection to make room for a new one. A waiting connection is idle, or its request has not
/// arrived in full. The server selects it as follows:
///
/// - At the limit of a network: from the connections of that network.
/// - At the total limit: from the network with the most connections, so that a client with many connections displaces its own.
/// - Among these: the connection that has been idle for the longest time. If no connection has been idle for a while: the one whose client
///   the server has waited for longest. A client that has just connected, or sends requests often, keeps its connection while there are
///   older unfinished requests.
final class ConnectionTable: Sendable {
    private let limit: Int
    /// The limit for each network; 0 for no limit.
    private let limitPerNetwork: Int
    /// Networks of proxies. They carry the connections of many clients, and are not counted by network.
    private let proxies: Set<IPAddress>
    private let state = Mutex(State())
    /// Signalled when a connection ends while a new one waits, and when no more connections are accepted.
    private let changed = DispatchSemaphore(value: 0)

    /// How long a new connection waits before another connection is closed for it.
    private static let pauseSeconds = 0.05
    /// How long a connection without a request is expected to send one.
    fileprivate static let freshNanoseconds: UInt64 = 1_000_000_000

    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Number of accepted connections that have not ended, including those that the library has not taken over yet.
        var count = 0
        var counts: [IPAddress: Int] = [:]
        /// Whether a new connection waits for room.
        var isAwaited = false
        var isClosed = false
    }

    init(_ settings: HTTPServerSettings) {
        limit = settings.connectionLimit
        limitPerNetwork = settings.connectionsPerAddress
        proxies = Set(settings.proxies.map(\.network))
    }

    /// Counts an accepted connection. At the total limit, waits until another connection has ended. May be called by one thread only.
    ///
    /// - Parameter network: the client's network; nil if its address has an unknown kind.
    /// - Returns: false if the connection must be closed at once: its network is at the limit and all its connections are handling
    ///   requests,
    ///   or the server stops.
    func enter(from network: IPAddress?) -> Bool {
        while true {
            let isIn = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                if let network, limitPerNetwork > 0, !proxies.contains(network),
                    state.counts[network, default: 0] >= limitPerNetwork,
                    !state.endWaiting(from: network)
                {
                    return false
                }
                if state.count >= limit {
                    // The closing connection is counted until the library has closed it.
                    endWaitingOfLargest(&state)
                    state.isAwaited = true
                    return nil
                }
                state.count += 1
                if let network { state.counts[network, default: 0] += 1 }
                return true
            }
            if let isIn { return isIn }
            _ = changed.wait(timeout: .now() + Self.pauseSeconds)
        }
    }

    /// Ends the counting of a connection.
    func leave(from network: IPAddress?) {
        if state.withLock({ $0.discount(network) }) { changed.signal() }
    }

    /// Called when the library has taken over a connection.
    func add(_ connection: Connection) { state.withLock { $0.connections[ObjectIdentifier(connection)] = connection } }

    /// Called when a connection has ended.
    func remove(_ connection: Connection) {
        let isAwaited = state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            return state.discount(connection.network)
        }
        if isAwaited { changed.signal() }
    }

    /// Accepts no further connections.
    func close() {
        state.withLock { $0.isClosed = true }
        changed.signal()
    }

    /// Calls `body` for every connection. During the call, no socket can be closed and its number reused.
    func each(_ body: (Connection) -> Void) { state.withLock { $0.connections.values.forEach(body) } }

    /// Whether any request is being handled.
    var isBusy: Bool { state.withLock { $0.connections.values.contains { $0.isBusy.load(ordering: .acquiring) } } }

    private func endWaitingOfLargest(_ state: inout State) {
        var largest: (network: IPAddress?, count: Int)?
        for connection in state.connections.values where connection.canGiveWay {
            let network = connection.network
            let count = network.map { proxies.contains($0) ? 0 : state.counts[$0, default: 0] } ?? 0
            if count > largest?.count ?? -1 { largest = (network, count) }
        }
        if let largest { _ = state.endWaiting(from: largest.network) }
    }
}

extension ConnectionTable.State {
    /// Closes a waiting connection of a network. Returns false if there is none.
    fileprivate func endWaiting(from network: IPAddress?) -> Bool {
        let fresh = Clock.nanoseconds() - ConnectionTable.freshNanoseconds
        var chosen: (connection: Connection, isIdle: Bool, since: UInt64)?
        for connection in connections.values where connection.canGiveWay && connection.network == network {
            let since = connection.waitingSince.load(ordering: .relaxed)
            let isIdle = since < fresh && !connection.isBusy.load(ordering: .acquiring)
            if let other = chosen, other.isIdle == isIdle ? since >= other.since : other.isIdle { continue }
            chosen = (connection, isIdle, since)
        }
        guard let chosen else { return false }
        // Its request may have arrived in full meanwhile. In this case another connection is selected.
        return chosen.connection.giveWay() || endWaiting(from: network)
    }

    /// - Returns: whether a new connection waits for this change.
    fileprivate mutating func discount(_ network: IPAddress?) -> Bool {
        count -= 1
        if let network, let held = counts[network] { counts[network] = held == 1 ? nil : held - 1 }
        defer { isAwaited = false }
        return isAwaited
    }
}
