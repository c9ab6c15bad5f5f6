import Dispatch
import Glibc
import HTTPServer
import Synchronization
import Testing

/// A response that the buffers of two sockets do not hold, at the latest if it is requested 100 times.
enum StalledBody: CaseIterable {
    case small, large, stream

    static let largeBytes = [UInt8](repeating: 0x61, count: 64_000_000)

    var response: HTTPResponse {
        switch self {
        case .small: return HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 0x61, count: 60_000)))
        case .large: return HTTPResponse(status: 200, body: .bytes(Self.largeBytes))
        case .stream: return HTTPResponse(status: 200, body: .stream(Self.written(isEndless: false)))
        }
    }

    /// Returns a stream that a thread writes to until it is closed.
    static func written(isEndless: Bool) -> HTTPStream {
        let stream = HTTPStream(isEndless: isEndless)
        DispatchQueue(label: "writer").async {
            while (try? stream.writeBlocking([UInt8](repeating: 0x61, count: 10_000))) != nil {}
        }
        return stream
    }
}

@Suite struct `Limits: a client that does not read its response gives its connection to a new caller` {
    /// The time limits of these servers are longer than a test, so that they end no connection.
    static func settings(connections: Int, byAddress: Bool = false) -> HTTPServerSettings {
        var settings = HTTPServerSettings(memoryLimitBytes: 1 << 30, idleSeconds: 3_600, requestSeconds: 3_600)
        if byAddress { settings.connectionsPerAddress = connections } else { settings.connectionLimit = connections }
        return settings
    }

    /// Responds to `/short` with a short text, and to other requests with a body. Counts these.
    final class Source: Sendable {
        let requests = Atomic(0)

        func application(_ body: StalledBody) -> TestApplication {
            TestApplication(answering: { [self] request in
                if request.path == "/short" { return .now(.text("short")) }
                requests.add(1, ordering: .relaxed)
                return .now(body.response)
            })
        }

        /// Waits until no request has arrived for a while: every client has as many bytes of responses as it can get.
        func waitUntilFull(_ clients: Int) {
            var (seen, unchanged) = (0, 0)
            while seen < clients || unchanged < 5 {
                usleep(100_000)
                let now = requests.load(ordering: .relaxed)
                (seen, unchanged) = (now, now == seen ? unchanged + 1 : 0)
            }
        }
    }

    /// Returns a client that has requested `/long` a number of times, and reads nothing.
    static func client(of server: HTTPServer, requests: Int = 1) throws -> RawClient {
        let client = try RawClient(port: server.port, receiveBufferBytes: 4_096)
        client.send(String(repeating: "GET /long HTTP/1.1\r\nHost: here\r\n\r\n", count: requests))
        return client
    }

    /// Sends a short request on new connections until it gets a response. Returns nil after two minutes.
    static func newCaller(of server: HTTPServer) throws -> [Int]? {
        let end = DispatchTime.now() + 1_200
        while DispatchTime.now() < end {
            let answers = try exchange("GET /short HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n", with: server)
            if let answers, !answers.answers.isEmpty { return answers.statuses }
            usleep(50_000)
        }
        return nil
    }

    @Test(
        "A new caller gets a response although every connection sends one to a client that does not read",
        arguments: StalledBody.allCases, [false, true])
    func displacesStalledClients(body: StalledBody, isByAddress: Bool) throws {
        let source = Source()
        try withServer(source.application(body), Self.settings(connections: 20, byAddress: isByAddress)) { server in
            let clients = try (0..<20).map { _ in try Self.client(of: server, requests: 100) }
            source.waitUntilFull(clients.count)
            for _ in 0..<3 { #expect(try Self.newCaller(of: server) == [200]) }
            withExtendedLifetime(clients) {}
        }
    }

    @Test("A new caller gets a response although every client reads its response, each far below the lowest rate")
    func displacesTricklingClients() throws {
        let source = Source()
        let isOver = Atomic(false)
        let ended = DispatchSemaphore(value: 0)
        try withServer(source.application(.large), Self.settings(connections: 5)) { server in
            let clients = try (0..<5).map { _ in try Self.client(of: server) }
            source.waitUntilFull(clients.count)
            DispatchQueue(label: "reader").async {
                while !isOver.load(ordering: .relaxed) {
                    for client in clients { _ = client.receive(upTo: 500) }
                    usleep(100_000)
                }
                ended.signal()
            }
            #expect(try Self.newCaller(of: server) == [200])
            isOver.store(true, ordering: .relaxed)
            ended.wait()
        }
    }

    @Test("A client that reads steadily keeps its connection, also if its response began before those of clients that do not read")
    func keepsReaders() throws {
        let source = Source()
        let isOver = Atomic(false)
        let received = Atomic(0)
        let ended = DispatchSemaphore(value: 0)
        try withServer(source.application(.large), Self.settings(connections: 4)) { server in
            let reader = try RawClient(port: server.port)
            reader.send("GET /long HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
            DispatchQueue(label: "reader").async {
                while let bytes = reader.receive(upTo: 16_384), !bytes.isEmpty {
                    received.add(bytes.count, ordering: .relaxed)
                    if !isOver.load(ordering: .relaxed) { usleep(10_000) }
                }
                ended.signal()
            }
            source.waitUntilFull(1)
            let clients = try (0..<3).map { _ in try Self.client(of: server) }
            source.waitUntilFull(4)
            for _ in clients { #expect(try Self.newCaller(of: server) == [200]) }
            #expect(received.load(ordering: .relaxed) < StalledBody.largeBytes.count, "the response ended before the test")
            isOver.store(true, ordering: .relaxed)
            ended.wait()
            #expect(received.load(ordering: .relaxed) > StalledBody.largeBytes.count)
        }
    }

    @Test("A request that the application works on, and an endless stream, never give way to a new caller")
    func keepsWork() throws {
        let work = Mutex<HTTPRequest?>(nil)
        let feed = StalledBody.written(isEndless: true)
        let source = Source()
        let application = TestApplication(answering: { request in
            source.requests.add(1, ordering: .relaxed)
            switch request.path {
            case "/work":
                work.withLock { $0 = request }
                return .later
            case "/feed": return .now(HTTPResponse(status: 200, body: .stream(feed)))
            case "/long": return .now(StalledBody.large.response)
            default: return .now(.text("short"))
            }
        })
        try withServer(application, Self.settings(connections: 3)) { server in
            let kept = try ["/work", "/feed"].map { path in
                let client = try RawClient(port: server.port)
                client.send("GET \(path) HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
                return client
            }
            source.waitUntilFull(2)
            let stalled = try Self.client(of: server)
            source.waitUntilFull(3)
            #expect(try Self.newCaller(of: server) == [200])
            withExtendedLifetime(stalled) {}
            #expect(!feed.isClosed)
            feed.finish()
            #expect(String(decoding: (kept[1].receiveAll() ?? []).suffix(5), as: UTF8.self) == "0\r\n\r\n")
            work.withLock { $0 }?.respond(.text("done"))
            #expect(kept[0].receiveAll().map { RawResponses($0) }?.answers.map(\.body) == ["done"])
        }
    }
}
