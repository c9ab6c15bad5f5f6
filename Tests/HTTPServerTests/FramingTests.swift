import HTTPServer
import Testing

/// Malformed requests, and requests that two servers could interpret differently. The test writes them to a socket unchanged.
@Suite struct `Framing: what is not plainly one request is refused, and the connection closed` {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        /// Nil if the server closes the connection without a response.
        let status: Int?

        init(_ description: String, _ text: String, status: Int? = 400) {
            testDescription = description
            self.text = text
            self.status = status
        }
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
    ]

    @Test(
        "Malformed or ambiguous requests are refused before they reach the application, and the connection is closed",
        arguments: malformed)
    func refuses(_ example: Case) throws {
        let application = TestApplication()
        try withServer(application) { server in
            let answers = try #require(try exchange(example.text, with: server), "the connection stays open")
            #expect(answers.statuses == [example.status].compactMap { $0 }, "\(answers.answers.map(\.body))")
            #expect(!answers.answers.contains { $0.status < 400 })
        }
    }
}
