internal import CMicroHTTPD
internal import Glibc

/// A socket that accepts connections.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    /// Opens a socket on a numeric address.
    ///
    /// - Parameters:
    ///   - address: an IPv4 or IPv6 address.
    ///   - port: 0 for any free port.
    ///   - backlog: connections that may wait to be accepted.
    /// - Throws: ``HTTPServerError`` if the address is invalid, or cannot be listened on.
    init(address: String, port: UInt16, backlog: Int32) throws(HTTPServerError) {
        let opened: Result<Int32, HTTPServerError>? = unsafe SocketAddress.with(address, port: port) { family, pointer, length in
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return .failure(Self.failure(address, port)) }
            var yes: Int32 = 1
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard unsafe bind(descriptor, pointer, length) == 0, listen(descriptor, backlog) == 0 else {
                let failure = Self.failure(address, port)
                Glibc.close(descriptor)
                return .failure(failure)
            }
            return .success(descriptor)
        }
        guard let opened else { throw .notAnAddress(address) }
        descriptor = try opened.get()
        self.port = Self.boundPort(of: descriptor) ?? port
    }

    /// Stops accepting; waiting connections are rejected.
    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    func close() { _ = Glibc.close(descriptor) }

    private static func failure(_ address: String, _ port: UInt16) -> HTTPServerError {
        .cannotListen(address: address, port: port, reason: unsafe String(cString: strerror(errno)))
    }

    private static func boundPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isRead = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) == 0 }
        }
        // The port is at the same offset in both address families.
        return isRead ? UInt16(bigEndian: storage.sin6_port) : nil
    }
}
