internal import CSodium

/// Random bytes, and comparison in constant time.
public enum Secrets {
    /// Returns bytes from the system's random generator.
    ///
    /// - Parameter count: the number of bytes.
    public static func randomBytes(_ count: Int) -> [UInt8] {
        Sodium.makeReady()
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// Whether two byte strings are equal. The time depends only on their lengths.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { areEqual(left.span, right.span) }

    /// Whether two byte strings are equal. The time depends only on their lengths.
    public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in unsafe sodium_memcmp(left.baseAddress, right.baseAddress, left.count) }
        } == 0
    }
}

/// Initializes libsodium once: it selects code for this processor and opens the system's random generator.
enum Sodium {
    private static let isReady = sodium_init() >= 0

    /// Without a random generator no secret is safe, so the process stops.
    static func makeReady() { precondition(isReady, "libsodium found no generator of random bytes on this system") }
}

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
