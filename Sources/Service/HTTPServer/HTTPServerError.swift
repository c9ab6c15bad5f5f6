/// Why a server could not be started.
public enum HTTPServerError: Error, Hashable, CustomStringConvertible {
    /// The text is not a numeric address.
    case notAnAddress(String)
    /// The server cannot listen on the address.
    case cannotListen(address: String, port: UInt16, reason: String)
    /// The key of the certificate is encrypted with a password.
    case encryptedKey
    /// The library did not start; with TLS, usually because of the certificate or the key.
    case cannotStart(isTLS: Bool)

    public var description: String {
        switch self {
        case .notAnAddress(let text):
            "`\(text)` is not an IPv4 or IPv6 address; give a number such as `127.0.0.1` or `::1`"
        case .cannotListen(let address, let port, let reason):
            "cannot listen on \(address) port \(port): \(reason); choose another address or stop what uses it"
        case .encryptedKey:
            "the key of the certificate is encrypted, but the service cannot ask for its password; decrypt it "
                + "with `openssl pkey -in KEY -out NEW`, and make the new file readable only for the service's user"
        case .cannotStart(isTLS: true):
            "cannot serve TLS; check that the certificate and its key are in PEM and belong together"
        case .cannotStart(isTLS: false):
            "cannot start the HTTP server; check the limits on open files and threads"
        }
    }
}
