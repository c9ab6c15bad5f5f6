import Foundation
import TestSupport

/// A key pair that `openssl` made and signs with.
package struct TestKey: Sendable {
    package let kind: Kind
    private let pem: Data
    /// The public key as `openssl` writes it: a SubjectPublicKeyInfo in DER.
    package let publicDER: [UInt8]
    /// `n` of an RSA key; empty for other kinds.
    package let modulus: [UInt8]

    package enum Kind: Sendable {
        case rsa(bits: Int)
        case p256, p384, ed25519
    }

    package init(_ kind: Kind) throws {
        self.kind = kind
        let scratch = try ScratchFolder()
        let folder = scratch.path
        let arguments =
            switch kind {
            case .rsa(let bits): ["RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)"]
            case .p256: ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .ed25519: ["ED25519"]
            }
        try OpenSSLCommand.run(["genpkey", "-out", "key.pem", "-algorithm"] + arguments, in: folder)
        pem = try Data(contentsOf: URL(filePath: folder + "/key.pem"))
        publicDER = Array(try OpenSSLCommand.run(["pkey", "-in", "key.pem", "-pubout", "-outform", "DER"], in: folder))
        if case .rsa = kind {
            let text = String(
                decoding: try OpenSSLCommand.run(["rsa", "-in", "key.pem", "-noout", "-modulus"], in: folder), as: UTF8.self)
            let digits = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).dropFirst("Modulus=".count).utf8)
            modulus = stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
            }
        } else {
            modulus = []
        }
    }

    /// The members of a JWK that contain the public key.
    package var jwk: [String: String] {
        let point = { (count: Int) in (Array(publicDER.suffix(2 * count).prefix(count)), Array(publicDER.suffix(count))) }
        switch kind {
        case .rsa: return ["kty": "RSA", "n": TestJWT.base64URL(modulus), "e": "AQAB"]
        case .p256: return ["kty": "EC", "crv": "P-256", "x": TestJWT.base64URL(point(32).0), "y": TestJWT.base64URL(point(32).1)]
        case .p384: return ["kty": "EC", "crv": "P-384", "x": TestJWT.base64URL(point(48).0), "y": TestJWT.base64URL(point(48).1)]
        case .ed25519: return ["kty": "OKP", "crv": "Ed25519", "x": TestJWT.base64URL(Array(publicDER.suffix(32)))]
        }
    }

    /// Signs bytes with a JWT algorithm.
    package func sign(_ message: [UInt8], _ algorithm: String) throws -> [UInt8] {
        let scratch = try ScratchFolder()
        let folder = scratch.path
        try pem.write(to: URL(filePath: folder + "/key.pem"))
        try Data(message).write(to: URL(filePath: folder + "/message"))
        if algorithm == "EdDSA" {
            return Array(try OpenSSLCommand.run(["pkeyutl", "-sign", "-rawin", "-inkey", "key.pem", "-in", "message"], in: folder))
        }
        var arguments = ["dgst", "-sha\(algorithm.suffix(3))", "-sign", "key.pem"]
        if algorithm.hasPrefix("PS") { arguments += ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"] }
        let signature = Array(try OpenSSLCommand.run(arguments + ["message"], in: folder))
        return algorithm.hasPrefix("ES") ? TestKey.raw(signature, byteCount: algorithm == "ES256" ? 32 : 48) : signature
    }

    /// Returns `r` followed by `s`, from the DER of `openssl`. Both are short, so each length has one byte, except the outer one of
    /// P-384.
    private static func raw(_ der: [UInt8], byteCount: Int) -> [UInt8] {
        var rest = der.dropFirst(der[1] < 0x80 ? 2 : 3)
        var numbers: [UInt8] = []
        for _ in 0..<2 {
            let count = Int(rest[rest.startIndex + 1])
            let number = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
            numbers += [UInt8](repeating: 0, count: byteCount - number.count) + number
            rest = rest.dropFirst(2 + count)
        }
        return numbers
    }
}

/// Keys that several suites share. Each is made once.
package enum TestKeys {
    package static let rsa = Result { try TestKey(.rsa(bits: 2_048)) }
    package static let otherRSA = Result { try TestKey(.rsa(bits: 2_048)) }
    package static let p256 = Result { try TestKey(.p256) }
    package static let p384 = Result { try TestKey(.p384) }
    package static let ed25519 = Result { try TestKey(.ed25519) }

    package static func key(for algorithm: String) throws -> TestKey {
        switch algorithm {
        case "ES256": try p256.get()
        case "ES384": try p384.get()
        case "EdDSA": try ed25519.get()
        default: try rsa.get()
        }
    }
}
