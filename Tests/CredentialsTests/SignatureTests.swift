import Hashing
import IssuerSupport
import Testing

@Suite("Signatures: a signature by the openssl command is valid, and any change makes it invalid")
struct SignatureTests {
    static let algorithms: [(name: String, scheme: SignatureScheme)] = [
        ("RS256", .rsaPKCS1SHA256), ("RS384", .rsaPKCS1SHA384), ("RS512", .rsaPKCS1SHA512), ("PS256", .rsaPSSSHA256),
        ("PS384", .rsaPSSSHA384), ("PS512", .rsaPSSSHA512), ("ES256", .ecdsaP256), ("ES384", .ecdsaP384), ("EdDSA", .ed25519),
    ]

    private func key(_ key: TestKey) throws -> VerificationKey {
        let point = { (count: Int) in (Array(key.publicDER.suffix(2 * count).prefix(count)), Array(key.publicDER.suffix(count))) }
        let made =
            switch key.kind {
            case .rsa: VerificationKey.rsa(modulus: key.modulus, exponent: [1, 0, 1])
            case .p256: VerificationKey.p256(x: point(32).0, y: point(32).1)
            case .p384: VerificationKey.p384(x: point(48).0, y: point(48).1)
            case .ed25519: VerificationKey.ed25519(Array(key.publicDER.suffix(32)))
            }
        return try #require(made)
    }

    @Test("A signature is valid only with its own scheme and for its own message", arguments: algorithms)
    func schemes(name: String, scheme: SignatureScheme) throws {
        let pair = try TestKeys.key(for: name)
        let key = try key(pair)
        let message = Array("who may do what".utf8)
        let signature = try pair.sign(message, name)
        for other in SignatureScheme.allCases {
            #expect(key.verifies(signature, of: message, by: other) == (other == scheme), "\(other)")
        }
        #expect(!key.verifies(signature, of: message + [0], by: scheme))
        #expect(!key.verifies(signature, of: [], by: scheme))
        for index in stride(from: 0, to: signature.count, by: 7) {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.verifies(changed, of: message, by: scheme), "byte \(index)")
        }
        for wrong in [[], Array(signature.dropLast()), signature + [0], [0] + signature] {
            #expect(!key.verifies(wrong, of: message, by: scheme), "\(wrong.count) bytes")
        }
    }

    @Test("A signature of repeated bytes 0, 1 or 255 is invalid", arguments: algorithms)
    func trivialSignatures(name: String, scheme: SignatureScheme) throws {
        let pair = try TestKeys.key(for: name)
        let key = try key(pair)
        let count = try pair.sign([1], name).count
        for byte: UInt8 in [0, 1, 0xFF] {
            #expect(!key.verifies([UInt8](repeating: byte, count: count), of: [1], by: scheme))
        }
    }

    @Test("A signature of another key of the same kind is invalid")
    func otherKey() throws {
        let signature = try TestKeys.otherRSA.get().sign([1], "RS256")
        #expect(!(try key(try TestKeys.rsa.get())).verifies(signature, of: [1], by: .rsaPKCS1SHA256))
    }

    @Test("A key that is too small, not on its curve or trivial is rejected")
    func badKeys() throws {
        let good = try TestKeys.rsa.get().modulus
        #expect(VerificationKey.rsa(modulus: good, exponent: [3]) != nil)
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]] {
            #expect(VerificationKey.rsa(modulus: good, exponent: exponent) == nil, "\(exponent)")
        }
        #expect(VerificationKey.rsa(modulus: [], exponent: [3]) == nil)
        #expect(VerificationKey.rsa(modulus: Array(good.dropLast()) + [2], exponent: [3]) == nil)
        // Moduli of 2,047 and 8,193 bits.
        #expect(VerificationKey.rsa(modulus: [0x7F] + [UInt8](repeating: 0xFF, count: 255), exponent: [3]) == nil)
        #expect(VerificationKey.rsa(modulus: [1] + [UInt8](repeating: 0xFF, count: 1_024), exponent: [3]) == nil)
        let point = try TestKeys.p256.get().publicDER.suffix(64)
        let (x, y) = (Array(point.prefix(32)), Array(point.suffix(32)))
        #expect(VerificationKey.p256(x: x, y: y) != nil)
        #expect(VerificationKey.p256(x: y, y: x) == nil)
        #expect(VerificationKey.p256(x: x + [0], y: y) == nil)
        #expect(VerificationKey.p256(x: [UInt8](repeating: 0, count: 32), y: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(VerificationKey.p384(x: x, y: y) == nil)
        #expect(VerificationKey.ed25519(x + [0]) == nil)
    }
}
