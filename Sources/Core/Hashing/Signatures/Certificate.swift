internal import CCrypto

/// The properties of an X.509 certificate.
public struct Certificate: Hashable, Sendable {
    /// The SHA-256 of the public key (a SubjectPublicKeyInfo in DER).
    public let keyDigest: Digest
    /// The bits of the modulus of an RSA key; nil for other keys.
    public let rsaBits: Int?
    /// The first and the last second of validity, counted from 1970.
    public let validity: ClosedRange<Int64>

    /// Reads the first certificate in a PEM text.
    ///
    /// - Parameter pem: one certificate or a chain. Certificates after the first one are not read.
    /// - Returns: nil if the text does not begin with a certificate that OpenSSL can read without a password, or if the certificate
    ///   expires before it becomes valid.
    public init?(pem: String) {
        guard let certificate = (unsafe Certificate.with(pem: pem) { unsafe Certificate($0) }) ?? nil else { return nil }
        self = certificate
    }

    /// Returns whether the first certificate in a PEM text is for a host (RFC 6125), by its names and wildcards.
    ///
    /// - Parameters:
    ///   - pem: the text; without a certificate, the result is false.
    ///   - host: a DNS name without a dot at its end.
    public static func isValid(pem: String, forHost host: String) -> Bool {
        unsafe with(pem: pem) { certificate in unsafe X509_check_host(certificate, host, 0, 0, nil) == 1 } ?? false
    }

    /// Calls `body` with the first certificate in a PEM text; returns nil without one.
    private static func with<R>(pem: String, _ body: (OpaquePointer) -> R) -> R? {
        var pem = pem
        defer { ERR_clear_error() }
        // OpenSSL does not copy the text: the pointer must stay valid until the certificate is read and the source is freed.
        return pem.withUTF8 { text in
            guard let source = unsafe BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else { return nil }
            defer { unsafe BIO_free(source) }
            // Without a callback OpenSSL asks for the password of an encrypted text on the terminal.
            guard let certificate = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) else { return nil }
            defer { unsafe X509_free(certificate) }
            return unsafe body(certificate)
        }
    }

    private init?(_ certificate: OpaquePointer) {
        guard let digest = unsafe Certificate.keyDigest(of: certificate), let key = unsafe X509_get0_pubkey(certificate),
            let first = unsafe Certificate.seconds(X509_get0_notBefore(certificate)),
            let last = unsafe Certificate.seconds(X509_get0_notAfter(certificate)), first <= last
        else { return nil }
        keyDigest = digest
        validity = first...last
        let isRSA = unsafe [EVP_PKEY_RSA, EVP_PKEY_RSA_PSS].contains(EVP_PKEY_get_base_id(key))
        rsaBits = isRSA ? unsafe Int(EVP_PKEY_get_bits(key)) : nil
    }

    private static func keyDigest(of certificate: OpaquePointer) -> Digest? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes)
        guard count > 0, let start = unsafe bytes else { return nil }
        defer { unsafe CRYPTO_free(start, nil, 0) }
        return unsafe Digest(of: Array(UnsafeBufferPointer(start: start, count: Int(count))).span)
    }

    /// Converts a time to seconds since 1970; nil for a malformed time.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_TIME_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
