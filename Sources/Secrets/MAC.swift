internal import CSodium

/// Codes that only whoever has the key can make for a message.
public enum MAC {
    /// HMAC-SHA-256 (RFC 2104, FIPS 180-4): 32 bytes, always the same for the same message and key.
    ///
    /// - Parameters:
    ///   - message: what the code is for.
    ///   - key: of any length; 32 random bytes are as good as more.
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
