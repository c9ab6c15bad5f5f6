import Dispatch
import HTTPServer
import Testing

/// Malformed requests, and requests that two servers could interpret differently. The test writes them to a socket unchanged.
@Suite struct `Framing: what is not plainly one request is refused, and the connection closed` {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Each character is one byte.
        let text: String
        /// Nil if the server closes the connection without a response.
        let status: Int?

        init(_ description: String, _ text: String, status: Int? = 400) {
            testDescription = description
            self.text = text
            self.status = status
        }

        /// A chunked request, and another one after it.
        init(_ description: String, chunked end: String, status: Int? = 400) {
            self.init(description, head(chunked: true) + end + smuggled, status: status)
        }

        var bytes: [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
    }

    static func head(chunked: Bool, _ headers: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n\(headers)\(chunked ? "Transfer-Encoding: chunked" : "Content-Length: 0")\r\n\r\n"
    }

    /// A second request after the first. The server must not process it.
    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: here\r\n\r\n"
    static let chunks = "0\r\n\r\n"

    static let malformed: [Case] = [
        Case(
            "length and chunks",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)\(smuggled)"),
        Case(
            "chunks and length",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 60\r\n\r\n\(chunks)\(smuggled)"),
        Case(
            "length and chunks on GET",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)\(smuggled)"),
        Case("two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 0\r\n\r\nabc\(smuggled)"),
        Case(
            "two lengths on DELETE", "DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 3\r\n\r\nabc\(smuggled)"),
        Case("a list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc\(smuggled)"),
        Case("a signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc\(smuggled)"),
        Case("a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n\(smuggled)"),
        Case("a hexadecimal length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc\(smuggled)"),
        Case("an empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n\(smuggled)"),
        Case("a fraction for a length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3.0\r\n\r\nabc\(smuggled)"),
        Case("a length behind a word", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3 bytes\r\n\r\nabc\(smuggled)"),
        Case("another coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n\(chunks)\(smuggled)"),
        Case("two codings", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(chunks)\(smuggled)"),
        Case(
            "chunks twice",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"),
        Case(
            "chunks and identity",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n\(chunks)"),
        Case("an unknown chunking", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n\(chunks)\(smuggled)"),
        Case("a coding in quotes", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n\(chunks)\(smuggled)"),
        Case(
            "a vertical tab in the coding",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n\(chunks)\(smuggled)"),
        Case("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)\(smuggled)"),
        Case("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Case("the same host twice", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        Case("no host", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"),
        Case("a blank before the colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\nabc\(smuggled)"),
        Case("a tab before the colon", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding\t: chunked\r\n\r\n\(chunks)\(smuggled)"),
        Case("a blank in a name", "GET / HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n"),
        Case("a zero byte in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\u{0}Y: 1\r\n\r\n"),
        Case("a zero byte in a value", "GET / HTTP/1.1\r\nHost: a\r\nX-Y: 1\u{0}2\r\n\r\n"),
        Case("a control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX-Y: 1\u{01}2\r\n\r\n"),
        Case("a carriage return alone", "POST / HTTP/1.1\r\nHost: a\r\nX: 1\rContent-Length: 3\r\n\r\nabc\(smuggled)"),
        Case("a carriage return alone at the end", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\r\n\(smuggled)"),
        Case("a line feed alone", "GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n\(smuggled)"),
        Case("line feeds alone", "GET / HTTP/1.1\nHost: a\n\n\(smuggled)"),
        Case("a folded line", "POST / HTTP/1.1\r\nHost: a\r\nX: 1\r\n Content-Length: 3\r\n\r\nabc"),
        Case("a folded line in the middle", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\tmore\r\nY: 2\r\n\r\n"),
        Case("a folded first line", "GET / HTTP/1.1\r\n Host: a\r\nX: 1\r\n\r\n"),
        Case("no version", "GET /\r\n\r\n"),
        Case("another version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", status: 505),
        Case("a version in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n"),
        Case("another protocol", "GET / ICY/1.1\r\nHost: a\r\n\r\n"),
        Case("nothing but a word", "hello\r\n\r\n", status: nil),
        Case("a header without a name", "GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n"),
        Case("a header without a colon", "GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n"),
        Case("brackets in a name", "GET / HTTP/1.1\r\nHost: a\r\nX(Y): 1\r\n\r\n"),
        Case("letters beyond ASCII in a name", "GET / HTTP/1.1\r\nHost: a\r\nXé: 1\r\n\r\n"),
        Case("a method with a bracket", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a target without a slash", "GET nothing HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a target with a zero byte", "GET /a\u{0}b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a target with a control character", "GET /a\u{01}b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a target with a blank", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a chunk without a size", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n"),
        Case(
            "a chunk of another alphabet", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n\(chunks)"
        ),
        Case("a chunk with a sign", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n\(chunks)"),
        Case(
            "a chunk larger than any",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc\r\n\(chunks)", status: 413),
        Case(
            "a chunk longer than its size",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n\(chunks)"),
        Case("a trailer", chunked: "0\r\nX: 1\r\n\r\n"),
        Case("two trailers", chunked: "0\r\nX: 1\r\nY: 2\r\n\r\n"),
        Case("a folded trailer", chunked: "0\r\nX: 1\r\n 2\r\n\r\n"),
        Case("a trailer with a zero byte", chunked: "0\r\nX: 1\u{0}\r\n\r\n"),
        Case("a trailer with line feeds alone", chunked: "0\r\nX: 1\n\n"),
        Case("a trailer without a colon", chunked: "0\r\nX\r\n\r\n"),
        Case("a zero byte in the method", "GET\u{0}T / HTTP/1.1\r\nHost: a\r\n\r\n\(smuggled)"),
        Case("a zero byte after the method", "GET\u{0} / HTTP/1.1\r\nHost: a\r\n\r\n\(smuggled)"),
        Case("two blanks after the method", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n\(smuggled)"),
        Case("a target that is not UTF-8", "GET /\u{FF} HTTP/1.1\r\nHost: a\r\n\r\n\(smuggled)"),
        Case("a host that is not UTF-8", "GET / HTTP/1.1\r\nHost: \u{FF}\r\n\r\n\(smuggled)"),
    ]

    /// Headers that decide what a request may do, or does.
    static let ambiguousHeaders: [Case] = [
        "Authorization", "Content-Type", "If-Match", "Idempotency-Key", "Last-Event-ID", "Muniment-Consistency",
    ].flatMap { name in
        [
            Case("two \(name)", head(chunked: false, "\(name): a\r\n\(name.lowercased()): a\r\n") + smuggled),
            Case("\(name) that is not UTF-8", head(chunked: false, "\(name): a\u{FF}\r\n") + smuggled),
        ]
    }

    /// Chunked requests that are answered, although another server might find another end.
    static let chunked: [Case] = [
        Case("chunks", chunked: "1\r\na\r\n\(chunks)", status: 200),
        Case("a chunk extension", chunked: "1;a=b\r\na\r\n\(chunks)", status: 200),
        Case("line feeds alone in chunks", chunked: "1\na\n\(chunks)", status: 200),
        Case("a line feed alone at the end", chunked: "0\r\n\n", status: 200),
        Case("a zero byte before a trailer", chunked: "0\r\n\u{0}X: 1\r\n", status: 200),
    ]

    @Test(
        "Malformed or ambiguous requests are refused before they reach the application, and the connection is closed",
        arguments: malformed + ambiguousHeaders)
    func refuses(_ example: Case) throws {
        let application = TestApplication()
        try withServer(application) { server in
            let answers = try #require(try exchange(example.bytes, with: server), "the connection stays open")
            #expect(answers.statuses == [example.status].compactMap { $0 }, "\(answers.answers.map(\.body))")
            #expect(!answers.answers.contains { $0.status < 400 })
        }
    }

    @Test("The connection is closed after a chunked request, so that no request can hide behind its chunks", arguments: chunked)
    func closesAfterChunks(_ example: Case) throws {
        try withServer { server in
            let answers = try #require(try exchange(example.bytes, with: server), "the connection stays open")
            #expect(answers.statuses == [200])
        }
    }

    @Test("A chunked body may arrive in any two pieces")
    func joinsPieces() throws {
        let isHeadRead = DispatchSemaphore(value: 0)
        let application = TestApplication(refusing: { _ in
            isHeadRead.signal()
            return nil
        })
        try withServer(application) { server in
            let body = "1\r\na\r\n" + Self.chunks
            let bytes = Array((Self.head(chunked: true) + body).utf8)
            for split in bytes.indices.suffix(body.utf8.count) {
                let client = try RawClient(port: server.port)
                client.send(Array(bytes[..<split]))
                #expect(isHeadRead.wait(timeout: .now() + 1_200) == .success)
                client.send(Array(bytes[split...]))
                let answers = client.receiveAll().map { RawResponses($0) }
                #expect(answers?.answers.map(\.body) == ["POST / ?  : a"], "split before byte \(split)")
            }
        }
    }

    @Test("Each of the headers that may not be repeated is accepted once")
    func acceptsOneOfEach() throws {
        let headers = "Authorization: a\r\nContent-Type: a\r\nIf-Match: \"1\"\r\nIdempotency-Key: é\r\nLast-Event-ID: 1\r\n"
        try withServer { server in
            let head = Self.head(chunked: false, headers + "Muniment-Consistency: linearizable\r\nConnection: close\r\n")
            let answers = try exchange(head, with: server)
            #expect(answers?.statuses == [200])
        }
    }
}
