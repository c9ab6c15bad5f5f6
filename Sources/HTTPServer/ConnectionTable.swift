internal import Dispatch
internal import Synchronization

/// The connections of a server, and the limits on their number: in all, and for each network (``IPAddress/network``).
///
/// At a limit an idle connection gives way to a new one. At the limit of a network it is the one of that network that has been idle
/// for the longest time. At the limit in all it is one of the network that has the most connections, so that a client with many
/// connections displaces its own.
final class ConnectionTable: Sendable {
    private let limit: Int
    /// 0 for no limit.
    private let limitPerNetwork: Int
    /// Networks of proxies, which carry the connections of many clients: not counted by network.
    private let proxies: Set<IPAddress>
    private let state = Mutex(State())
    /// Signalled when a connection ends while a new one waits, and when no more connections are accepted.
    private let changed = DispatchSemaphore(value: 0)

    /// How long a new connection waits before another idle one is looked for.
    private static let pauseSeconds = 0.05

    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Connections that were accepted and have not ended, also those that the library has not taken up yet.
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

    /// Counts a connection that was accepted. At the limit in all it waits until another one has ended. For one thread.
    ///
    /// - Parameter network: where the connection comes from; nil if its address is of no known kind.
    /// - Returns: false if the connection must be closed at once: its network has its share and none of them is idle, or the server
    ///   stops.
    func enter(from network: IPAddress?) -> Bool {
        while true {
            let isIn = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                if let network, limitPerNetwork > 0, !proxies.contains(network),
                    state.counts[network, default: 0] >= limitPerNetwork,
                    !state.endIdle(where: { $0 == network })
                {
                    return false
                }
                if state.count >= limit {
                    // The connection that gives way is counted until the library has closed it.
                    endIdleOfLargest(&state)
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

    /// Counts a connection no more.
    func leave(from network: IPAddress?) {
        if state.withLock({ $0.discount(network) }) { changed.signal() }
    }

    /// The library has taken up a connection.
    func add(_ connection: Connection) { state.withLock { $0.connections[ObjectIdentifier(connection)] = connection } }

    /// A connection has ended.
    func remove(_ connection: Connection) {
        let isAwaited = state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            return state.discount(connection.network)
        }
        if isAwaited { changed.signal() }
    }

    /// Lets no connection in any more.
    func close() {
        state.withLock { $0.isClosed = true }
        changed.signal()
    }

    /// Calls `body` with every connection, while no socket can be closed and its number be given to another one.
    func each(_ body: (Connection) -> Void) { state.withLock { $0.connections.values.forEach(body) } }

    /// Whether any request is being answered.
    var isBusy: Bool { state.withLock { $0.connections.values.contains { $0.isBusy.load(ordering: .acquiring) } } }

    private func endIdleOfLargest(_ state: inout State) {
        var largest: (network: IPAddress?, count: Int)?
        for connection in state.connections.values where connection.canGiveWay {
            let network = connection.network
            let count = network.map { proxies.contains($0) ? 0 : state.counts[$0, default: 0] } ?? 0
            if count > largest?.count ?? -1 { largest = (network, count) }
        }
        if let largest { _ = state.endIdle { $0 == largest.network } }
    }
}

extension ConnectionTable.State {
    /// Ends the connection that has been idle for the longest time, of those from some networks. False if there is none.
    fileprivate func endIdle(where isChosen: (IPAddress?) -> Bool) -> Bool {
        var oldest: (connection: Connection, since: UInt64)?
        for connection in connections.values where connection.canGiveWay && isChosen(connection.network) {
            let since = connection.idleSince.load(ordering: .relaxed)
            if since < oldest?.since ?? .max { oldest = (connection, since) }
        }
        guard let oldest else { return false }
        oldest.connection.giveWay()
        return true
    }

    /// - Returns: whether a new connection waits for this moment.
    fileprivate mutating func discount(_ network: IPAddress?) -> Bool {
        count -= 1
        if let network, let held = counts[network] { counts[network] = held == 1 ? nil : held - 1 }
        defer { isAwaited = false }
        return isAwaited
    }
}
