import Dispatch
import HTTPServer
import Testing

@Suite struct `Requests and their answers` {
    static let closing = "Host: here\r\nConnection: close\r\n"

    @Test("A request is handed over as it was sent, with its path and its query undecoded")
    func handsOver() throws {
        try withServer { server in
            let head = "POST /a%2Fb?x=%20y&z HTTP/1.1\r\n\(Self.closing)Content-Length: 5\r\n\r\n"
            let answers = try exchange(head + "hello", with: server)
            #expect(answers?.answers.map(\.body) == ["POST /a%2Fb ? x=%20y&z : hello"])
            #expect(answers?.statuses == [200])
        }
    }

    @Test("A connection serves one request after the other, in order, also when they are sent at once")
    func keepsAlive() throws {
        try withServer { server in
            let text = (1...20).map { "GET /\($0) HTTP/1.1\r\nHost: here\r\n\r\n" }.joined()
            let answers = try exchange(text + "GET /end HTTP/1.1\r\n\(Self.closing)\r\n", with: server)
            #expect(answers?.answers.map(\.body) == ((1...20).map { "\($0)" } + ["end"]).map { "GET /\($0) ?  : " })
        }
    }

    @Test("An answer may come from another thread, before the connection rests and after")
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

    @Test("What a producer writes comes in order and whole, and its end is the end of the body")
    func streams() throws {
        let application = TestApplication(answering: { _ in
            let stream = HTTPStream(limitBytes: 1_000)
            DispatchQueue.global().async {
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
}
