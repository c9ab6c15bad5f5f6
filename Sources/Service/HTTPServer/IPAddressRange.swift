/// The addresses with the same first bits, such as `10.0.0.0/8` (RFC 4632, section 3.1), or a single address.
public struct IPAddressRange: Hashable, Sendable {
    private let first: IPAddress
    private let prefixBits: Int

    /// - Parameter text: an address, or the first address of a range, `/` and the number of its fixed bits; nil otherwise.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let bits = address.bytes.count * 8
        let prefix = parts.count == 1 ? bits : Int(parts[1]) ?? -1
        guard (0...bits).contains(prefix), address.masked(to: prefix) == address.bytes else { return nil }
        (first, prefixBits) = (address, prefix)
    }

    /// Returns whether an address is in the range. A range of IPv4 has no addresses of IPv6.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let whole = prefixBits / 8
        guard address.bytes.prefix(whole).elementsEqual(first.bytes.prefix(whole)) else { return false }
        let rest = prefixBits % 8
        return rest == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> (8 - rest) == 0
    }

    /// Returns whether the range has an address of a network (``IPAddress/network``).
    func hasAddress(in network: IPAddress) -> Bool {
        guard network.bytes.count == 16, prefixBits > 64 else { return contains(network) }
        return first.network == network
    }
}

extension IPAddress {
    /// Returns the bytes with all bits cleared after the first ones.
    fileprivate func masked(to prefixBits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, prefixBits - index * 8))
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
    }
}
