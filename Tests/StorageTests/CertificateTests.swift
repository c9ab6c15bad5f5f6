import Hashing
import TestSupport
import Testing

@Suite("Digest of a certificate's public key") struct CertificateTests {
    @Test("is what openssl computes, on every call", arguments: ServerCertificate.KeyKind.allCases)
    func digestOfEachKeyKind(kind: ServerCertificate.KeyKind) throws {
        try withTemporaryFolder { folder in
            let certificate = try ServerCertificate(kind, in: folder)
            let (pem, expected) = (try certificate.certificatePEM, try certificate.keyDigestBytes())
            // Freed memory keeps its bytes for some time. Repeated calls read it after later allocations.
            for _ in 0..<200 { #expect(Certificate(pem: pem)?.keyDigest.bytes == expected) }
        }
    }

    @Test("is that of the first certificate of a chain")
    func chain() throws {
        try withTemporaryFolder { folder in
            let root = try ServerCertificate(.p384, in: folder, name: "root")
            let server = try ServerCertificate(.rsa2048, in: folder, name: "leaf", issuer: root)
            let pem = try server.certificatePEM
            #expect(pem.count(of: "BEGIN CERTIFICATE") == 2)
            #expect(Certificate(pem: pem)?.keyDigest.bytes == (try server.keyDigestBytes()))
        }
    }

    @Test("does not exist for a text without a certificate that can be read")
    func notACertificate() throws {
        try withTemporaryFolder { folder in
            let certificate = try ServerCertificate(.p256, in: folder)
            let pem = try certificate.certificatePEM
            #expect(Certificate(pem: "") == nil)
            #expect(Certificate(pem: "no certificate") == nil)
            #expect(Certificate(pem: try certificate.keyPEM) == nil)
            #expect(Certificate(pem: String(pem.prefix(pem.count / 2))) == nil)
        }
    }

    @Test("does not exist for an encrypted text, and the terminal shows no password prompt", .timeLimit(.minutes(60)))
    func encryptedText() throws {
        try withTemporaryFolder { folder in
            let pem = try ServerCertificate(.p256, in: folder).certificatePEM
            let header = "-----BEGIN CERTIFICATE-----\n"
            let encrypted = pem.replacing(
                header, with: header + "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,000102030405060708090A0B0C0D0E0F\n\n")
            #expect(Certificate(pem: encrypted) == nil)
        }
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
