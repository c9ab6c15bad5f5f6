import Secrets
import Testing

@Suite("Password hashes")
struct PasswordHashTests {
    private let light = PasswordHash.Settings(memoryKiB: 64, passes: 1)

    /// From the tests of the reference implementation (phc-winner-argon2, test.c).
    @Test("A hash of another program is verified", arguments: [("password", true), ("Password", false), ("", false)])
    func golden(password: String, matches: Bool) {
        let phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(PasswordHash.matches(phc, Array(password.utf8)) == matches)
    }

    @Test("A hash contains its parameters; the defaults are 19 MiB, two passes and one thread")
    func defaults() throws {
        let phc = try PasswordHash.make(Array("correct horse".utf8))
        #expect(phc.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash.matches(phc, Array("correct horse".utf8)))
        #expect(!PasswordHash.matches(phc, Array("correct horsf".utf8)))
    }

    @Test("Each hash of a password is different, and every byte of the password matters", arguments: [0, 1, 8, 1_024])
    func salted(count: Int) throws {
        var password = [UInt8](repeating: 0, count: count)
        let phc = try PasswordHash.make(password, light)
        #expect(try PasswordHash.make(password, light) != phc)
        #expect(PasswordHash.matches(phc, password))
        password.append(0)
        #expect(!PasswordHash.matches(phc, password))
        password[count / 2] = 1
        #expect(!PasswordHash.matches(phc, Array(password.prefix(max(count, 1)))))
    }

    @Test(
        "An invalid hash matches no password",
        arguments: ["", "x", "$argon2id$", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFh", "$2b$12$abcdefghijklmnopqrstuv"])
    func noHash(phc: String) {
        #expect(!PasswordHash.matches(phc, []))
        #expect(PasswordHash.needsRehash(phc, light))
    }

    @Test("A hash needs a rehash after memory or passes were raised, and not after they were lowered")
    func rehash() throws {
        let phc = try PasswordHash.make([1], PasswordHash.Settings(memoryKiB: 128, passes: 2))
        let needs = { PasswordHash.needsRehash(phc, PasswordHash.Settings(memoryKiB: $0, passes: $1)) }
        #expect(!needs(128, 2))
        #expect(needs(129, 2))
        #expect(needs(128, 3))
        #expect(needs(129, 1))
        #expect(needs(64, 3))
        #expect(!needs(64, 2))
        #expect(!needs(128, 1))
    }

    @Test("Settings below the minimum of Argon2id are raised to it; insufficient memory throws an error")
    func limits() throws {
        #expect(try PasswordHash.make([], PasswordHash.Settings(memoryKiB: 0, passes: 0)).contains("$m=8,t=1,p=1$"))
        let absurd = PasswordHash.Settings(memoryKiB: 1 << 32, passes: 1)
        #expect(throws: PasswordHash.OutOfMemoryError.self) { try PasswordHash.make([], absurd) }
    }
}
