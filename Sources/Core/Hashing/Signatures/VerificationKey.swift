internal import CCrypto

/// A public key for verifying signatures with OpenSSL.
@safe public final class VerificationKey: @unchecked Sendable {
    // OpenSSL counts the references to a key atomically and only reads the key during verification, so any number of threads may
    // verify.
    private let key: OpaquePointer
    public let kind: Kind

    /// The kind of key.
    public enum Kind: Hashable, Sendable {
        case rsa, p256, p384, ed25519
    }

    /// The allowed number of bits of an RSA modulus: a smaller one can be broken, a larger one makes verification too expensive.
    public static let rsaBits = 2_048...8_192

    private init?(_ kind: Kind, subjectPublicKeyInfo bytes: [UInt8]) {
        let key = unsafe bytes.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_PUBKEY(nil, &start, bytes.count)
        }
        guard let key = unsafe key else {
            ERR_clear_error()
            return nil
        }
        unsafe self.key = key
        self.kind = kind
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// Returns an RSA key; nil if its modulus has a size outside ``rsaBits`` or is even, or its exponent is even, below 3 or
    /// above 2³².
    ///
    /// - Parameters:
    ///   - modulus: `n`, the most significant byte first.
    ///   - exponent: `e`, likewise.
    public static func rsa(modulus: [UInt8], exponent: [UInt8]) -> VerificationKey? {
        let (modulus, exponent) = (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
        guard let first = modulus.first, let last = modulus.last, last & 1 == 1,
            rsaBits.contains(modulus.count * 8 - first.leadingZeroBitCount)
        else { return nil }
        // With an exponent of 1 every message would be its own signature.
        let value = exponent.count <= 4 ? exponent.reduce(0) { $0 << 8 | Int($1) } : 0
        guard value >= 3, value & 1 == 1 else { return nil }
        let algorithm = DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]), DER.null)
        let numbers = DER.sequence(DER.integer(modulus), DER.integer(exponent))
        return VerificationKey(.rsa, subjectPublicKeyInfo: DER.sequence(algorithm, DER.bitString(numbers)))
    }

    /// Returns a key on P-256; nil unless the coordinates have 32 bytes each and are those of a point on the curve.
    public static func p256(x: [UInt8], y: [UInt8]) -> VerificationKey? {
        elliptic(.p256, curve: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], byteCount: 32, x, y)
    }

    /// Returns a key on P-384; nil unless the coordinates have 48 bytes each and are those of a point on the curve.
    public static func p384(x: [UInt8], y: [UInt8]) -> VerificationKey? {
        elliptic(.p384, curve: [0x2B, 0x81, 0x04, 0x00, 0x22], byteCount: 48, x, y)
    }

    private static func elliptic(_ kind: Kind, curve: [UInt8], byteCount: Int, _ x: [UInt8], _ y: [UInt8]) -> VerificationKey? {
        guard x.count == byteCount, y.count == byteCount else { return nil }
        let algorithm = DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]), DER.identifier(curve))
        return VerificationKey(kind, subjectPublicKeyInfo: DER.sequence(algorithm, DER.bitString([0x04] + x + y)))
    }

    /// Returns an Ed25519 key; nil unless it has 32 bytes.
    public static func ed25519(_ bytes: [UInt8]) -> VerificationKey? {
        guard bytes.count == 32 else { return nil }
        let algorithm = DER.sequence(DER.identifier([0x2B, 0x65, 0x70]))
        return VerificationKey(.ed25519, subjectPublicKeyInfo: DER.sequence(algorithm, DER.bitString(bytes)))
    }

    /// Returns whether a signature of a message is valid for this key. False for a scheme of another kind of key, and for
    /// malformed input.
    public func verifies(_ signature: [UInt8], of message: [UInt8], by scheme: SignatureScheme) -> Bool {
        guard scheme.keyKind == kind, let signature = scheme.forOpenSSL(signature) else { return false }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var settings: OpaquePointer?
        guard unsafe EVP_DigestVerifyInit(context, &settings, scheme.digest, nil, key) == 1 else { return false }
        if scheme.isPSS {
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1
            else { return false }
        }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

extension SignatureScheme {
    /// The digest of the scheme; nil for Ed25519, which includes its own hash.
    @unsafe fileprivate var digest: OpaquePointer? {
        switch self {
        case .rsaPKCS1SHA256, .rsaPSSSHA256, .ecdsaP256: unsafe EVP_sha256()
        case .rsaPKCS1SHA384, .rsaPSSSHA384, .ecdsaP384: unsafe EVP_sha384()
        case .rsaPKCS1SHA512, .rsaPSSSHA512: unsafe EVP_sha512()
        case .ed25519: nil
        }
    }

    /// Returns a signature in OpenSSL's format; nil if it has the wrong length.
    fileprivate func forOpenSSL(_ signature: [UInt8]) -> [UInt8]? {
        let byteCount: Int
        switch self {
        case .ecdsaP256: byteCount = 32
        case .ecdsaP384: byteCount = 48
        case .ed25519: return signature.count == 64 ? signature : nil
        default: return signature
        }
        guard signature.count == 2 * byteCount else { return nil }
        return DER.sequence(DER.integer(Array(signature[..<byteCount])), DER.integer(Array(signature[byteCount...])))
    }
}
