internal import Dispatch
internal import Synchronization

/// An HTTP/1.1 server. It passes requests to an application until it is stopped.
public final class HTTPServer: Sendable {
    /// The port that it listens on.
    public let port: UInt16
    let engine: Engine
    private let settings: HTTPServerSettings
    private let daemons: DaemonRotation
    private let acceptor: Acceptor
    private let watch: SlowConnectionWatch
    private let isStopped = Atomic(false)

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - settings: its address, and its limits.
    ///   - application: the application that answers requests.
    /// - Throws: ``HTTPServerError`` if it cannot listen on the address, or the certificate and key are invalid.
    public init(_ settings: HTTPServerSettings, application: any HTTPApplication) throws(HTTPServerError) {
        let engine = try Engine(settings, application: application)
        let socket = try ListeningSocket(address: settings.address, port: settings.port, backlog: 1_024)
        do throws(HTTPServerError) {
            daemons = DaemonRotation(try Daemon(settings, engine: engine))
        } catch {
            socket.close()
            throw error
        }
        (self.engine, self.settings) = (engine, settings)
        port = socket.port
        watch = SlowConnectionWatch(engine, daemons)
        acceptor = Acceptor(socket, for: daemons, engine.connections)
    }

    /// The number of open connections.
    public var connectionCount: Int { engine.connections.count }

    /// Checks that a server could start with these settings. Accepts no connection.
    ///
    /// - Throws: ``HTTPServerError`` if the address is taken or invalid, or the certificate and key do not belong together.
    public static func check(_ settings: HTTPServerSettings) throws(HTTPServerError) {
        try ListeningSocket(address: settings.address, port: settings.port, backlog: nil).close()
        try Daemon(settings, engine: try Engine(settings, application: NoApplication())).stop()
    }

    /// Replaces the certificate for new connections. Existing connections continue: a stream until it ends, any other until its
    /// next response, which announces the end of the connection.
    ///
    /// - Parameter tls: the certificate chain and its key. The server must have been started with TLS.
    /// - Throws: ``HTTPServerError`` if they cannot be used; the server then keeps the previous ones.
    public func replaceCertificate(with tls: HTTPServerSettings.TLSFiles) throws(HTTPServerError) {
        precondition(settings.tls != nil, "a server without TLS has no certificate to replace")
        var settings = settings
        settings.tls = tls
        daemons.replaceCurrent(with: try Daemon(settings, engine: engine))
        engine.certificateNumber.add(1, ordering: .sequentiallyConsistent)
    }

    /// Stops the server: rejects new connections, waits for running requests, and then ends the rest. Returns after all threads
    /// have ended. Later calls do nothing.
    ///
    /// - Parameter graceSeconds: how long to wait for running requests.
    public func stop(graceSeconds: Double) {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        engine.isStopping.store(true, ordering: .sequentiallyConsistent)
        acceptor.stop()
        engine.finishEndlessStreams()
        let end = DispatchTime.now() + graceSeconds
        while engine.isBusy, DispatchTime.now() < end { _ = engine.ended.wait(timeout: min(end, .now() + 0.05)) }
        watch.cancel()
        engine.breakOffAll()
        daemons.stop()
    }
}

/// The application of a server that accepts no connection.
private final class NoApplication: HTTPApplication {
    private let none = HTTPResponse(status: 503)

    func admit(_ request: HTTPRequest) -> HTTPAdmission { .refused(none) }
    func answer(_ request: HTTPRequest) -> HTTPHandling { .now(none) }
    func refusal(of request: HTTPRequest?, status: Int, detail: String) -> HTTPResponse { none }
    func ended(_ request: HTTPRequest, status: Int, bytesSent: UInt64, nanoseconds: UInt64) {}
}

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
