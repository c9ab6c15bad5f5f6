internal import CSodium

/// Message authentication codes, which require the key.
public enum MAC {
    /// Returns the HMAC-SHA-256 (RFC 2104, FIPS 180-4): 32 bytes, deterministic for message and key.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - key: a key of any length; more than 32 random bytes add no security.
    public static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        Sodium.makeReady()
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        _ = unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
        _ = unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        _ = unsafe crypto_auth_hmacsha256_final(&state, &code)
        return code
    }
}
