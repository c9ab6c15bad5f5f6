import Hashing
import NetworkClient
import TestSupport
import Testing

@Suite("A request that was not sent is distinguished from one without a response", .timeLimit(.minutes(60)))
struct UnsentRequestTests {
    /// A server that listens as the first argument says. The next two arguments are its certificate and key.
    private static let script = """
        import socket, struct
        kind = sys.argv[1]
        listener = socket.create_server(('127.0.0.1', 0), backlog=0)
        port = listener.getsockname()[1]
        def serve():
            waiting = []
            context = None
            if len(sys.argv) > 2:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[2], sys.argv[3])
            while True:
                taken, _ = listener.accept()
                waiting.append(taken)
                if kind == 'silent handshake': continue
                try:
                    if context and kind != 'broken handshake':
                        taken = context.wrap_socket(taken, server_side=True)
                        waiting.append(taken)
                    if kind != 'silent':
                        taken.recv(1)
                        taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)); taken.close()
                except OSError: pass
        if kind == 'full backlog':
            clients = []
            for n in range(8):
                client = socket.socket(); client.settimeout(0.2); clients.append(client)
                try: client.connect(('127.0.0.1', port))
                except OSError: break
        else:
            threading.Thread(target=serve, daemon=True).start()
        print(port)
        threading.Event().wait()
        """

    /// How the client connects: without TLS, with TLS and a pinned key, or with TLS and an untrusted key.
    enum Way { case open, known, unknown }

    /// Sends a request with a body to a server of the given kind.
    ///
    /// - Returns: the error, or nil if the server responds.
    private func failure(
        _ kind: String, _ way: Way, bytes: Int = 1, connectSeconds: Int = 600, timeoutSeconds: Int = 600
    ) throws -> HTTPClientError? {
        let folder = try ScratchFolder()
        var arguments = [kind]
        var digest: [UInt8]?
        if way != .open {
            try OpenSSLCommand.run(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=elsewhere",
                    "-days", "2", "-keyout", "mine.key", "-out", "mine.pem",
                ], in: folder.path)
            arguments += [folder.path + "/mine.pem", folder.path + "/mine.key"]
        }
        if way == .known {
            let key = try OpenSSLCommand.run(["pkey", "-in", "mine.key", "-pubout", "-outform", "DER"], in: folder.path)
            digest = Digest(of: Array(key).span).bytes
        }
        let server = try PythonServer(UnsentRequestTests.script, arguments)
        let scheme = way == .open ? "http" : "https"
        var request = HTTPClientRequest(try #require(HTTPAddress("\(scheme)://127.0.0.1:\(server.port)/")))
        request.body = [UInt8](repeating: 1, count: bytes)
        (request.connectSeconds, request.timeoutSeconds, request.pinnedKeyDigest) = (connectSeconds, timeoutSeconds, digest)
        do throws(HTTPClientError) { _ = try HTTPClient.send(request) } catch { return error }
        return nil
    }

    private func isUnreachable(_ error: HTTPClientError?) -> Bool { if case .unreachable? = error { true } else { false } }

    @Test("Without a connection in time nothing was sent, for either of the two limits", arguments: [(1, 5), (5, 1)])
    func fullBacklog(connectSeconds: Int, timeoutSeconds: Int) throws {
        let error = try failure("full backlog", .open, connectSeconds: connectSeconds, timeoutSeconds: timeoutSeconds)
        #expect(isUnreachable(error), "\(error as Any)")
    }

    @Test("With an untrusted certificate nothing was sent")
    func untrusted() throws {
        let error = try failure("silent", .unknown)
        #expect(isUnreachable(error), "\(error as Any)")
    }

    @Test(
        "With an incomplete TLS handshake nothing was sent", arguments: [("silent handshake", 1), ("broken handshake", 600)])
    func handshake(kind: String, connectSeconds: Int) throws {
        let error = try failure(kind, .known, connectSeconds: connectSeconds)
        #expect(isUnreachable(error), "\(error as Any)")
    }

    @Test("A request without a response counts as sent", arguments: [Way.open, .known])
    func silent(way: Way) throws {
        var error: HTTPClientError?
        for seconds in growingLimits {
            error = try failure("silent", way, timeoutSeconds: seconds)
            if case .timedOut(_, seconds: seconds)? = error { return }
        }
        throw Unexpected(error: "\(error as Any)")
    }

    @Test("A request that fails while its body is sent counts as sent in part", arguments: [Way.open, .known])
    func brokenOff(way: Way) throws {
        let error = try failure("breaks off", way, bytes: 16 << 20)
        guard case .failed? = error else { throw Unexpected(error: "\(error as Any)") }
    }

    private struct Unexpected: Error { let error: String }
}
