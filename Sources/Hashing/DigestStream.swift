internal import CCrypto

/// SHA-256 of bytes that come piece by piece, so that nobody has to hold all of them.
@safe public struct DigestStream: ~Copyable {
    private let context: OpaquePointer

    public init() {
        guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            fatalError("OpenSSL has no memory for a digest")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Takes in the next bytes. Linear.
    public mutating func update(_ bytes: Span<UInt8>) {
        _ = unsafe bytes.withUnsafeBufferPointer { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// The digest of everything that was taken in. What comes afterwards begins another one.
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
