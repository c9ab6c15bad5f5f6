import Dispatch
import HTTPServer
import TestSupport
import Testing

@Suite struct `Requests and their answers` {
    static let closing = "Host: here\r\nConnection: close\r\n"

    @Test("The application gets the request as sent, with path and query still encoded")
    func handsOver() throws {
        try withServer { server in
            let head = "POST /a%2Fb?x=%20y&z HTTP/1.1\r\n\(Self.closing)Content-Length: 5\r\n\r\n"
            let answers = try exchange(head + "hello", with: server)
            #expect(answers?.answers.map(\.body) == ["POST /a%2Fb ? x=%20y&z : hello"])
            #expect(answers?.statuses == [200])
        }
    }

    @Test("A connection serves requests in order, even if all of them are sent at once")
    func keepsAlive() throws {
        try withServer { server in
            let text = (1...20).map { "GET /\($0) HTTP/1.1\r\nHost: here\r\n\r\n" }.joined()
            let answers = try exchange(text + "GET /end HTTP/1.1\r\n\(Self.closing)\r\n", with: server)
            #expect(answers?.answers.map(\.body) == ((1...20).map { "\($0)" } + ["end"]).map { "GET /\($0) ?  : " })
        }
    }

    @Test("Another thread may send the response, early or late")
    func answersLater() throws {
        let application = TestApplication(answering: { request in
            DispatchQueue.global().async { request.respond(.text("later \(request.path)")) }
            return .later
        })
        try withServer(application) { server in
            let text = (1...500).map { "GET /\($0) HTTP/1.1\r\nHost: here\r\n\r\n" }.joined()
            let answers = try exchange(text + "GET /end HTTP/1.1\r\n\(Self.closing)\r\n", with: server)
            #expect(answers?.answers.map(\.body) == ((1...500).map { "\($0)" } + ["end"]).map { "later /\($0)" })
        }
    }

    @Test("A streamed body arrives complete and in order, and ends when the producer ends it")
    func streams() throws {
        let application = TestApplication(answering: { _ in
            let stream = HTTPStream(limitBytes: 1_000)
            _ = TestThread {
                for number in 1...20_000 { try? stream.writeBlocking(Array("\(number)\n".utf8)) }
                stream.finish()
            }
            return .now(HTTPResponse(status: 200, body: .stream(stream)))
        })
        try withServer(application) { server in
            let answers = try exchange("GET / HTTP/1.1\r\n\(Self.closing)\r\n", with: server)
            #expect(answers?.answers.map(\.body) == [(1...20_000).map { "\($0)\n" }.joined()])
        }
    }

    @Test("A request header section may arrive in any pieces, with any valid headers")
    func takesPieces() throws {
        try withServer { server in
            let headers = (1...60).map { "X-\($0): value=\($0); \"quoted\" \u{e9} ,\r\n" }.joined()
            let text = "PATCH /a?b=c&d HTTP/1.1\r\n\(headers)Empty:\r\nBlank:   \r\nTrailing: a \t\r\nCookie: a=b; c\r\n"
            let whole = Array((text + Self.closing + "Content-Length: 3\r\n\r\nabc").utf8)
            for size in [1, 7, 64, 1_000, 10_000] {
                let client = try RawClient(port: server.port)
                for start in stride(from: 0, to: whole.count, by: size) { client.send(Array(whole[start...].prefix(size))) }
                let answers = client.receiveAll().map { RawResponses($0) }
                #expect(answers?.answers.map(\.body) == ["PATCH /a ? b=c&d : abc"], "in pieces of \(size)")
            }
        }
    }

    @Test("Absolute targets, `*`, chunk extensions and HTTP/1.0 are supported")
    func understands() throws {
        try withServer { server in
            let ones = [
                ("GET http://here/a?b HTTP/1.1\r\n\(Self.closing)\r\n", "GET /a ? b : "),
                ("GET HTTP://here?b HTTP/1.1\r\n\(Self.closing)\r\n", "GET / ? b : "),
                ("OPTIONS * HTTP/1.1\r\n\(Self.closing)\r\n", "OPTIONS * ?  : "),
                ("GET /old HTTP/1.0\r\n\r\n", "GET /old ?  : "),
                (
                    "POST / HTTP/1.1\r\n\(Self.closing)Transfer-Encoding: Chunked\r\n\r\n"
                        + "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "POST / ?  : abcde"
                ),
                ("POST / HTTP/1.1\r\n\(Self.closing)Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", "POST / ?  : ab"),
            ]
            for (text, body) in ones {
                let answers = try exchange(text, with: server)
                #expect(answers?.answers.map(\.body) == [body])
            }
        }
    }

    @Test("A client that expects 100 Continue gets it, and then sends its body")
    func continues() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\r\n\(Self.closing)Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(client.receive(until: { $0.hasSuffix("\r\n\r\n") })?.hasPrefix("HTTP/1.1 100 ") == true)
            client.send("ab")
            #expect(client.receiveAll().map { RawResponses($0) }?.answers.map(\.body) == ["POST / ?  : ab"])
        }
    }

    @Test("The response to HEAD has the headers of GET and no body")
    func answersHead() throws {
        try withServer { server in
            let bytes = try rawText("HEAD /a HTTP/1.1\r\n\(Self.closing)\r\n", server)
            #expect(bytes.contains("Content-Length: 13\r\n") && bytes.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("Header names are case-insensitive, and values have no surrounding whitespace")
    func findsHeaders() throws {
        let application = TestApplication(answering: { request in
            .now(.text("\(request.header("x-one") ?? "-") \(request.header("X-NONE") ?? "-") \(request.peer)"))
        })
        try withServer(application) { server in
            let text = "GET / HTTP/1.1\r\n\(Self.closing)X-One: \t a b\t \r\n\r\n"
            let answers = try exchange(text, with: server)
            #expect(answers?.answers.map(\.body) == ["a b - 127.0.0.1"])
        }
    }
}

/// Returns all bytes that the server sends in response to a text.
private func rawText(_ text: String, _ server: HTTPServer) throws -> String {
    let client = try RawClient(port: server.port)
    client.send(text)
    return String(decoding: client.receiveAll() ?? [], as: UTF8.self)
}
