import Glibc

/// A server that takes connections and never says anything.
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

    /// How many connections there were so far.
    public func connectionCount() -> Int {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { return taken.count }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            taken.append(connection)
        }
    }
}
