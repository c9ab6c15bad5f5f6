internal import CSodium

/// Hashes of passwords that cost whoever tries many of them as much memory as time: Argon2id (RFC 9106), as PHC strings
/// (`$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`), which say themselves how they were made.
public enum PasswordHash {
    /// What a hash costs. Parallelism is always 1.
    public struct Settings: Hashable, Sendable {
        /// KiB of memory, from 8 on.
        public var memoryKiB: Int
        /// How many times all of it is gone through, from 1 on.
        public var passes: Int

        /// OWASP's least for Argon2id: 19 MiB and two passes.
        public init(memoryKiB: Int = 19_456, passes: Int = 2) {
            self.memoryKiB = max(memoryKiB, Int(crypto_pwhash_argon2id_MEMLIMIT_MIN) / 1_024)
            self.passes = max(passes, Int(crypto_pwhash_argon2id_OPSLIMIT_MIN))
        }
    }

    /// There is not as much memory as a hash needs now.
    public struct OutOfMemory: Error, Hashable, Sendable, CustomStringConvertible {
        public let memoryKiB: Int
        public var description: String { "there are no \(memoryKiB) KiB of memory for hashing a password; try again later" }
    }

    /// A hash of a password with a salt of its own, so that the same password never gives the same hash again. Takes some ten
    /// milliseconds of one processor, and blocks.
    ///
    /// - Parameters:
    ///   - password: its bytes as they were sent; how many there may be is for the caller to say.
    ///   - settings: what the hash shall cost.
    public static func make(_ password: [UInt8], _ settings: Settings = Settings()) throws(OutOfMemory) -> String {
        Sodium.makeReady()
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
        let letters = password.map(CChar.init(bitPattern:))
        let status = unsafe crypto_pwhash_argon2id_str(
            &text, letters, UInt64(letters.count), UInt64(settings.passes), settings.memoryKiB * 1_024)
        guard status == 0 else { throw OutOfMemory(memoryKiB: settings.memoryKiB) }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether a hash was made of a password. Costs what making the hash did. A text that is no such hash matches nothing, and
    /// nothing matches where there is no memory.
    ///
    /// - Parameters:
    ///   - phc: a hash that ``make(_:_:)`` returned.
    ///   - password: what was sent.
    public static func matches(_ phc: String, _ password: [UInt8]) -> Bool {
        Sodium.makeReady()
        let letters = password.map(CChar.init(bitPattern:))
        return unsafe crypto_pwhash_argon2id_str_verify(phc, letters, UInt64(letters.count)) == 0
    }

    /// Whether a hash was made by weaker settings than these: with less memory, or with fewer passes. A text that is no such hash
    /// is as weak as can be.
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
