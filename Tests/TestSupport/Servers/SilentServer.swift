import Glibc

/// A server that accepts connections and never sends anything.
public final class SilentServer {
    private let socket: Int32
    private var taken: [Int32] = []
    /// The port of 127.0.0.1 that it listens on.
    public let port: UInt16

    public init() throws { (socket, port) = try LoopbackSocket.listening() }

    deinit {
        for connection in taken { close(connection) }
        close(socket)
    }

    /// Returns the number of connections so far.
    public func connectionCount() -> Int {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { return taken.count }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            taken.append(connection)
        }
    }
}
