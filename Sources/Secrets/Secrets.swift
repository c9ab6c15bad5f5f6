internal import CSodium

/// Bytes that nobody can guess, and comparing them so that the time taken tells nothing.
public enum Secrets {
    /// Bytes from the system's generator.
    ///
    /// - Parameter count: how many.
    public static func randomBytes(_ count: Int) -> [UInt8] {
        Sodium.makeReady()
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// Whether two byte strings are equal. The time depends on their lengths alone.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe sodium_memcmp(left, right, left.count) == 0
    }
}

/// libsodium, which chooses its code for this processor and opens the system's generator once, before all else.
enum Sodium {
    private static let isReady = sodium_init() >= 0

    /// Without a generator nothing here would be secret, so nothing goes on.
    static func makeReady() { precondition(isReady, "libsodium finds no generator of random bytes on this system") }
}
