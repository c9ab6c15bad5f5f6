import Foundation
import Hashing
import NetworkClient
import TestSupport
import Testing

@Suite("HTTP client: limits, certificates, no redirects")
struct HTTPClientTests {
    private static let script = """
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *a): pass
            def do_GET(self):
                if self.path == '/silent':
                    threading.Event().wait()
                if self.path == '/moved':
                    self.send_response(302); self.send_header('Location', '/here'); self.send_header('Content-Length', '0')
                    self.end_headers(); return
                if self.path.startswith('/head'):
                    self.send_response(200)
                    for n in range(int(self.path[5:])): self.send_header('X-Filler', 'x' * 990)
                    self.send_header('Content-Length', '0'); self.end_headers(); return
                size = int(self.path[1:]) if self.path[1:].isdigit() else 0
                body = b'x' * size if size else repr(sorted((k.lower(), v) for k, v in self.headers.items())).encode()
                self.send_response(200); self.send_header('Cache-Control', 'max-age=77'); self.send_header('Content-Type', 'text/x')
                self.send_header('Set-Cookie', 'a=b; Path=/'); self.send_header('Set-Cookie', 'c=d; Path=/')
                self.end_headers(); self.wfile.write(body)
            def other(self):
                body = self.rfile.read(int(self.headers['Content-Length'] or 0))
                self.send_response(200); self.send_header('X-Method', self.command); self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                if self.command != 'HEAD': self.wfile.write(body)
            do_PUT = do_PATCH = do_DELETE = do_HEAD = other
            def do_POST(self):
                if self.path == '/post': return self.other()
                body = self.rfile.read(int(self.headers['Content-Length']))
                self.send_response(409); self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        if len(sys.argv) > 1:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[1], sys.argv[2])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1])
        server.serve_forever()
        """

