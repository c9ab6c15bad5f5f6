internal import CMicroHTTPD
internal import Glibc

/// Converts socket addresses of the system.
enum SocketAddress {
    /// The numeric address, without its port; nil for a socket of another kind.
    static func ip(of address: UnsafePointer<sockaddr>) -> IPAddress? {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: address.pointee.sin_addr) { IPAddress(unsafe Array($0)) }
            }
        case AF_INET6:
            unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: address.pointee.sin6_addr) { IPAddress(unsafe Array($0)) }
            }
        default: nil
        }
    }

    /// Calls `body` with the socket address of a numeric address and a port.
    static func with<R>(_ address: String, port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
        var four = sockaddr_in()
        if unsafe inet_pton(AF_INET, address, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            return unsafe withUnsafePointer(to: &four) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body(AF_INET, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var six = sockaddr_in6()
        guard unsafe inet_pton(AF_INET6, address, &six.sin6_addr) == 1 else { return nil }
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        return unsafe withUnsafePointer(to: &six) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body(AF_INET6, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
