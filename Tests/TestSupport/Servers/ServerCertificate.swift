import Foundation

/// A certificate for 127.0.0.1 and its key, created by `openssl` in a folder of a test.
public struct ServerCertificate: Sendable {
    /// The kinds of keys in the tests, as arguments of `openssl genpkey`.
    public enum KeyKind: String, CaseIterable, Sendable {
        case rsa2048 = "-algorithm RSA -pkeyopt rsa_keygen_bits:2048"
        case rsa4096 = "-algorithm RSA -pkeyopt rsa_keygen_bits:4096"
        case p256 = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256"
        case p384 = "-algorithm EC -pkeyopt ec_paramgen_curve:P-384"
        case ed25519 = "-algorithm ED25519"
    }

    public let folder: String
    /// The names of the files in ``folder``, without `.crt` and `.key`.
    public let name: String

    public var certificateFile: String { folder + "/" + name + ".crt" }
    public var keyFile: String { folder + "/" + name + ".key" }

    public var certificatePEM: String { get throws { try String(contentsOfFile: certificateFile, encoding: .utf8) } }
    public var keyPEM: String { get throws { try String(contentsOfFile: keyFile, encoding: .utf8) } }

    /// Creates a self-signed certificate.
    public init(_ kind: KeyKind, in folder: String, name: String = "server") throws {
        self.folder = folder
        self.name = name
        try OpenSSLCommand.run(
            ["genpkey", "-out", name + ".key"] + kind.rawValue.split(separator: " ").map(String.init), in: folder)
        try OpenSSLCommand.run(
            [
                "req", "-x509", "-new", "-key", name + ".key", "-days", "2", "-subj", "/CN=\(name)", "-addext",
                "subjectAltName=IP:127.0.0.1", "-out", name + ".crt",
            ], in: folder)
    }

    /// Creates a certificate that another one signs. The file contains the certificate and then the issuer's certificate.
    public init(_ kind: KeyKind, in folder: String, name: String, issuer: ServerCertificate) throws {
        self.folder = folder
        self.name = name
        try OpenSSLCommand.run(
            ["genpkey", "-out", name + ".key"] + kind.rawValue.split(separator: " ").map(String.init), in: folder)
        try OpenSSLCommand.run(
            ["req", "-new", "-key", name + ".key", "-subj", "/CN=\(name)", "-out", name + ".csr"], in: folder)
        try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: URL(filePath: folder + "/" + name + ".ext"))
        try OpenSSLCommand.run(
            [
                "x509", "-req", "-in", name + ".csr", "-CA", issuer.certificateFile, "-CAkey", issuer.keyFile, "-days", "2",
                "-set_serial", "\(UInt32.random(in: 1 ... .max))", "-extfile", name + ".ext", "-out", name + ".crt",
            ], in: folder)
        try Data((try certificatePEM + issuer.certificatePEM).utf8).write(to: URL(filePath: certificateFile))
    }

    /// Returns the key encrypted with a password.
    ///
    /// - Parameter traditional: uses the OpenSSL format before PKCS #8, for keys that have one.
    public func encryptedKeyPEM(traditional: Bool = false) throws -> String {
        let form = traditional ? ["pkey", "-traditional"] : ["pkey"]
        let pem = try OpenSSLCommand.run(
            form + ["-in", name + ".key", "-aes256", "-passout", "pass:secret"], in: folder)
        return String(decoding: pem, as: UTF8.self)
    }

    /// Returns the SHA-256 of the public key (a SubjectPublicKeyInfo in DER), as `openssl` computes it.
    public func keyDigestBytes() throws -> [UInt8] {
        try OpenSSLCommand.run(["pkey", "-in", name + ".key", "-pubout", "-outform", "DER", "-out", name + ".der"], in: folder)
        return Array(try OpenSSLCommand.run(["dgst", "-sha256", "-binary", name + ".der"], in: folder))
    }
}
