internal import Glibc

/// Sockets to ports of this machine.
public enum LoopbackSocket {
    /// No port could be listened on.
    public struct CannotListen: Error { public let code: Int32 }

    /// No process listens on the port.
    public struct CannotConnect: Error { public let code: Int32 }

    /// Connects to a port. Processes that the test starts do not inherit the socket.
    ///
    /// - Parameters:
    ///   - port: the port of 127.0.0.1.
    ///   - timeoutSeconds: the maximum duration of a read, so that a failing test ends.
    ///   - receiveBufferBytes: the size of the system's receive buffer, for a slow client; nil for the default size.
    ///   - host: the last byte of the client's own address, 127.0.0.X; nil for the address that the system chooses.
    public static func connected(
        to port: UInt16, timeoutSeconds: Int, receiveBufferBytes: Int32? = nil, host: UInt8? = nil
    ) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var bytes = receiveBufferBytes {
            unsafe setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        if let host {
            var own = address(of: 0)
            own.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
            _ = unsafe withUnsafePointer(to: &own) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = address(of: port)
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let failure = CannotConnect(code: errno)
            close(socket)
            throw failure
        }
        return socket
    }

    /// Gives a socket with a small receive buffer a large one, so that the rest is received quickly.
    public static func widen(_ socket: Int32) {
        var bytes = Int32(1 << 20)
        for (level, option) in [(SOL_SOCKET, SO_RCVBUF), (Int32(IPPROTO_TCP), TCP_WINDOW_CLAMP)] {
            unsafe setsockopt(socket, level, option, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// Returns a socket that listens on any free port and does not block in accept.
    static func listening() throws -> (socket: Int32, port: UInt16) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(AF_INET, kind, 0)
        var address = address(of: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, length) == 0 && listen(socket, 128) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else {
            let failure = CannotListen(code: errno)
            close(socket)
            throw failure
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private static func address(of port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
