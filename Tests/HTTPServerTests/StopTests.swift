import Dispatch
import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite struct `Stopping: what has begun is finished, and nothing hangs` {
    static let request = "GET / HTTP/1.1\r\nHost: here\r\n\r\n"

    @Test("During a stop, a pending request gets its response, its connection is closed, and no new client connects")
    func finishesRequests() throws {
        let asked = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        let application = TestApplication(answering: { request in
            _ = TestThread {
                asked.signal()
                _ = release.wait(timeout: .now() + 1_200)
                request.respond(.text("done"))
            }
            return .later
        })
        let server = try HTTPServer(HTTPServerSettings(), application: application)
        let client = try RawClient(port: server.port)
        let idle = try RawClient(port: server.port)
        client.send(Self.request)
        #expect(asked.wait(timeout: .now() + 1_200) == .success)
        let stopping = TestThread { server.stop(graceSeconds: 60) }
        // The server closes its listening socket first. After that, the response is sent while the server stops.
        try Self.waitUntilClosed(port: server.port)
        release.signal()
        let answers = RawResponses(client.receiveAll() ?? [])
        #expect(answers.answers.map(\.body) == ["done"])
        #expect(answers.answers.first?.headers["connection"] == "close")
        try stopping.join()
        #expect(idle.receiveAll() == [])
    }

    /// Waits until the system refuses connections to the port. A connection that the server has not accepted when it closes
    /// the socket is reset; the next one is refused. Any other error, such as a lack of ports, fails the test.
    private static func waitUntilClosed(port: UInt16) throws {
        for _ in 0..<60_000 {
            do { _ = try RawClient(port: port) } catch let error as LoopbackSocket.CannotConnect {
                if error.code == ECONNREFUSED { return }
                if error.code != ECONNRESET { throw error }
            }
            usleep(1_000)
        }
        Issue.record("the server still accepts connections")
    }

    @Test("A request without a response at the end of the grace period gets none; a late response is discarded")
    func givesUp() throws {
        let late = DispatchSemaphore(value: 0)
        let responded = DispatchSemaphore(value: 0)
        let asked = DispatchSemaphore(value: 0)
        let source = `Streams: bounded, in order, and over when the client is gone`.Source()
        let application = TestApplication(answering: { request in
            _ = TestThread {
                asked.signal()
                _ = late.wait(timeout: .now() + 1_200)
                request.respond(HTTPResponse(status: 200, body: .stream(source.stream)))
                responded.signal()
            }
            return .later
        })
        let server = try HTTPServer(HTTPServerSettings(), application: application)
        let client = try RawClient(port: server.port)
        client.send(Self.request)
        #expect(asked.wait(timeout: .now() + 1_200) == .success)
        server.stop(graceSeconds: 0)
        #expect(client.receiveAll() == [])
        late.signal()
        #expect(responded.wait(timeout: .now() + 1_200) == .success)
        #expect(application.waitForEnded(1).count == 1)
        #expect(source.isClosedOnce())
    }

    @Test("A handler can read the headers of a request after its connection was closed")
    func keepsHead() throws {
        let read = Mutex<[String?]>([])
        let asked = DispatchSemaphore(value: 0)
        let isOver = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let application = TestApplication(answering: { request in
            _ = TestThread {
                asked.signal()
                isOver.wait()
                read.withLock { $0 = ["idempotency-key", "If-Match", "accept"].map(request.header) }
                done.signal()
            }
            return .later
        })
        let server = try HTTPServer(HTTPServerSettings(), application: application)
        let client = try RawClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\nIdempotency-Key:  k 1 \r\nif-match: \"r7\"\r\n\r\n")
        asked.wait()
        server.stop(graceSeconds: 0)
        isOver.signal()
        done.wait()
        #expect(read.withLock { $0 } == ["k 1", "\"r7\"", nil])
    }

    @Test("An endless stream is finished at once, another stream may end within the grace period, and a third is aborted after it")
    func endsStreams() throws {
        // Of the first server, the streams have far more time than they need; of the second, none.
        try endStreams(2, graceSeconds: 1_200) { sources, clients in
            #expect(clients[0].receive(until: { $0 == "0\r\n\r\n" }) != nil)
            try sources[1].stream.writeBlocking(Array("ended".utf8))
            sources[1].stream.finish()
            #expect(clients[1].receive(until: { $0 == "5\r\nended\r\n0\r\n\r\n" }) != nil)
        }
        try endStreams(2, graceSeconds: 0) { _, clients in #expect(clients[1].receiveAll() == []) }
    }

    /// Stops a server while it sends streams, of which the first one is endless.
    private func endStreams(
        _ count: Int, graceSeconds: Double,
        _ body: ([`Streams: bounded, in order, and over when the client is gone`.Source], [RawClient]) throws -> Void
    ) throws {
        let sources = (0..<count).map { `Streams: bounded, in order, and over when the client is gone`.Source(isEndless: $0 == 0) }
        let application = TestApplication(answering: { request in
            .now(HTTPResponse(status: 200, body: .stream(sources[Int(request.query) ?? 0].stream)))
        })
        let server = try HTTPServer(HTTPServerSettings(), application: application)
        let clients = try (0..<count).map { number in
            let client = try RawClient(port: server.port)
            client.send("GET /?\(number) HTTP/1.1\r\nHost: here\r\n\r\n")
            try sources[number].stream.writeBlocking(Array("begun ".utf8))
            _ = client.receive(until: { $0.contains("begun") })
            return client
        }
        let stopping = TestThread { server.stop(graceSeconds: graceSeconds) }
        try body(sources, clients)
        try stopping.join()
        for source in sources { #expect(source.isClosedOnce()) }
    }

    @Test("During a stop with 200 clients, every response is complete and every connection ends")
    func stopsInTheMiddle() throws {
        let application = TestApplication(answering: { request in
            guard request.path == "/later" else { return .now(.text("now")) }
            DispatchQueue.global().async { request.respond(.text("later")) }
            return .later
        })
        let server = try HTTPServer(HTTPServerSettings(), application: application)
        let clients = try (0..<200).map { _ in try RawClient(port: server.port) }
        let text = String(repeating: "GET /now HTTP/1.1\r\nHost: here\r\n\r\nGET /later HTTP/1.1\r\nHost: here\r\n\r\n", count: 50)
        for client in clients { client.send(text) }
        _ = clients[0].receive()
        server.stop(graceSeconds: 5)
        var answered = 0
        for client in clients.dropFirst() {
            let answers = RawResponses(try #require(client.receiveAll()))
            #expect(answers.statuses.allSatisfy { $0 == 200 })
            #expect(answers.rest.isEmpty)
            answered += answers.answers.count
        }
        #expect(answered > 0)
    }

    @Test("A server always stops, even if its threads are busy and clients connect")
    func stopsAgainAndAgain() throws {
        let text = String(repeating: Self.request, count: 100)
        for _ in 0..<200 {
            let server = try HTTPServer(HTTPServerSettings(), application: TestApplication())
            let clients = try (0..<8).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send(text) }
            let port = server.port
            let others = TestThread { while (try? RawClient(port: port)) != nil {} }
            server.stop(graceSeconds: 0.05)
            try others.join()
        }
    }

    @Test("200 clients at the same time all get responses")
    func servesMany() throws {
        try withServer { server in
            let clients = try (0..<200).map { _ in try RawClient(port: server.port) }
            for (number, client) in clients.enumerated() {
                for turn in 0..<20 { client.send("GET /\(number)/\(turn) HTTP/1.1\r\nHost: here\r\n\r\n") }
                client.send("GET /end HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
            }
            for (number, client) in clients.enumerated() {
                let bodies = RawResponses(client.receiveAll() ?? []).answers.map(\.body)
                #expect(bodies == (0..<20).map { "GET /\(number)/\($0) ?  : " } + ["GET /end ?  : "])
            }
        }
    }
}
