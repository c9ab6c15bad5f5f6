internal import HTTPServer
internal import Hashing

/// The server of a service.
struct Listener: Sendable {
    /// The server, which keeps the service. Nil if it was not announced, or has ended.
    weak var server: HTTPServer?
    /// The values of `Host` that name the server.
    var hosts: [String] = []
    /// The names of the certificate; nil without TLS.
    var certificateNames: CertificateNames?
    /// The certificate for new connections; nil without TLS.
    var certificate: Certificate?
}

extension Listener {
    init(_ server: HTTPServer, on host: String, usesTLS: Bool, certificatePEM: String?) {
        self.server = server
        let address = host.contains(":") ? "[\(host)]" : host
        hosts = ["\(address):\(server.port)"] + (server.port == (usesTLS ? 443 : 80) ? [address] : [])
        certificateNames = certificatePEM.map { CertificateNames(pem: $0) }
        certificate = certificatePEM.flatMap { Certificate(pem: $0) }
    }
}
