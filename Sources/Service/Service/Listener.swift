internal import Credentials
public import HTTPServer
internal import Hashing
internal import Synchronization

/// The server of a service.
struct Listener: Sendable {
    /// The server, which keeps the service. Nil if it was not announced, or has ended.
    weak var server: HTTPServer?
    /// The values of `Host` that name the server.
    var hosts: [String] = []
    /// The hosts of the service, with the names of its certificate.
    let ownHosts: OwnHosts
    /// The certificate for new connections; nil without TLS.
    var certificate: Certificate?
}

extension Listener {
    init(_ settings: ServiceSettings, certificatePEM: String? = nil) {
        ownHosts = OwnHosts(
            settings.allowedHosts, publicAddress: settings.publicAddress, certificatePEM: certificatePEM)
    }

    init(_ server: HTTPServer, on host: String, _ settings: ServiceSettings, certificatePEM: String?) {
        self.init(settings, certificatePEM: certificatePEM)
        self.server = server
        let address = host.contains(":") ? "[\(host)]" : host
        hosts = ["\(address):\(server.port)"] + (server.port == (settings.usesTLS ? 443 : 80) ? [address] : [])
        certificate = certificatePEM.flatMap { Certificate(pem: $0) }
    }
}

extension MunimentService {
    /// Publishes the address of the service for the command line tool on this machine. The tool then makes its changes through the service.
    ///
    /// - Parameters:
    ///   - server: the server that serves this service.
    ///   - host: the address that the server listens on.
    ///   - certificatePEM: the certificate of the server; nil without TLS.
    public func announce(_ server: HTTPServer, on host: String, certificatePEM: String? = nil) throws {
        listener.withLock { $0 = Listener(server, on: host, settings, certificatePEM: certificatePEM) }
        try serviceLock.announce(host: host, port: server.port, certificatePEM: certificatePEM)
    }
}
