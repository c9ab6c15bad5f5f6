internal import CSodium

/// Authenticated encryption: without the key, encrypted bytes cannot be read, and a change is detected. Uses XChaCha20-Poly1305
/// (draft-irtf-cfrg-xchacha-03), which has nonces long enough to be random.
public enum AuthenticatedEncryption {
    private static let nonceCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    private static let tagCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

    /// The number of bytes that encryption adds.
    public static let overheadBytes = nonceCount + tagCount

    /// Encrypts bytes. The result contains a random nonce of 24 bytes, the ciphertext, and a tag of 16 bytes.
    ///
    /// - Parameters:
    ///   - plain: the bytes to encrypt.
    ///   - key: the key.
    ///   - boundTo: associated data. It is not part of the result, and decryption needs the same data. It identifies the account and
    ///     the position in the log, so that encrypted data cannot be moved.
    public static func seal(_ plain: [UInt8], key: EncryptionKey, boundTo: [UInt8]) -> [UInt8] {
        let nonce = Secrets.randomBytes(nonceCount)
        var sealed = [UInt8](repeating: 0, count: plain.count + tagCount)
        var written: UInt64 = 0
        // It fails only for impossible lengths. Stopping the process is safer than returning plain data.
        let status = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, &written, plain, UInt64(plain.count), boundTo, UInt64(boundTo.count), nil, nonce, key.bytes)
        precondition(status == 0 && written == UInt64(sealed.count), "libsodium did not encrypt \(plain.count) bytes")
        return nonce + sealed
    }

    /// Decrypts bytes; returns nil if the key or the associated data is different, or if any bit was changed.
    ///
    /// - Parameters:
    ///   - sealed: the result of ``seal(_:key:boundTo:)``.
    ///   - key: the key that encrypted them.
    ///   - boundTo: the associated data that was given for encryption.
    public static func open(_ sealed: [UInt8], key: EncryptionKey, boundTo: [UInt8]) -> [UInt8]? {
        guard sealed.count >= overheadBytes else { return nil }
        Sodium.makeReady()
        let (nonce, rest) = (Array(sealed[..<nonceCount]), Array(sealed[nonceCount...]))
        var plain = [UInt8](repeating: 0, count: rest.count - tagCount)
        var written: UInt64 = 0
        let status = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            &plain, &written, nil, rest, UInt64(rest.count), boundTo, UInt64(boundTo.count), nonce, key.bytes)
        return status == 0 ? plain : nil
    }
}

/// A key of 32 bytes for sealing and opening. Its descriptions do not reveal it.
public struct EncryptionKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The 32 bytes, for storage of the key.
    public let bytes: [UInt8]

    public static let byteCount = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)

    /// Returns nil unless there are exactly ``byteCount`` bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == EncryptionKey.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Returns a new random key.
    public static func random() -> EncryptionKey { EncryptionKey(unchecked: Secrets.randomBytes(byteCount)) }

    public var description: String { "EncryptionKey" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
