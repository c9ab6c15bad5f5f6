internal import Glibc

/// Addresses of this machine and of private networks, which a server on the internet must not make the service connect to.
enum PrivateAddress {
    /// The networks of IPv4, with the length of their prefix: RFC 6890, RFC 6598, multicast and reserved ones.
    private static let networks: [([UInt8], Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24), ([192, 168], 16),
        ([198, 18], 15), ([224], 3),
    ]
    /// Networks of IPv6 whose addresses contain one of IPv4, and where it begins: mapped, compatible, NAT64 and 6to4.
    private static let embeddings: [([UInt8], Int)] = [
        ([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], 12), ([UInt8](repeating: 0, count: 12), 12),
        ([0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), 12), ([0x20, 0x02], 2),
    ]
    /// Unique local, link-local, site-local, multicast, and NAT64 for local use.
    private static let networks6: [([UInt8], Int)] = [
        ([0xFC], 7), ([0xFE, 0x80], 10), ([0xFE, 0xC0], 10), ([0xFF], 8), ([0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01], 48),
    ]

    /// Returns whether an address is loopback, private, shared, link-local, multicast, reserved or unspecified.
    ///
    /// - Parameter bytes: 4 or 16 bytes in network order.
    static func contains(_ bytes: [UInt8]) -> Bool {
        if bytes.count == 4 { return networks.contains { isPrefix($0, of: bytes) } }
        guard bytes.count == 16 else { return true }
        if networks6.contains(where: { isPrefix($0, of: bytes) }) { return true }
        return embeddings.contains { prefix, start in
            bytes.starts(with: prefix) && contains(Array(bytes[start..<start + 4]))
        }
    }

    /// Returns the bytes of a host that is an address in any form that the system accepts, such as `127.1`; nil for a name.
    static func bytes(of host: String) -> [UInt8]? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0, let found = unsafe list else { return nil }
        defer { unsafe freeaddrinfo(list) }
        guard let address = unsafe found.pointee.ai_addr else { return nil }
        switch unsafe found.pointee.ai_family {
        case AF_INET:
            return unsafe UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin_addr) { unsafe Array($0) }
            }
        case AF_INET6:
            return unsafe UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin6_addr) { unsafe Array($0) }
            }
        default: return nil
        }
    }

    private static func isPrefix(_ network: ([UInt8], Int), of bytes: [UInt8]) -> Bool {
        let (prefix, bits) = network
        for place in 0..<(bits + 7) / 8 {
            let wanted = place < prefix.count ? prefix[place] : 0
            let rest = bits - place * 8
            let mask: UInt8 = rest >= 8 ? 0xFF : 0xFF << UInt8(8 - rest)
            if bytes[place] & mask != wanted & mask { return false }
        }
        return true
    }
}
