import Events
import Foundation
import TestSupport
import Testing

@testable import MunimentClient
@testable import Transfers

/// The transports of Linux and of Apple's systems.
enum Transports: CaseIterable {
    case system, urlSession

    func callAsFunction(_ address: ServiceAddress) -> any HTTPTransport {
        switch self {
        case .system: SystemTransport(address, timeoutSeconds: 1_200, silenceSeconds: 1_200)
        case .urlSession: URLSessionTransport(address, timeoutSeconds: 1_200, silenceSeconds: 1_200, streamBytes: 200_000)
        }
    }
}

@Suite("Transports of the client", .timeLimit(.minutes(60)))
struct TransportTests {
    /// A server with one function for each path. Each prints the request.
    private static let script = """
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *a): pass
            def answer(self, status, headers={}, body=b""):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                print(self.command, self.path, self.headers.get("Authorization"), self.headers.get("Cookie"), body.decode())
                if self.path == "/away":
                    self.answer(302, {"Location": "/target", "Set-Cookie": "a=b"}, b"moved")
                elif self.path == "/long":
                    self.send_response(200)
                    self.end_headers()
                    # Far more than a stream and the sockets keep.
                    try:
                        for number in range(400):
                            self.wfile.write(b"x" * 65536)
                            written[0] = number + 1
                        self.connection.recv(1)
                    except OSError: pass
                    print("closed")
                    self.close_connection = True
                elif self.path == "/pieces":
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(b"first")
                    go.wait()
                    self.wfile.write(b"second")
                    self.close_connection = True
                elif self.path == "/go":
                    go.set()
                    self.answer(200)
                elif self.path == "/written":
                    self.answer(200, {}, str(written[0]).encode())
                elif self.path == "/beats":
                    self.send_response(200)
                    self.end_headers()
                    try:
                        for _ in range(201):
                            self.wfile.write(b":\\n\\n")
                            beat.acquire()
                    except OSError: pass
                    self.close_connection = True
                elif self.path == "/beat":
                    beat.release()
                    self.answer(200)
                elif self.path == "/short":
                    self.send_response(200)
                    self.send_header("Content-Length", "100")
                    self.end_headers()
                    self.wfile.write(b"short")
                    self.close_connection = True
                else:
                    self.answer(200, {"Retry-After": "7", "X-Two": "a"}, body)
            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do
        go, beat, written = threading.Event(), threading.Semaphore(0), [0]
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1])
        server.serve_forever()
        """

    private let server: PythonServer
    private let address: ServiceAddress
    private let transport: SystemTransport

    init() throws {
        server = try PythonServer(TransportTests.script)
        address = try ServiceAddress("http://127.0.0.1:\(server.port)")
        transport = SystemTransport(address, timeoutSeconds: 1_200, silenceSeconds: 1_200, streamBytes: 200_000)
    }

    @Test(
        "A request has its method, headers and body, and the response its status, headers and body",
        arguments: Transports.allCases, [ServiceRequest.Method.post, .put, .patch])
    func exchange(transports: Transports, method: ServiceRequest.Method) async throws {
        let request = ServiceRequest(method, "/any?a=%C3%A9", headers: ["Authorization": "Bearer t"], body: Array("{é}".utf8))
        let response = try await transports(address).send(request)
        #expect(server.line() == "\(method.rawValue) /any?a=%C3%A9 Bearer t None {é}")
        #expect(response.status == 200 && response.body == Array("{é}".utf8))
        #expect(response.headers["x-two"] == "a" && response.retryAfterSeconds == 7)
    }

    @Test(
        "A request without a body is sent without one",
        arguments: Transports.allCases, [ServiceRequest.Method.get, .post, .delete])
    func withoutBody(transports: Transports, method: ServiceRequest.Method) async throws {
        let response = try await transports(address).send(ServiceRequest(method, "/any"))
        #expect(server.line() == "\(method.rawValue) /any None None ")
        #expect(response.status == 200 && response.body.isEmpty)
    }

    @Test("A redirect is returned and not followed, and its cookie is not sent later", arguments: Transports.allCases)
    func redirect(transports: Transports) async throws {
        let transport = transports(address)
        let response = try await transport.send(ServiceRequest(.get, "/away", headers: ["Authorization": "Bearer t"]))
        #expect(response.status == 302 && response.headers["location"] == "/target")
        _ = try await transport.send(ServiceRequest(.get, "/any"))
        #expect(server.line() == "GET /away Bearer t None ")
        #expect(server.line() == "GET /any None None ")
    }

    @Test("A header that contains a line end is not sent", arguments: Transports.allCases)
    func headerWithLineEnd(transports: Transports) async throws {
        let transport = transports(address)
        let request = ServiceRequest(.get, "/any", headers: ["Last-Event-ID": "1\r\nAuthorization: Bearer x"])
        await #expect(throws: TransportError.self) { try await transport.send(request) }
        _ = try await transport.send(ServiceRequest(.get, "/next"))
        #expect(server.line() == "GET /next None None ")
    }

