internal import CSodium

/// Bytes that nobody can guess, and comparing them so that the time taken tells nothing.
public enum Secrets {
    /// Bytes from the system's generator.
    ///
    /// - Parameter count: how many.
    public static func randomBytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let start = buffer.baseAddress { unsafe randombytes_buf(start, count) }
            initialized = count
        }
    }

    /// Whether two byte strings are equal. The time depends on their lengths alone.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe sodium_memcmp(left, right, left.count) == 0
    }
}
