internal import CMicroHTTPD
internal import Dispatch
internal import Glibc

/// Accepts new connections from a socket and passes them to the library, on a separate thread.
///
/// The library could accept connections itself, but it cannot be stopped safely. Its threads and the stopping thread remove the
/// socket from their lists at the same time, and the library ends the process if the socket is already removed.
@safe final class Acceptor: Sendable {
    private let socket: ListeningSocket
    private let connections: ConnectionTable
    private let isOver = DispatchSemaphore(value: 0)

    /// The pause if the process lacks descriptors or memory for one more connection. Clients keep waiting in the backlog.
    private static let pauseMicroseconds: UInt32 = 10_000

    /// Starts to accept connections.
    ///
    /// - Parameters:
    ///   - socket: the listening socket.
    ///   - daemons: the servers that get the connections; they must run until ``stop()`` has returned.
    ///   - connections: counts the connections, and enforces the limits on their number.
    init(_ socket: ListeningSocket, for daemons: DaemonRotation, _ connections: ConnectionTable) {
        self.socket = socket
        self.connections = connections
        let isOver = isOver
        DispatchQueue(label: "accepting connections").async {
            while Acceptor.accept(from: socket.descriptor, for: daemons, connections) {}
            isOver.signal()
        }
    }

    /// Stops accepting connections and closes the socket. Must be called once.
    func stop() {
        socket.shutDown()
        connections.close()
        isOver.wait()
        socket.close()
    }

    /// Accepts one connection.
    ///
    /// - Returns: false if no more connections can arrive.
    private static func accept(from socket: Int32, for daemons: DaemonRotation, _ connections: ConnectionTable) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                let connection = unsafe muniment_accept(socket, address, &length, flags)
                guard connection >= 0 else {
                    // The errors after ``ListeningSocket/shutDown()``.
                    if [EINVAL, EBADF, ENOTSOCK].contains(errno) { return false }
                    if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { usleep(pauseMicroseconds) }
                    return true
                }
                let network = unsafe SocketAddress.ip(of: address)?.network
                if !connections.enter(from: network) {
                    _ = Glibc.close(connection)
                } else if unsafe !daemons.add(connection, from: address, length) {
                    connections.leave(from: network)
                }
                return true
            }
        }
    }
}
