import Events
import Files
import HTTPServer
import Hashing
import Service
import Synchronization

/// The files of a certificate and its key.
struct TLSPaths: Sendable {
    let certificate: String
    let key: String

    /// The content of the files.
    struct Content: Sendable {
        let files: HTTPServerSettings.TLSFiles
        /// The path of the certificate.
        let path: String
        /// When the certificate is valid.
        let validity: ClosedRange<Instant>

        /// Why clients refuse the certificate at a time; nil if it is valid.
        func problem(at time: Instant) -> String? {
            if time < validity.lowerBound { return "the certificate `\(path)` is not valid before \(validity.lowerBound)" }
            return time > validity.upperBound ? "the certificate `\(path)` expired at \(validity.upperBound)" : nil
        }
    }

    /// Reads both.
    ///
    /// - Throws: `ExposedFileError` if other users can open the key, ``CertificateError``, or a file error.
    func read() throws -> Content {
        try requirePrivateFile(key)
        let pem = String(decoding: try readFile(certificate), as: UTF8.self)
        guard let found = Certificate(pem: pem) else {
            throw CertificateError(description: "`\(certificate)` is not a certificate. Give a file in PEM.")
        }
        let least = VerificationKey.rsaBits.lowerBound
        if let bits = found.rsaBits, bits < least {
            throw CertificateError(
                description: "the RSA key of the certificate `\(certificate)` has \(bits) bits, and at least \(least) are needed. "
                    + "Get a certificate with a larger key, or with a P-256 key.")
        }
        let epoch = Instant(microseconds: 0)
        let validity =
            epoch.advanced(bySeconds: found.validity.lowerBound)...epoch.advanced(bySeconds: found.validity.upperBound)
        let keyPEM = String(decoding: try readFile(key), as: UTF8.self)
        return Content(
            files: HTTPServerSettings.TLSFiles(certificatePEM: pem, keyPEM: keyPEM), path: certificate, validity: validity)
    }

    /// Returns the action for SIGHUP: it reads both again, passes them to a server, and logs the result. A certificate that clients
    /// would refuse does not replace one that they accept.
    ///
    /// - Parameter content: the files that the server has.
    func reload(
        _ server: HTTPServer, _ service: MunimentService, on endpoint: Endpoint, replacing content: Content, log: ServiceLog
    ) -> @Sendable () -> Void {
        let current = Mutex(content)
        return {
            do {
                let (next, now) = (try read(), service.now)
                let problem = next.problem(at: now)
                if let problem, current.withLock({ $0.problem(at: now) }) == nil {
                    throw CertificateError(description: problem)
                }
                try TLSPaths.naming(self) { try server.replaceCertificate(with: next.files) }
                try service.announce(server, on: endpoint.address, certificatePEM: next.files.certificatePEM)
                current.withLock { $0 = next }
                log.write(.info, "SIGHUP: reloaded the certificate and its key for new connections")
                if let problem { log.write(.warning, TLSPaths.warning(problem)) }
            } catch {
                service.countFault()
                log.write(.error, "SIGHUP: the service keeps the current certificate: \(Failure(error).message ?? "\(error)")")
            }
        }
    }

    /// Adds the paths of the files to the error of a server that cannot use them.
    static func naming<R>(_ paths: TLSPaths?, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as HTTPServerError
            where [.encryptedKey, .cannotStart(isTLS: true)].contains(error)
        {
            guard let paths else { throw error }
            throw CertificateError(description: "\(error) (`\(paths.certificate)` and `\(paths.key)`)")
        }
    }

    /// A line for the log about a certificate that is served although clients refuse it.
    static func warning(_ problem: String) -> String {
        "\(problem). Clients refuse it. Replace it, and send SIGHUP to the service."
    }
}

/// A certificate that the service does not accept.
private struct CertificateError: Error, CustomStringConvertible {
    let description: String
}
