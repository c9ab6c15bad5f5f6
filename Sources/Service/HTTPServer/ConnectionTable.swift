internal import Dispatch
internal import Synchronization

/// The connections of a server, and the limits on their number: in all, and for each network (``IPAddress/network``).
///
/// At a limit a connection whose client is waited for gives way to a new one: it is idle, or its request has not arrived in full.
/// At the limit of a network it is one of that network. At the limit in all it is one of the network that has the most connections,
/// so that a client with many connections displaces its own. Of these it is the one that has been idle for the longest time, or, if
/// none has been idle for a while, the one whose client has been waited for the longest time: a client that has connected a moment
/// ago, or asks again and again, keeps its connection while older requests are unfinished.
final class ConnectionTable: Sendable {
    private let limit: Int
    /// 0 for no limit.
    private let limitPerNetwork: Int
    /// Networks of proxies, which carry the connections of many clients: not counted by network.
    private let proxies: Set<IPAddress>
    private let state = Mutex(State())
    /// Signalled when a connection ends while a new one waits, and when no more connections are accepted.
    private let changed = DispatchSemaphore(value: 0)

    /// How long a new connection waits before another one is asked to give way.
    private static let pauseSeconds = 0.05
    /// How long a connection without a request counts as one that is about to have one.
    fileprivate static let freshNanoseconds: UInt64 = 1_000_000_000

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
    /// - Returns: false if the connection must be closed at once: its network has its share and all of them answer requests, or the
    ///   server stops.
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
                    // The connection that gives way is counted until the library has closed it.
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
    /// Ends a connection of a network whose client is waited for. False if there is none.
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
        // Its request may have arrived in full meanwhile, so that another one has to be found.
        return chosen.connection.giveWay() || endWaiting(from: network)
    }

    /// - Returns: whether a new connection waits for this moment.
    fileprivate mutating func discount(_ network: IPAddress?) -> Bool {
        count -= 1
        if let network, let held = counts[network] { counts[network] = held == 1 ? nil : held - 1 }
        defer { isAwaited = false }
        return isAwaited
    }
}
