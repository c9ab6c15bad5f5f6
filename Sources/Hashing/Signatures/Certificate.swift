internal import CCrypto

/// What is asked of a certificate: which key it is about.
public enum Certificate {
    /// The SHA-256 of the public key (a SubjectPublicKeyInfo in DER) of the first certificate in a PEM text; nil where there is none.
    public static func keyDigest(pem: String) -> Digest? {
        let text = Array(pem.utf8)
        guard let source = unsafe BIO_new_mem_buf(text, Int32(clamping: text.count)) else { return nil }
        defer {
            unsafe BIO_free(source)
            ERR_clear_error()
        }
        guard let certificate = unsafe PEM_read_bio_X509(source, nil, nil, nil) else { return nil }
        defer { unsafe X509_free(certificate) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes)
        guard count > 0, let start = unsafe bytes else { return nil }
        defer { unsafe CRYPTO_free(start, nil, 0) }
        return unsafe Digest(of: Array(UnsafeBufferPointer(start: start, count: Int(count))).span)
    }
}
