internal import CCrypto

/// Reading facts from a certificate.
public enum Certificate {
    /// Computes the SHA-256 of the public key (a SubjectPublicKeyInfo in DER) of the first certificate in a PEM text.
    ///
    /// - Parameter pem: one certificate or a chain. Certificates after the first one are not read.
    /// - Returns: nil if the text does not begin with a certificate that OpenSSL can read without a password.
    public static func keyDigest(pem: String) -> Digest? {
        var pem = pem
        defer { ERR_clear_error() }
        // OpenSSL does not copy the text: the pointer must stay valid until the certificate is read and the source is freed.
        return pem.withUTF8 { text in
            guard let source = unsafe BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else { return nil }
            defer { unsafe BIO_free(source) }
            // Without a callback OpenSSL asks for the password of an encrypted text on the terminal.
            guard let certificate = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) else { return nil }
            defer { unsafe X509_free(certificate) }
            return unsafe keyDigest(of: certificate)
        }
    }

    private static func keyDigest(of certificate: OpaquePointer) -> Digest? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes)
        guard count > 0, let start = unsafe bytes else { return nil }
        defer { unsafe CRYPTO_free(start, nil, 0) }
        return unsafe Digest(of: Array(UnsafeBufferPointer(start: start, count: Int(count))).span)
    }
}
