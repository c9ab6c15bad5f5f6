import Events
import Foundation
import Identity
import TestSupport
import Testing

@testable import Mail

@Suite("The bytes of a mail")
struct MailBytesTests {
    private func mail(
        _ subject: String = "Code", _ text: String = "abc", from sender: String = "No Reply <no-reply@example.com>"
    ) throws -> String {
        let message = MailMessage(to: try #require(EmailAddress("ann@example.org")), subject: subject, text: text)
        let sender = try #require(MailSender(sender))
        let bytes = MailBytes.make(message, from: sender, at: .newYear.later(seconds: 3_723), identifier: "x1")
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The header and the body follow RFC 5322")
    func golden() throws {
        let expected = [
            "From: No Reply <no-reply@example.com>", "To: ann@example.org", "Subject: Your code",
            "Date: Thu, 01 Jan 2026 01:02:03 +0000", "Message-ID: <x1@example.com>", "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 7bit", "", "Hello", "",
            "the code is ABCD.", "",
        ]
        #expect(try mail("Your code", "Hello\n\nthe code is ABCD.\n") == expected.joined(separator: "\r\n"))
    }

    @Test(
        "A subject never adds a header line, and decodes to the same text",
        arguments: [
            "Hallo\r\nBcc: all@example.com", "a\nb", "a\rb", "a\u{0}b", "Grüße, Zoë", "=?UTF-8?B?eA==?=", "a\u{7F}", "👩‍👩‍👧‍👦",
            String(repeating: "ä", count: 300), String(repeating: "a", count: 900),
        ])
    func subjects(subject: String) throws {
        let lines = try mail(subject).components(separatedBy: "\r\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("Subject: ") })
        let end = try #require(lines.firstIndex { $0.hasPrefix("Date: ") })
        #expect(lines.filter { $0.hasPrefix("Bcc") }.isEmpty)
        var read: [UInt8] = []
        for (index, line) in lines[start..<end].enumerated() {
            #expect(line.utf8.count <= 87)
            #expect(index == 0 || line.hasPrefix(" =?"))
            let word = line.drop { $0 != "=" }.dropFirst("=?UTF-8?B?".count).dropLast("?=".count)
            read += try #require(Data(base64Encoded: String(word)))
        }
        #expect(String(decoding: read, as: UTF8.self) == subject)
    }

    @Test("A text with non-ASCII characters or long lines is sent as base64, and decodes to the same text")
    func texts() throws {
        for text in ["Grüße\r\n", String(repeating: "a", count: 999) + "\r\n", "a\u{0}b\r\n"] {
            let parts = try mail("Code", text).components(separatedBy: "\r\n\r\n")
            #expect(parts[0].contains("Content-Transfer-Encoding: base64"))
            #expect(Data(base64Encoded: parts[1], options: .ignoreUnknownCharacters) == Data(text.utf8))
            #expect(parts[1].components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 76 })
        }
        #expect(try mail("Code", String(repeating: "a", count: 998)).contains("7bit"))
    }

    @Test("Every line end becomes CR LF", arguments: ["a\nb", "a\rb", "a\r\nb", "a\nb\r\n"])
    func lineEnds(text: String) throws { #expect(try mail("Code", text).hasSuffix("\r\n\r\na\r\nb\r\n")) }

    @Test(
        "A sender is an address with or without a name",
        arguments: [
            ("a@example.com", "a@example.com"), ("Ex Ample <A@Example.com>", "Ex Ample <a@example.com>"),
            ("<a@example.com>", "a@example.com"), ("a", nil), ("Ex <a>", nil), ("Ex\r\n <a@example.com>", nil), ("", nil),
            ("a@example.com, b@example.com", nil),
        ])
    func senders(text: String, read: String?) { #expect(MailSender(text)?.description == read) }

    @Test("A sender name with special characters is sent as an encoded word")
    func names() throws {
        let head = try mail(from: "Ann, <b@evil.example> <no-reply@example.com>").components(separatedBy: "\r\n")[0]
        #expect(head == "From: =?UTF-8?B?QW5uLCA8YkBldmlsLmV4YW1wbGU+?= <no-reply@example.com>")
    }
}
