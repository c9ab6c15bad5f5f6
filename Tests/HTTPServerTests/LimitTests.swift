import Dispatch
import Glibc
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct `Limits: what is too much is refused, and what is too slow is ended` {
    static let closing = "Host: here\r\nConnection: close\r\n"

    @Test("A body with a length over the limit gets 413 with every method, and does not reach the application")
    func refusesLongBodies() throws {
        let application = TestApplication(bodyLimit: 100)
        try withServer(application) { server in
            for method in ["POST", "PUT", "PATCH", "DELETE", "GET"] {
                for length in [101, 2_000_000] {
                    let head = "\(method) / HTTP/1.1\r\n\(Self.closing)Content-Length: \(length)\r\n\r\n"
                    let answers = try exchange(head + String(repeating: "x", count: length), with: server)
                    #expect(answers?.statuses == [413], "\(method) \(length)")
                }
                let head = "\(method) / HTTP/1.1\r\n\(Self.closing)Content-Length: 100\r\n\r\n"
                let answers = try exchange(head + String(repeating: "x", count: 100), with: server)
                #expect(answers?.statuses == [200], "\(method)")
            }
        }
    }

    @Test("A chunked body over the limit gets 413, and the connection is closed")
    func refusesGrowingBodies() throws {
        let application = TestApplication(bodyLimit: 100)
        try withServer(application) { server in
            let head = "PATCH / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunks = String(repeating: "a\r\n0123456789\r\n", count: 1_000) + "0\r\n\r\n"
            let small = try exchange(head + chunks + "GET / HTTP/1.1\r\n\(Self.closing)\r\n", with: server)
            #expect(small?.statuses == [413])
            let endless = String(repeating: "400\r\n\(String(repeating: "x", count: 1_024))\r\n", count: 3_000)
            let endlessAnswers = try RawClient(port: server.port).answers(to: head + endless)
            #expect(endlessAnswers.statuses == [413])
        }
    }

    @Test("A refused request gets its response before its body is read; the connection stays open if the body is small")
    func refusesUnwanted() throws {
        let application = TestApplication(refusing: { $0.path == "/no" ? .text("no", status: 401) : nil })
        try withServer(application) { server in
            let text = "PATCH /no HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\n\r\nabcGET /no HTTP/1.1\r\nHost: here\r\n\r\n"
            let answers = try exchange(text + "GET /yes HTTP/1.1\r\n\(Self.closing)\r\n", with: server)
            #expect(answers?.statuses == [401, 401, 200])
            let client = try RawClient(port: server.port)
            client.send("POST /no HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            #expect(client.receiveAll().map { RawResponses($0) }?.statuses == [401])
        }
    }

    @Test("A request line or header section over the limit gets 414 or 431")
    func refusesLongHeads() throws {
        try withServer { server in
            let long = "GET / HTTP/1.1\r\nHost: here\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n"
            let longAnswers = try RawClient(port: server.port).answers(to: long)
            #expect(longAnswers.statuses == [431])
            let limit = HTTPServerSettings().headerLimitBytes
            for (bytes, statuses) in [(limit, [200]), (limit + 1, [431])] {
                let start = "GET / HTTP/1.1\r\n\(Self.closing)X: "
                let head = start + String(repeating: "x", count: bytes - start.utf8.count - 4) + "\r\n\r\n"
                #expect(head.utf8.count == bytes)
                #expect(try exchange(head, with: server)?.statuses == statuses, "\(bytes) bytes")
            }
            let longTarget = "GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: here\r\n\r\n"
            let longTargetAnswers = try RawClient(port: server.port).answers(to: longTarget)
            #expect(longTargetAnswers.statuses == [414])
            let many = "GET / HTTP/1.1\r\nHost: here\r\n\((0..<128).map { "X\($0): 1\r\n" }.joined())\r\n"
            let manyAnswers = try RawClient(port: server.port).answers(to: many)
            #expect(manyAnswers.statuses == [431])
        }
    }

    @Test("A request that arrives too slowly gets 408, and its connection is closed")
    func endsSlowRequests() throws {
        var settings = HTTPServerSettings()
        settings.requestSeconds = 1
        try withServer(TestApplication(), settings) { server in
            for text in [
                "GET / HT", "GET / HTTP/1.1\r\nHost: here\r\n", "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nab", "",
            ] {
                let answers = try exchange(text, with: server)
                #expect(answers?.statuses == [408], "\(text)")
            }
        }
    }

    @Test("An idle connection is closed, but not while a response is pending")
    func endsIdleConnections() throws {
        var settings = HTTPServerSettings()
        settings.idleSeconds = 1
        settings.requestSeconds = 1
        let application = TestApplication(answering: { request in
            _ = TestThread {
                usleep(2_500_000)
                request.respond(.text("at last"))
            }
            return .later
        })
        try withServer(application, settings) { server in
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(client.receiveAll().map { RawResponses($0) }?.answers.map(\.body) == ["at last"])
        }
    }

    @Test("The client of an endless stream may read slowly, and is disconnected if it reads nothing for the time of an idle one")
    func endsReadersThatStop() throws {
        let feed = StalledBody.written(isEndless: true)
        let application = TestApplication(answering: { _ in .now(HTTPResponse(status: 200, body: .stream(feed))) })
        let hours = UInt64(2 * 3_600 * 1_000_000_000)
        try withServer(application, HTTPServerSettings(idleSeconds: 3_600, requestSeconds: 1)) { server in
            let reader = try RawClient(port: server.port, receiveBufferBytes: 4_096)
            reader.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            var time = Clock.nanoseconds()
            for _ in 0..<5 {
                var count = 0
                while count < 100_000, let bytes = reader.receive(), !bytes.isEmpty { count += bytes.count }
                time += hours
                server.engine.endSlowConnections(at: time)
                #expect(count >= 100_000 && !feed.isClosed)
            }
            // The system receives a last part for the client.
            while !feed.isClosed {
                time += hours
                server.engine.endSlowConnections(at: time)
                usleep(10_000)
            }
        }
    }

    @Test("A client that reads less than its stream has is not idle")
    func keepsSlowReaders() throws {
        var settings = HTTPServerSettings()
        settings.idleSeconds = 1
        let feed = StalledBody.written(isEndless: true)
        let application = TestApplication(answering: { request in
            .now(request.path == "/feed" ? HTTPResponse(status: 200, body: .stream(feed)) : .text("short"))
        })
        try withServer(application, settings) { server in
            let reader = try RawClient(port: server.port, receiveBufferBytes: 4_096)
            reader.send("GET /feed HTTP/1.1\r\nHost: here\r\n\r\n")
            #expect(reader.receive(until: { $0.contains("aaa") }) != nil)
            // The server ends two connections that are idle, one after the other, and not the reader's.
            for _ in 0..<2 {
                let idle = try RawClient(port: server.port)
                idle.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
                #expect(idle.receiveAll().map { RawResponses($0) }?.answers.map(\.body) == ["short"])
            }
            #expect(!feed.isClosed)
        }
    }

    static func limited(byAddress: Bool) -> HTTPServerSettings {
        var settings = HTTPServerSettings(threads: 1)
        if byAddress { settings.connectionsPerAddress = 3 } else { settings.connectionLimit = 3 }
        return settings
    }

    @Test("At the limit, a new connection closes the connection that was idle longest", arguments: [false, true])
    func displacesIdleConnections(isByAddress: Bool) throws {
        try withServer(TestApplication(), Self.limited(byAddress: isByAddress)) { server in
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in clients {
                client.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
                #expect(client.receive(until: { $0.contains(" 200 ") }) != nil)
            }
            let fourth = try RawClient(port: server.port)
            fourth.send("GET / HTTP/1.1\r\n\(Self.closing)\r\n")
            #expect(fourth.receiveAll().map { RawResponses($0) }?.statuses == [200])
            #expect(clients[0].receiveAll() == [])
            clients[2].send("GET / HTTP/1.1\r\n\(Self.closing)\r\n")
            #expect(clients[2].receiveAll().map { RawResponses($0) }?.statuses == [200])
        }
    }

    @Test(
        "At the limit without idle connections, a new connection ends the request that was unfinished longest",
        arguments: [false, true], ["GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nab"])
    func displacesUnfinishedRequests(isByAddress: Bool, unfinished: String) throws {
        try withServer(TestApplication(), Self.limited(byAddress: isByAddress)) { server in
            // Each client gets one response first. Then the server has seen the unfinished requests begin in this order.
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in clients {
                client.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n" + unfinished)
                #expect(client.receive(until: { $0.contains(" 200 ") }) != nil)
            }
            var later: [RawClient] = []
            for displaced in clients {
                #expect(try exchange("GET / HTTP/1.1\r\n\(Self.closing)\r\n", with: server)?.statuses == [200])
                #expect(displaced.receiveAll() == [])
                later.append(try RawClient(port: server.port))
                later.last?.send(unfinished)
            }
        }
    }

    @Test(
        "A client gets a response while its address sends more unfinished requests than there may be connections",
        arguments: [false, true])
    func answersDuringUnfinishedHeads(isByAddress: Bool) throws {
        var settings = HTTPServerSettings()
        if isByAddress { settings.connectionsPerAddress = 50 } else { settings.connectionLimit = 50 }
        try withServer(TestApplication(), settings) { server in
            var slow: [RawClient] = []
            for _ in 0..<20 {
                for _ in 0..<25 {
                    let client = try RawClient(port: server.port)
                    client.send("GET / HTTP/1.1\r\nHost: here\r\nX: ")
                    slow.append(client)
                }
                #expect(try exchange("GET / HTTP/1.1\r\n\(Self.closing)\r\n", with: server)?.statuses == [200])
            }
        }
    }

    @Test(
        "At the limit, busy connections stay open; a new one waits, or is closed if its address has too many",
        arguments: [false, true])
    func keepsBusyConnections(isByAddress: Bool) throws {
        let (arrived, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let application = TestApplication(answering: { request in
            arrived.signal()
            _ = TestThread {
                goOn.wait()
                goOn.signal()
                request.respond(.text("at last"))
            }
            return .later
        })
        try withServer(application, Self.limited(byAddress: isByAddress)) { server in
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in clients {
                client.send("GET / HTTP/1.1\r\n\(Self.closing)\r\n")
                arrived.wait()
            }
            let fourth = try RawClient(port: server.port)
            fourth.send("GET / HTTP/1.1\r\n\(Self.closing)\r\n")
            if isByAddress { #expect(fourth.receiveAll() == []) }
            goOn.signal()
            for client in clients { #expect(client.receiveAll().map { RawResponses($0) }?.statuses == [200]) }
            if !isByAddress { #expect(fourth.receiveAll().map { RawResponses($0) }?.statuses == [200]) }
        }
    }

    @Test(
        "A body that does not fit in the free memory gets 503; small requests continue, and large ones do after memory is freed"
    )
    func limitsMemory() throws {
        let settings = HTTPServerSettings(memoryLimitBytes: 300_000)
        try withServer(TestApplication(bodyLimit: 200_000), settings) { server in
            let head = "POST / HTTP/1.1\r\n\(Self.closing)Content-Length: 200000\r\n\r\n"
            let first = try RawClient(port: server.port)
            first.send("POST / HTTP/1.1\r\n\(Self.closing)Content-Length: 200000\r\nExpect: 100-continue\r\n\r\n")
            #expect(first.receive(until: { $0.contains("100 Continue") }) != nil)
            let body = String(repeating: "x", count: 200_000)
            #expect(try exchange(head + body, with: server)?.statuses == [503])
            #expect(try exchange("POST / HTTP/1.1\r\n\(Self.closing)Content-Length: 1\r\n\r\nx", with: server)?.statuses == [200])
            first.send(body)
            #expect(first.receiveAll().map { RawResponses($0) }?.statuses.last == 200)
            #expect(try exchange(head + body, with: server)?.statuses == [200])
        }
    }

    @Test("A client that does not read its response is disconnected, and the memory of the response is freed")
    func endsSlowReaders() throws {
        var settings = HTTPServerSettings(memoryLimitBytes: 4_000_000)
        (settings.idleSeconds, settings.requestSeconds) = (1, 1)
        let application = TestApplication(
            bodyLimit: 100_000,
            answering: { request in
                request.method == "GET" ? .now(.text(String(repeating: "x", count: 8_000_000))) : .now(.text("small"))
            })
        try withServer(application, settings) { server in
            let post = "POST / HTTP/1.1\r\n\(Self.closing)Content-Length: 100000\r\n\r\n" + String(repeating: "x", count: 100_000)
            // On a busy machine, a reader can be disconnected before the request arrives, and a request take longer than its second.
            var (statuses, readers): ([Int]?, Int) = (nil, 0)
            while statuses != [503], readers < 100 {
                let reader = try RawClient(port: server.port, receiveBufferBytes: 4_096)
                reader.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
                #expect(reader.receive(until: { $0.contains(" 200 ") }) != nil)
                readers += 1
                statuses = try withExtendedLifetime(reader) { try exchange(post, with: server)?.statuses }
            }
            #expect(statuses == [503])
            for _ in 0..<100 where statuses != [200] { statuses = try exchange(post, with: server)?.statuses }
            #expect(statuses == [200])
        }
    }

    @Test("An invalid address, or one in use, throws an error that says what to do")
    func refusesAddresses() throws {
        try withServer { server in
            #expect(throws: HTTPServerError.notAnAddress("here")) {
                try HTTPServer(HTTPServerSettings(address: "here"), application: TestApplication())
            }
            let reason = "Address already in use"
            #expect(throws: HTTPServerError.cannotListen(address: "127.0.0.1", port: server.port, reason: reason)) {
                try HTTPServer(HTTPServerSettings(port: server.port), application: TestApplication())
            }
        }
    }
}
