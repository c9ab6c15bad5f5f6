internal import CCrypto

/// SHA-256 of bytes that are added in pieces, so that they need not all be in memory.
@safe public struct DigestStream: ~Copyable {
    private let context: OpaquePointer

    public init() {
        guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            fatalError("OpenSSL has no memory for a digest")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds the next bytes. Linear.
    public mutating func update(_ bytes: Span<UInt8>) {
        _ = unsafe bytes.withUnsafeBufferPointer { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// Returns the digest of all added bytes. Bytes added afterwards begin another digest.
    public mutating func finish() -> Digest {
        let bytes = [UInt8](capacity: Digest.byteCount) { output in
            output.append(repeating: 0, count: Digest.byteCount)
            var result = output.mutableSpan
            _ = unsafe result.withUnsafeMutableBufferPointer { unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil) }
        }
        _ = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
        return Digest(unchecked: bytes)
    }
}
