/// A hash of numbers or bytes for tables in memory, with a random key.
///
/// Each step multiplies two words that depend on the key, and combines both halves of the product. A client does not know the key, so
/// it cannot choose entries that share a place in a table. It is faster than `Hasher`.
@frozen public struct KeyedHash: Sendable {
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64

    /// Creates a hash with a new key.
    public init() {
        first = .random(in: .min ... .max)
        second = .random(in: .min ... .max)
    }

    /// Returns the hash of two numbers.
    @inlinable public func callAsFunction(_ left: UInt64, _ right: UInt64) -> UInt64 {
        Self.mixed(left ^ first, right ^ second)
    }

    /// Returns the hash of some bytes. Linear.
    @inlinable public func callAsFunction(_ bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { bytes in
            var hash = first ^ UInt64(bytes.count)
            var offset = 0
            while offset &+ 8 <= bytes.count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                hash = Self.mixed(hash ^ word, second)
                offset &+= 8
            }
            var rest: UInt64 = 0
            while offset < bytes.count {
                rest = unsafe rest << 8 | UInt64(bytes[offset])
                offset &+= 1
            }
            return Self.mixed(hash ^ rest, second ^ first)
        }
    }

    @inlinable static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
