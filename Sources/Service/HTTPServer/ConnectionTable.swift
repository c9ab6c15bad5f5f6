internal import Dispatch
internal import Synchronization

/// The connections of a server, and the limits on their number: in total, and for each network (``IPAddress/network``).
///
/// At a limit, the server closes a waiting or stalled connection to make room for a new one. A waiting connection is idle, or its request
/// has not arrived in full. A connection is stalled if a response with an end is being sent, and its client has read more slowly than
/// ``Engine/slowestBody`` for two seconds. A connection stays open while the server works on its request, or sends an endless stream.
///
/// The server selects the connection as follows:
///
/// - At the limit of a network: from the connections of that network.
/// - At the total limit: from the network with the most connections, so that a client with many connections displaces its own.
/// - Within the network, the first of:
///   1. The connection that has been idle for the longest time, if this is more than a second.
///   2. The connection with the oldest unfinished request, if this is older than a second.
///   3. The connection that has been stalled for the longest time.
///   4. The oldest other waiting connection. A client that has just connected, or sends requests often, keeps its connection until then.
final class ConnectionTable: Sendable {
    private let limit: Int
    /// The limit for each network; 0 for no limit.
    private let limitPerNetwork: Int
    /// Networks of proxies. They carry the connections of many clients, and are not counted by network.
    private let proxies: [IPAddressRange]
    private let state = Mutex(State())
    /// Signalled when a connection ends while a new one waits, and when no more connections are accepted.
    private let changed = DispatchSemaphore(value: 0)

    /// How long a new connection waits before another connection is closed for it.
    private static let pauseSeconds = 0.05
    /// How long a connection without a request is expected to send one.
    fileprivate static let freshNanoseconds: UInt64 = 1_000_000_000
    /// How long a client may read too slowly before its connection counts as stalled.
    fileprivate static let stallNanoseconds: UInt64 = 2_000_000_000

    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Number of accepted connections that have not ended, including those that the library has not taken over yet.
        var count = 0
        var counts: [IPAddress: Int] = [:]
        /// Whether a new connection waits for room.
        var isAwaited = false
        var isClosed = false
        /// How many connections are closed at once at the total limit, and when this was done the last time.
        var batch = 1
        var batchTime: UInt64 = 0
    }

    /// The number of accepted connections that have not ended.
    var count: Int { state.withLock { $0.count } }

    init(_ settings: HTTPServerSettings) {
        limit = settings.connectionLimit
        limitPerNetwork = settings.connectionsPerAddress
        proxies = settings.proxies
    }

    /// Counts an accepted connection. At the total limit, waits until another connection has ended. May be called by one thread only.
    ///
    /// - Parameter network: the client's network; nil if its address has an unknown kind.
    /// - Returns: false if the connection must be closed at once: its network is at the limit and none of its connections is waiting or
    ///   stalled, or the server stops.
    func enter(from network: IPAddress?) -> Bool {
        var isLate = false
        while true {
            let isIn = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                if let network, limitPerNetwork > 0, !isOfProxies(network),
                    state.counts[network, default: 0] >= limitPerNetwork,
                    !state.makeRoom(in: network)
                {
                    return false
                }
                if state.count >= limit {
                    makeRoom(&state, isLate: isLate)
                    state.isAwaited = true
                    return nil
                }
                state.count += 1
                if let network { state.counts[network, default: 0] += 1 }
                return true
            }
            if let isIn { return isIn }
            isLate = changed.wait(timeout: .now() + Self.pauseSeconds) == .timedOut
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

    /// Closes a batch of waiting or stalled connections. They are counted until the library has closed them. If that takes long, many
    /// new connections may wait, so the next batch is larger.
    private func makeRoom(_ state: inout State, isLate: Bool) {
        let now = Clock.nanoseconds()
        if now - state.batchTime > Self.freshNanoseconds { state.batch = 1 } else if isLate { state.batch += 1 }
        state.batchTime = now
        state.batch = max(1, (0..<state.batch).prefix { _ in endOneOfLargest(&state) }.count)
    }

    private func isOfProxies(_ network: IPAddress) -> Bool { proxies.contains { $0.hasAddress(in: network) } }

    /// Closes a waiting or stalled connection of the network with the most connections. Returns whether it found one.
    private func endOneOfLargest(_ state: inout State) -> Bool {
        var largest: (network: IPAddress?, count: Int)?
        let stalled = State.stallLimit
        for connection in state.connections.values where connection.canGiveWay || connection.isStalled(since: stalled) {
            let network = connection.network
            let count = network.map { isOfProxies($0) ? 0 : state.counts[$0, default: 0] } ?? 0
            if count > largest?.count ?? -1 { largest = (network, count) }
        }
        return largest.map { state.makeRoom(in: $0.network) } ?? false
    }
}

extension ConnectionTable.State {
    /// A client that has not read its response since before this time is stalled.
    fileprivate static var stallLimit: UInt64 { Clock.nanoseconds() - ConnectionTable.stallNanoseconds }

    /// Closes a waiting or stalled connection of a network. Returns whether it found one.
    fileprivate func makeRoom(in network: IPAddress?) -> Bool {
        endWaiting(from: network, since: Clock.nanoseconds() - ConnectionTable.freshNanoseconds) || endStalled(from: network)
            || endWaiting(from: network, since: .max)
    }

    /// Closes a stalled connection of a network. Returns whether it found one.
    private func endStalled(from network: IPAddress?) -> Bool {
        let limit = Self.stallLimit
        let stalled = connections.values.lazy.filter { $0.network == network && $0.isStalled(since: limit) }
        while let chosen = stalled.min(by: { $0.isStalled(since: $1.sendingSince.load(ordering: .relaxed)) }) {
            if chosen.giveWay(ifStalledSince: limit) { return true }
            // The client has read meanwhile, so another connection may be the slowest now.
        }
        return false
    }

    /// Closes a waiting connection of a network. Returns whether it found one.
    ///
    /// - Parameters:
    ///   - network: the network.
    ///   - limit: the server must have waited for the client since before this time.
    private func endWaiting(from network: IPAddress?, since limit: UInt64) -> Bool {
        let fresh = Clock.nanoseconds() - ConnectionTable.freshNanoseconds
        var chosen: (connection: Connection, isIdle: Bool, since: UInt64)?
        for connection in connections.values where connection.canGiveWay && connection.network == network {
            let since = connection.waitingSince.load(ordering: .relaxed)
            guard since < limit else { continue }
            let isIdle = since < fresh && !connection.isBusy.load(ordering: .acquiring)
            if let other = chosen, other.isIdle == isIdle ? since >= other.since : other.isIdle { continue }
            chosen = (connection, isIdle, since)
        }
        guard let chosen else { return false }
        // Its request may have arrived in full meanwhile. In this case another connection is selected.
        return chosen.connection.giveWay() || endWaiting(from: network, since: limit)
    }

    /// - Returns: whether a new connection waits for this change.
    fileprivate mutating func discount(_ network: IPAddress?) -> Bool {
        count -= 1
        if let network, let held = counts[network] { counts[network] = held == 1 ? nil : held - 1 }
        defer { isAwaited = false }
        return isAwaited
    }
}
