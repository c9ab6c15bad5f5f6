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
        var stream = DigestStream()
        stream.update(bytes)
        self = stream.finish()
    }

    /// Computes the digest of the previous hash of a chain and the next bytes.
    public init(chaining previous: Digest, _ bytes: [UInt8]) { self.init(chaining: previous, bytes.span) }

    /// Computes the digest of the previous hash of a chain and the next bytes.
    public init(chaining previous: Digest, _ bytes: Span<UInt8>) {
        var stream = DigestStream()
        stream.update(previous.bytes.span)
        stream.update(bytes)
        self = stream.finish()
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

/// SHA-256 of bytes that are added in pieces, so that they need not all be in memory.
public struct DigestStream: ~Copyable {
    private var context = SHA256_CTX()

    public init() { unsafe SHA256_Init(&context) }

    /// Adds the next bytes. Linear.
    public mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { _ = unsafe SHA256_Update(&context, $0.baseAddress, $0.count) }
    }

    /// Returns the digest of all added bytes. Bytes added afterwards begin another digest.
    public mutating func finish() -> Digest {
        let bytes = [UInt8](capacity: Digest.byteCount) { output in
            output.append(repeating: 0, count: Digest.byteCount)
            var result = output.mutableSpan
            unsafe result.withUnsafeMutableBufferPointer { _ = unsafe SHA256_Final($0.baseAddress, &context) }
        }
        self = DigestStream()
        return Digest(unchecked: bytes)
    }
}
