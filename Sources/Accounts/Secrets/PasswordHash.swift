internal import CSodium

/// Password hashes that make guessing expensive in memory and time: Argon2id (RFC 9106), as PHC strings
/// (`$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`), which contain their settings.
public enum PasswordHash {
    /// The cost of a hash. Parallelism is always 1.
    public struct Settings: Hashable, Sendable {
        /// The memory in KiB, at least 8.
        public var memoryKiB: Int
        /// The number of passes over the memory, at least 1.
        public var passes: Int

        /// The OWASP minimum for Argon2id: 19 MiB and two passes.
        public init(memoryKiB: Int = 19_456, passes: Int = 2) {
            self.memoryKiB = max(memoryKiB, Int(crypto_pwhash_argon2id_MEMLIMIT_MIN) / 1_024)
            self.passes = max(passes, Int(crypto_pwhash_argon2id_OPSLIMIT_MIN))
        }
    }

    /// The memory for a hash is not available now.
    public struct OutOfMemoryError: Error, Hashable, Sendable, CustomStringConvertible {
        public let memoryKiB: Int
        public var description: String {
            "hashing a password needs \(memoryKiB) KiB of memory, which are not available; try again later"
        }
    }

    /// Returns the hash of a password with a random salt, so that the same password gives a different hash each time. Takes tens of
    /// milliseconds on one processor, and blocks.
    ///
    /// - Parameters:
    ///   - password: the bytes of the password; the caller must limit their number.
    ///   - settings: the cost of the hash.
    public static func make(_ password: [UInt8], _ settings: Settings = Settings()) throws(OutOfMemoryError) -> String {
        Sodium.makeReady()
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
        let letters = password.map(CChar.init(bitPattern:))
        let status = unsafe crypto_pwhash_argon2id_str(
            &text, letters, UInt64(letters.count), UInt64(settings.passes), settings.memoryKiB * 1_024)
        guard status == 0 else { throw OutOfMemoryError(memoryKiB: settings.memoryKiB) }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether a hash belongs to a password. Has the same cost as making the hash. Returns false for a malformed hash, and if there
    /// is not enough memory.
    ///
    /// - Parameters:
    ///   - phc: a hash that ``make(_:_:)`` returned.
    ///   - password: the password to check.
    public static func matches(_ phc: String, _ password: [UInt8]) -> Bool {
        Sodium.makeReady()
        let letters = password.map(CChar.init(bitPattern:))
        return unsafe crypto_pwhash_argon2id_str_verify(phc, letters, UInt64(letters.count)) == 0
    }

    /// Whether a hash has weaker settings than these: less memory, or fewer passes. A malformed hash counts as weaker.
    public static func needsRehash(_ phc: String, _ settings: Settings = Settings()) -> Bool {
        let parts = phc.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[1] == "argon2id", let memoryKiB = number("m", in: parts[3]),
            let passes = number("t", in: parts[3])
        else { return true }
        return memoryKiB < settings.memoryKiB || passes < settings.passes
    }

    private static func number(_ name: String, in list: Substring) -> Int? {
        list.split(separator: ",").first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }
}
