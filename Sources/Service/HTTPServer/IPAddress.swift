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
