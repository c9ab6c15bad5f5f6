internal import CSodium

/// Sealing bytes so that only whoever has the key can read them, and nobody can change them unseen: XChaCha20-Poly1305
/// (draft-irtf-cfrg-xchacha-03), whose nonces are long enough to be drawn at random.
public enum Sealing {
    private static let nonceCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    private static let tagCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

    /// Bytes by which what is sealed is longer than what was.
    public static let overheadBytes = nonceCount + tagCount

    /// Seals bytes: a nonce of 24 bytes, as many bytes as before, a tag of 16. Every time the outcome is another.
    ///
    /// - Parameters:
    ///   - plain: what is sealed.
    ///   - key: what opens it again.
    ///   - boundTo: what has to be the same when it is opened, and is not in it: whose it is and where it stands, so that nothing
    ///     sealed can be put in the place of something else.
    public static func seal(_ plain: [UInt8], key: SealingKey, boundTo: [UInt8]) -> [UInt8] {
        let nonce = Secrets.randomBytes(nonceCount)
        var sealed = [UInt8](repeating: 0, count: plain.count + tagCount)
        var written: UInt64 = 0
        // It fails for none but absurd lengths, and returning what is not sealed would be worse than to stop.
        let status = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, &written, plain, UInt64(plain.count), boundTo, UInt64(boundTo.count), nil, nonce, key.bytes)
        precondition(status == 0 && written == UInt64(sealed.count), "libsodium did not seal \(plain.count) bytes")
        return nonce + sealed
    }

    /// What was sealed; nil where it was sealed by another key or bound to something else, or where a bit of it is another.
    ///
    /// - Parameters:
    ///   - sealed: what ``seal(_:key:boundTo:)`` returned.
    ///   - key: the key that it was sealed by.
    ///   - boundTo: what it was bound to.
    public static func open(_ sealed: [UInt8], key: SealingKey, boundTo: [UInt8]) -> [UInt8]? {
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

/// A key that seals and opens: 32 bytes. Printing it shows nothing of it.
public struct SealingKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// Its 32 bytes, for whoever keeps it.
    public let bytes: [UInt8]

    public static let byteCount = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)

    /// nil for any other number of bytes than ``byteCount``.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == SealingKey.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// A key that nobody has yet.
    public static func random() -> SealingKey { SealingKey(unchecked: Secrets.randomBytes(byteCount)) }

    public var description: String { "SealingKey" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
