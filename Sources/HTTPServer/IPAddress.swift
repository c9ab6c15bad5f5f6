internal import Glibc

/// An address of IPv4 or IPv6, without a port. An IPv4 address that is written as one of IPv6 (`::ffff:192.0.2.1`, RFC 4291,
/// section 2.5.5.2) is that IPv4 address: a socket for both kinds knows its IPv4 clients so.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 bytes of IPv4 or 16 of IPv6, as they go over the network.
    public let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes.count == 16 && bytes.starts(with: IPAddress.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
    }

    /// - Parameter text: the numeric address and nothing else; nil for anything else.
    public init?(_ text: String) {
        // What C reads ends at the first zero byte.
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

    /// The address of the network that one customer is given: of IPv6 the first 64 bits, of IPv4 the address itself.
    public var network: IPAddress {
        bytes.count == 4 ? self : IPAddress(bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }

    /// The address as it is usually written: small letters, no zeros that can be left out.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
