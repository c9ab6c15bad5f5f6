import Events
import TestSupport
import Testing

@testable import MunimentClient

@Suite("Requests that the service does not answer", .timeLimit(.minutes(60)))
struct LostRequestTests {
    private func failure(_ script: String, timeoutSeconds: Int = 1) async throws -> TransportError? {
        let server = try PythonServer("import socket\nlistener = socket.create_server(('127.0.0.1', 0), backlog=0)\n" + script)
        let transport = SystemTransport(try ServiceAddress("http://127.0.0.1:\(server.port)"), timeoutSeconds: timeoutSeconds)
        do throws(TransportError) {
            _ = try await transport.send(ServiceRequest(.post, "/v1/accounts/sign-in", body: Array("{}".utf8)))
            return nil
        } catch {
            return error
        }
    }

    @Test("A connection timeout because of dropped packets is reported as not sent")
    func notSent() async throws {
        let error = try await failure(
            """
            clients = []
            for n in range(8):
                client = socket.socket(); client.settimeout(0.2); clients.append(client)
                try: client.connect(listener.getsockname())
                except OSError: break
            print(listener.getsockname()[1])
            threading.Event().wait()
            """)
        guard case .notSent? = error else { throw Unexpected(error: "\(error as Any)") }
    }

    @Test("A request without a response is reported as possibly executed")
    func noAnswer() async throws {
        let script = """
            print(listener.getsockname()[1])
            taken, _ = listener.accept()
            threading.Event().wait()
            """
        var error: TransportError?
        for seconds in growingLimits {
            error = try await failure(script, timeoutSeconds: seconds)
            if case .noAnswer? = error { return }
        }
        throw Unexpected(error: "\(error as Any)")
    }

    @Test("A connection that is lost at any byte of the head of a response ends the request with an error")
    func lostInHead() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 5\r\n\r\n"
        let server = try PythonServer(
            """
            import socket
            head = sys.argv[1].encode()
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1])
            while True:
                connection, _ = listener.accept()
                count = int(connection.recv(65536).split(b" ")[1][1:])
                connection.sendall(head[:count])
                connection.close()
            """, [head])
        let transport = SystemTransport(try ServiceAddress("http://127.0.0.1:\(server.port)"), timeoutSeconds: 1_200)
        for count in 0...head.utf8.count {
            var request = ServiceRequest(.get, "/\(count)")
            let error = await #expect(throws: TransportError.self, "\(count) bytes") { try await transport.send(request) }
            guard case .noAnswer? = error else { throw Unexpected(error: "\(count) bytes: \(error as Any)") }
            request.headers["Accept"] = "text/event-stream"
            await #expect(throws: TransportError.self, "\(count) bytes") {
                let stream = try await transport.open(request)
                while try await stream.next() != nil {}
            }
        }
    }

    @Test("A change is sent once, also if its connection was used before and is lost", arguments: ChangeShape.allCases)
    func sentOnce(shape: ChangeShape) async throws {
        let server = try PythonServer(
            """
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def log_message(self, *a): pass
                def do_GET(self):
                    print("GET")
                    self.send_response(200)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                def do(self):
                    self.rfile.read(int(self.headers.get("Content-Length") or 0))
                    print(self.command)
                    self.close_connection = True
                do_POST = do_DELETE = do
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_address[1])
            server.serve_forever()
            """)
        let transport = SystemTransport(try ServiceAddress("http://127.0.0.1:\(server.port)"), timeoutSeconds: 1_200)
        _ = try await transport.send(ServiceRequest(.get, "/"))
        let error = await #expect(throws: TransportError.self) { try await transport.send(shape.request) }
        guard case .noAnswer? = error else { throw Unexpected(error: "\(error as Any)") }
        _ = try await transport.send(ServiceRequest(.get, "/"))
        #expect((0..<3).map { _ in server.line() } == ["GET", shape.request.method.rawValue, "GET"])
    }

    enum ChangeShape: CaseIterable {
        case body, emptyBody, noBody, deletion

        var request: ServiceRequest {
            switch self {
            case .body: ServiceRequest(.post, "/", body: [0x61])
            case .emptyBody: ServiceRequest(.post, "/", body: [])
            case .noBody: ServiceRequest(.post, "/")
            case .deletion: ServiceRequest(.delete, "/")
            }
        }
    }

    private struct Unexpected: Error { let error: String }
}
