internal import HTTPServer
internal import Hashing

/// The server of a service.
struct Listener: Sendable {
    /// The server, which keeps the service. Nil if it was not announced, or has ended.
    weak var server: HTTPServer?
    /// The values of `Host` that name the server.
    var hosts: [String] = []
    /// The certificate for new connections; nil without TLS.
    var certificate: Certificate?
}
