internal import CMicroHTTPD
internal import Dispatch
internal import Glibc

/// Takes new connections from a socket and hands them to the library, on a thread of its own.
///
/// The library would do so itself, but it cannot be told to stop: its threads and whoever tells it then take the socket out of
/// their lists at the same time, and it ends the process where it is not there any more.
@safe final class Acceptor: Sendable {
    private let socket: ListeningSocket
    private let connections: ConnectionTable
    private let isOver = DispatchSemaphore(value: 0)

    /// How long to wait where the process has no file or memory for one more connection; who waits to be accepted goes on to wait.
    private static let pauseMicroseconds: UInt32 = 10_000

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where connections come in.
    ///   - daemons: the servers that get them; they have to run until ``stop()`` has returned.
    ///   - connections: counts the connections, and keeps the limits on their number.
    init(_ socket: ListeningSocket, for daemons: Daemons, _ connections: ConnectionTable) {
        self.socket = socket
        self.connections = connections
        let isOver = isOver
        DispatchQueue(label: "accepting connections").async {
            while Acceptor.accept(from: socket.descriptor, for: daemons, connections) {}
            isOver.signal()
        }
    }

    /// Turns away whoever comes from now on, and closes the socket. Call it once.
    func stop() {
        socket.shutDown()
        connections.close()
        isOver.wait()
        socket.close()
    }

    /// Takes one connection.
    ///
    /// - Returns: false if no more connections come.
    private static func accept(from socket: Int32, for daemons: Daemons, _ connections: ConnectionTable) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                let connection = unsafe muniment_accept(socket, address, &length, flags)
                guard connection >= 0 else {
                    // As ``ListeningSocket/shutDown()`` leaves it.
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
