import Events
import Foundation
import TestSupport
import Testing

@testable import Service

@Suite("The request log: exactly one line per request")
struct RequestLineTests {
    private let line = RequestLine(
        time: .newYear, requestID: "r-1", method: "POST", route: "check", path: "/v1/stores/default/check", status: 200,
        nanoseconds: 1_250_000, credential: "t1", store: "default", bytes: 17, peer: "127.0.0.1")

    @Test("In JSON format, each line is an object with all fields")
    func json() throws {
        let text = try #require(line.text(.json))
        #expect(text.last == UInt8(ascii: "\n"))
        let object = try JSONText.decode(Array(text.dropLast()))
        #expect(object["status"] == .integer(200))
        #expect(object["level"] == .string("info"))
        #expect(object["route"] == .string("check"))
        #expect(object["request"] == .string("r-1"))
        #expect(object["credential"] == .string("t1"))
        #expect(object["seconds"] == .number(0.00125))
        #expect(object["time"] == .string("2026-01-01T00:00:00.000000Z"))
    }

    @Test("In text format, each line is readable text; without a format, nothing is logged")
    func plain() throws {
        #expect(
            String(decoding: try #require(line.text(.text)), as: UTF8.self)
                == "2026-01-01T00:00:00.000000Z info 200 POST /v1/stores/default/check 1.25 ms 17 B from 127.0.0.1 as t1 request r-1\n"
        )
        #expect(line.text(.none) == nil)
    }

    @Test(
        "Control characters neither start a new line nor control a terminal",
        arguments: ["\n", "\r", "\u{1B}[31m", "\u{0}", "\u{7F}", "\u{9B}31m", "\"}\n{\"status\":200"])
    func controls(text: String) throws {
        var hostile = line
        (hostile.path, hostile.method) = ("/" + text, "GET" + text)
        for format in [LogFormat.json, .text] {
            let bytes = try #require(hostile.text(format))
            let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.dropLast()
            #expect(bytes.last == UInt8(ascii: "\n"))
            #expect(!scalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) })
        }
        let object = try JSONText.decode(Array(try #require(hostile.text(.json)).dropLast()))
        #expect(object["status"] == .integer(200))
    }

    @Test("A path of the maximum length of a request head is truncated")
    func longPath() throws {
        var long = line
        long.path = "/" + String(repeating: "ä", count: 5000)
        #expect(try #require(long.text(.json)).count < 900)
    }
}