    @Test("A response that breaks off is an error, and the request may have been executed", arguments: Transports.allCases)
    func brokenOff(transports: Transports) async throws {
        let transport = transports(address)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(ServiceRequest(.post, "/short", body: [1]))
        }
        guard case .noAnswer? = error else { throw Unexpected(value: "\(error as Any)") }
    }

    @Test("A service that does not listen was sent nothing", arguments: Transports.allCases)
    func notListening(transports: Transports) async throws {
        let transport = transports(address)
        server.stop()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(ServiceRequest(.post, "/any", body: [1]))
        }
        guard case .notSent? = error else { throw Unexpected(value: "\(error as Any)") }
    }

    @Test("A stream delivers bytes while the response is still being sent", arguments: Transports.allCases)
    func pieces(transports: Transports) async throws {
        let transport = transports(address)
        let stream = try await transport.open(ServiceRequest(.get, "/pieces"))
        var text = try await stream.next() ?? []
        #expect(text == Array("first".utf8))
        _ = try await transport.send(ServiceRequest(.get, "/go"))
        while let bytes = try await stream.next() { text += bytes }
        #expect(text == Array("firstsecond".utf8) && !stream.isCut)
    }

    @Test("A slow reader gets every byte, and the server waits for it")
    func slowReader() async throws {
        let transfer = transport.loop.start(
            TransferRequest(
                method: "GET", url: address.text + "/long", headers: [], body: nil, isStream: true,
                silenceMilliseconds: 1_200_000, bufferBytes: 200_000))
        try await until("the transfer is paused") { transfer.isPaused }
        let written = try await transport.send(ServiceRequest(.get, "/written")).body
        #expect(try #require(Int(String(decoding: written, as: UTF8.self))) < 400, "the server has sent everything")
        #expect(transfer.isPaused)
        var count = 0
        while count < 400 * 65_536, let bytes = try await transfer.next() {
            #expect(bytes.count <= 200_000)
            count += bytes.count
        }
        #expect(count == 400 * 65_536)
    }

    @Test("With URLSession, a stream keeps a bounded number of bytes for a slow reader, and then closes the connection")
    func slowReaderOfURLSession() async throws {
        let stream = try await Transports.urlSession(address).open(ServiceRequest(.get, "/long"))
        #expect(server.line()?.hasPrefix("GET /long") == true)
        try await until("the stream is cut") { stream.isCut }
        #expect(server.line() == "closed")
        var count = 0
        while let bytes = try await stream.next() { count += bytes.count }
        #expect(count > 0 && count <= 200_000)
    }

    @Test("The thread of an open stream wakes up only if something arrives")
    func idleStream() async throws {
        let other = Transports.system(address)
        let stream = try await transport.open(ServiceRequest(.get, "/beats"))
        _ = try await stream.next()
        let before = transport.loop.wakeUps
        for _ in 0..<200 {
            _ = try await other.send(ServiceRequest(.get, "/beat"))
            _ = try await stream.next()
        }
        let wakeUps = transport.loop.wakeUps - before
        #expect(wakeUps >= 100 && wakeUps <= 400, "200 heartbeats woke the thread \(wakeUps) times")
    }

    @Test("A released stream closes its connection", arguments: Transports.allCases)
    func released(transports: Transports) async throws {
        let transport = transports(address)
        do {
            let stream = try await transport.open(ServiceRequest(.get, "/long"))
            _ = try await stream.next()
        }
        #expect(server.line()?.hasPrefix("GET /long") == true)
        #expect(server.line() == "closed")
    }

    @Test("A cancelled task stops waiting for a response", arguments: Transports.allCases)
    func cancelled(transports: Transports) async throws {
        let transport = transports(address)
        let task = Task { try await transport.send(ServiceRequest(.get, "/pieces")) }
        // The task needs a thread, which a blocking call would occupy.
        let line = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [server] in continuation.resume(returning: server.line()) }
        }
        #expect(line == "GET /pieces None None ")
        task.cancel()
        let result = await task.result
        #expect(throws: TransportError.self) { try result.get() }
    }

    @Test("Tasks that are cancelled at any moment end")
    func cancelledEarly() async throws {
        let transport = transport
        for number in 0..<200 {
            let task = Task { try? await transport.send(ServiceRequest(.post, "/any", body: [0x61])) }
            for _ in 0..<(number % 20) { await Task.yield() }
            task.cancel()
            _ = await task.value
        }
        #expect(try await transport.send(ServiceRequest(.get, "/any")).status == 200)
    }

    @Test("Many requests and streams at once do not wait for each other")
    func concurrent() async throws {
        let transport = transport
        let streams = try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await transport.open(ServiceRequest(.get, "/pieces")) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let bodies = try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                group.addTask { try await transport.send(ServiceRequest(.post, "/any", body: Array("\(number)".utf8))).body }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(streams.count == 20 && bodies.count == 50)
    }

    private struct Unexpected: Error { let value: String }
}
