internal import CCrypto

/// A SHA-256 digest, computed by OpenSSL.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    public init?(bytes: [UInt8]) {
        guard bytes.count == Digest.byteCount else { return nil }
        self.bytes = bytes
    }

    public static let byteCount = 32
    /// The previous hash of the first commit in a chain.
    public static let zero = Digest(unchecked: [UInt8](repeating: 0, count: byteCount))

    init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Computes the digest of some bytes. Linear.
    public init(of bytes: Span<UInt8>) {
        self.init(
            unchecked: [UInt8](capacity: Digest.byteCount) { output in
                output.append(repeating: 0, count: Digest.byteCount)
                var result = output.mutableSpan
                unsafe result.withUnsafeMutableBufferPointer { result in
                    unsafe bytes.withUnsafeBufferPointer { bytes in
                        _ = unsafe SHA256(bytes.baseAddress, bytes.count, result.baseAddress)
                    }
                }
            })
    }

    /// Computes the digest of the previous hash of a chain and the next bytes.
    public init(chaining previous: Digest, _ bytes: [UInt8]) { self.init(chaining: previous, bytes.span) }

    /// Computes the digest of the previous hash of a chain and the next bytes.
    public init(chaining previous: Digest, _ bytes: Span<UInt8>) {
        let joined = [UInt8](capacity: previous.bytes.count + bytes.count) { output in
            for byte in previous.bytes { output.append(byte) }
            for index in bytes.indices { output.append(bytes[index]) }
        }
        self.init(of: joined.span)
    }

    /// Reads a digest from 64 hexadecimal digits; returns nil for any other text.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 2 * Digest.byteCount else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(bytes: bytes)
    }

    /// 64 hexadecimal digits.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
