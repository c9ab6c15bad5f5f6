internal import Foundation
internal import RandomHistories
internal import Synchronization

/// A proxy between clients and a server of this machine, which delays and cuts connections at moments that a seed decides.
///
/// A connection is cut after a number of bytes in one direction: in the middle of a request, after a request and before its response,
/// or in the middle of a response.
public final class CuttingProxy: Sendable {
    /// The port of 127.0.0.1 that it listens on.
    public let port: UInt16
    private let socket: Int32
    private let state: Mutex<State>

    private struct State {
        var random: SplitMix64
        var target: UInt16?
        var hasFaults = true
        var isOver = false
        /// Both sockets of each open connection.
        var open: [Int: (client: Int32, server: Int32)] = [:]
        var count = 0
        var cuts = 0
    }

    /// The faults of a connection.
    private struct Plan {
        /// The bytes that pass in each direction before the cut; nil for all.
        var toServer: Int?
        var toClient: Int?
        /// The delay of each piece.
        var delayMicroseconds: UInt32 = 0
    }

    /// - Parameter seed: decides the faults.
    public init(seed: UInt64) throws {
        (socket, port) = try LoopbackSocket.listening()
        state = Mutex(State(random: SplitMix64(seed: seed)))
        Thread { [self] in acceptAll() }.start()
    }

    /// The port of the server; nil while there is none: connections are then closed.
    public var target: UInt16? {
        get { state.withLock { $0.target } }
        set { state.withLock { $0.target = newValue } }
    }

    /// Whether new connections have faults.
    public var hasFaults: Bool {
        get { state.withLock { $0.hasFaults } }
        set { state.withLock { $0.hasFaults = newValue } }
    }

    /// The number of connections that were cut.
    public var cuts: Int { state.withLock { $0.cuts } }

    /// Cuts every open connection.
    public func cutAll() {
        state.withLock { state in
            state.cuts += state.open.count
            for connection in state.open.values { Self.shutDown(connection.client, connection.server) }
        }
    }

    /// Closes everything. The proxy cannot be used afterwards.
    public func stop() {
        state.withLock { $0.isOver = true }
        cutAll()
    }

    private static func shutDown(_ sockets: Int32...) { for socket in sockets { _ = shutdown(socket, Int32(SHUT_RDWR)) } }

    private func acceptAll() {
        defer { close(socket) }
        while !state.withLock({ $0.isOver }) {
            var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&waiting, 1, 50) > 0 else { continue }
            let client = accept(socket, nil, nil)
            guard client >= 0 else { continue }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            guard let target, let server = try? LoopbackSocket.connected(to: target, timeoutSeconds: 1_200) else {
                close(client)
                continue
            }
            Thread { [self] in forward(client, server) }.start()
        }
    }

    private func forward(_ client: Int32, _ server: Int32) {
        let (number, plan) = state.withLock { state in
            state.count += 1
            state.open[state.count] = (client, server)
            return (state.count, Self.plan(&state))
        }
        let other = DispatchSemaphore(value: 0)
        Thread { [self] in
            pump(from: server, to: client, limit: plan.toClient, plan)
            other.signal()
        }.start()
        pump(from: client, to: server, limit: plan.toServer, plan)
        other.wait()
        // No other thread uses the sockets any longer.
        _ = state.withLock { $0.open.removeValue(forKey: number) }
        close(client)
        close(server)
    }

    private static func plan(_ state: inout State) -> Plan {
        var plan = Plan()
        guard state.hasFaults else { return plan }
        switch state.random.number(0...9) {
        case 0: plan.toServer = state.random.number(0...400)
        // The request has arrived, and its response is lost.
        case 1...2: plan.toClient = 0
        case 3...4: plan.toClient = state.random.number(1...300)
        case 5: plan.toClient = state.random.number(300...5_000)
        default: break
        }
        if state.random.chance(percent: 30) { plan.delayMicroseconds = UInt32(state.random.number(100...20_000)) }
        return plan
    }

    /// Passes bytes on until one side ends or the limit is reached. Then both sides are shut down.
    private func pump(from source: Int32, to destination: Int32, limit: Int?, _ plan: Plan) {
        var piece = [UInt8](repeating: 0, count: 4_096)
        var left = limit ?? .max
        defer { Self.shutDown(source, destination) }
        while true {
            let count = unsafe recv(source, &piece, piece.count, 0)
            // A stream is silent for longer than a receive waits.
            if count < 0, errno == EAGAIN, !state.withLock({ $0.isOver }) { continue }
            guard count > 0 else { return }
            if plan.delayMicroseconds > 0 { usleep(plan.delayMicroseconds) }
            let passed = min(count, left)
            var sent = 0
            while sent < passed {
                let more = unsafe piece.withUnsafeBytes { bytes in
                    unsafe send(destination, bytes.baseAddress! + sent, passed - sent, Int32(MSG_NOSIGNAL))
                }
                guard more > 0 else { return }
                sent += more
            }
            left -= passed
            guard left > 0 else {
                state.withLock { $0.cuts += 1 }
                return
            }
        }
    }
}
