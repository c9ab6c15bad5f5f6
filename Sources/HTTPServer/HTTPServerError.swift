/// Why a server could not be started.
public enum HTTPServerError: Error, Hashable, CustomStringConvertible {
    /// The text is not a numeric address.
    case notAnAddress(String)
    /// The address cannot be listened on.
    case cannotListen(address: String, port: UInt16, reason: String)
    /// The library did not start; with TLS, mostly because of the certificate or the key.
    case cannotStart(isTLS: Bool)

    public var description: String {
        switch self {
        case .notAnAddress(let text):
            "`\(text)` is not an IPv4 or IPv6 address; give a number such as `127.0.0.1` or `::1`"
        case .cannotListen(let address, let port, let reason):
            "cannot listen on \(address) port \(port): \(reason); choose another address or stop what uses it"
        case .cannotStart(isTLS: true):
            "cannot serve TLS; check that the certificate and its key are in PEM and belong together"
        case .cannotStart(isTLS: false):
            "cannot start the HTTP server; check the limits on open files and threads"
        }
    }
}
