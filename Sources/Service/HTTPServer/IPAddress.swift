internal import CMicroHTTPD
internal import Glibc

/// An IPv4 or IPv6 address without a port. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`, RFC 4291, section 2.5.5.2) becomes the
/// IPv4 address, because a socket for both kinds reports its IPv4 clients in that form.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 bytes of IPv4 or 16 of IPv6, in network order.
    public let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes.count == 16 && bytes.starts(with: IPAddress.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
    }

    /// - Parameter text: the numeric address without any other text; nil otherwise.
    public init?(_ text: String) {
        // C reads the text only up to the first zero byte.
        guard !text.utf8.contains(0) else { return nil }
        var four = [UInt8](repeating: 0, count: 4)
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self.init(four)
        } else {
            var six = [UInt8](repeating: 0, count: 16)
            guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
            self.init(six)
        }
    }

    /// The network that one customer usually gets: the first 64 bits of IPv6, the whole address of IPv4.
    public var network: IPAddress {
        bytes.count == 4 ? self : IPAddress(bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }

    /// The address in its usual form: lower case, without unnecessary zeros.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

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

/// A socket that accepts connections.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    /// Opens a socket on a numeric address.
    ///
    /// - Parameters:
    ///   - address: an IPv4 or IPv6 address.
    ///   - port: 0 for any free port.
    ///   - backlog: connections that may wait to be accepted; nil to reserve the address only.
    /// - Throws: ``HTTPServerError`` if the address is invalid, or cannot be listened on.
    init(address: String, port: UInt16, backlog: Int32?) throws(HTTPServerError) {
        let opened: Result<Int32, HTTPServerError>? = unsafe SocketAddress.with(address, port: port) { family, pointer, length in
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return .failure(Self.failure(address, port)) }
            var yes: Int32 = 1
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard unsafe bind(descriptor, pointer, length) == 0, backlog.map({ listen(descriptor, $0) == 0 }) != false
            else {
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