    private func request(_ server: PythonServer, _ path: String, scheme: String = "http") throws -> HTTPClientRequest {
        var request = HTTPClientRequest(try #require(HTTPAddress("\(scheme)://127.0.0.1:\(server.port)\(path)")))
        (request.connectSeconds, request.timeoutSeconds) = (600, 600)
        return request
    }

    @Test("A GET returns status, body and headers, and sends additional headers")
    func get() throws {
        let server = try PythonServer(HTTPClientTests.script)
        var request = try request(server, "/")
        request.headers = [("Authorization", "Bearer abc"), ("X-Empty-Not", "1")]
        let response = try HTTPClient.send(request)
        #expect(response.status == 200)
        #expect(response.header("Cache-Control") == "max-age=77")
        #expect(response.header("content-type") == "text/x")
        #expect(String(decoding: response.body, as: UTF8.self).contains("('authorization', 'Bearer abc')"))
    }

    @Test("A POST sends its body unchanged, even an empty one; every status is returned as a response", arguments: [0, 1, 100_000])
    func post(count: Int) throws {
        let server = try PythonServer(HTTPClientTests.script)
        var request = try request(server, "/")
        request.body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let response = try HTTPClient.send(request)
        #expect(response.status == 409)
        #expect(response.body == request.body)
    }

    @Test(
        "Each method is sent, with and without a body",
        arguments: [HTTPClientMethod.post, .put, .patch, .delete, .head], [nil, Array("body".utf8)])
    func methods(method: HTTPClientMethod, body: [UInt8]?) throws {
        if method == .head, body != nil { return }
        let server = try PythonServer(HTTPClientTests.script)
        var request = try request(server, "/post")
        (request.method, request.body) = (method, body)
        let response = try HTTPClient.send(request)
        #expect(response.status == 200)
        #expect(response.header("x-method") == method.rawValue)
        #expect(response.body == body ?? [])
    }

    @Test("A redirect is returned as a response with its location, and not followed")
    func redirect() throws {
        let server = try PythonServer(HTTPClientTests.script)
        let response = try HTTPClient.send(try request(server, "/moved"))
        #expect(response.status == 302)
        #expect(response.header("location") == "/here")
    }

    @Test("Repeated response headers stay separate, and cookies are not sent with the next request")
    func headers() throws {
        let server = try PythonServer(HTTPClientTests.script)
        let response = try HTTPClient.send(try request(server, "/"))
        #expect(response.headers.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=b; Path=/", "c=d; Path=/"])
        #expect(response.header("Not-There") == nil)
        let next = try HTTPClient.send(try request(server, "/"))
        #expect(!String(decoding: next.body, as: UTF8.self).contains("cookie"))
    }

    @Test("A response header section is limited to 64 KiB")
    func headLimit() throws {
        let server = try PythonServer(HTTPClientTests.script)
        #expect(try HTTPClient.send(try request(server, "/head60")).headers.count >= 60)
        let request = try request(server, "/head70")
        #expect(throws: HTTPClientError.tooLong(address: request.address.text, limitBytes: 65_536)) { try HTTPClient.send(request) }
    }

    @Test("A response body may have exactly as many bytes as the limit")
    func limit() throws {
        let server = try PythonServer(HTTPClientTests.script)
        var request = try request(server, "/50000")
        request.limitBytes = 50_000
        #expect(try HTTPClient.send(request).body.count == 50_000)
        request.limitBytes = 49_999
        #expect(throws: HTTPClientError.tooLong(address: request.address.text, limitBytes: 49_999)) { try HTTPClient.send(request) }
    }

    @Test("A server that sends nothing causes a timeout")
    func timeout() throws {
        let server = try PythonServer(HTTPClientTests.script)
        var request = try request(server, "/silent")
        var error: HTTPClientError?
        for seconds in growingLimits {
            request.timeoutSeconds = seconds
            error = #expect(throws: HTTPClientError.self) { try HTTPClient.send(request) }
            if case .timedOut? = error { break }
        }
        #expect(error == HTTPClientError.timedOut(address: request.address.text, seconds: request.timeoutSeconds))
    }

    @Test("A refused connection is reported as unreachable")
    func unreachable() throws {
        let server = try PythonServer(HTTPClientTests.script)
        let request = try request(server, "/")
        server.stop()
        let error = #expect(throws: HTTPClientError.self) { try HTTPClient.send(request) }
        guard case .unreachable? = error else { throw Unexpected(error: "\(error as Any)") }
    }

    private struct Unexpected: Error { let error: String }

    @Test("A header with a line break is not sent", arguments: ["a\r\nX: b", "a\nb", "\u{0}"])
    func headerInjection(value: String) throws {
        var request = HTTPClientRequest(try #require(HTTPAddress("http://127.0.0.1:9")))
        request.headers = [("X-Test", value)]
        #expect(throws: HTTPClientError.malformedHeader(name: "X-Test")) { try HTTPClient.send(request) }
        request.headers = [(value, "1")]
        #expect(throws: HTTPClientError.malformedHeader(name: value)) { try HTTPClient.send(request) }
    }

    @Test("An untrusted certificate is rejected, unless its key is pinned")
    func certificates() throws {
        let folder = try ScratchFolder()
        for name in ["mine", "other"] {
            try OpenSSLCommand.run(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=elsewhere",
                    "-days", "2", "-keyout", "\(name).key", "-out", "\(name).pem",
                ], in: folder.path)
        }
        let digest = { (name: String) in
            let key = try OpenSSLCommand.run(["pkey", "-in", "\(name).key", "-pubout", "-outform", "DER"], in: folder.path)
            return Digest(of: Array(key).span).bytes
        }
        let server = try PythonServer(HTTPClientTests.script, [folder.path + "/mine.pem", folder.path + "/mine.key"])
        var request = try request(server, "/", scheme: "https")
        #expect(throws: HTTPClientError.self) { try HTTPClient.send(request) }
        request.pinnedKeyDigest = try digest("other")
        #expect(throws: HTTPClientError.self) { try HTTPClient.send(request) }
        request.pinnedKeyDigest = try digest("mine")
        #expect(try HTTPClient.send(request).status == 200)
    }
}
