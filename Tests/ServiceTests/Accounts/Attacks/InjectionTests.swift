import Events
import HTTPServer
import ServiceSupport
import TestSupport
import Testing

@testable import Identity
@testable import Service

@Suite("I4 attacks: line injection into mails, responses and logs")
struct InjectionTests {
    private static let line = "\r\nBcc: eve@example.com"

    /// Addresses that contain more than one mailbox, or that would end a line of a mail header.
    private static let emails = [
        "ann@example.com" + line, "ann" + line + "@example.com", "ann@example.com\nSubject: x", "ann@example.com\r",
        "ann@example.com\u{0}",
        "ann@example.com,eve@example.com", "ann@example.com;eve@example.com", "<ann@example.com>", "Ann <ann@example.com>",
        "\"ann\r\n\"@example.com", "ann@example.com>\r\nRCPT TO:<eve@example.com", "ann@exam\u{2028}ple.com", "ann@example.com ",
        " ann@example.com", "ann@example.com\u{85}", "ann@@example.com", "ann(eve@example.com)@example.com", "аnn@example.com",
        "ann@example.com\u{202E}", "ann\t@example.com",
    ]

    @Test("I4 attack: emails with a line end or a second mailbox are refused on all routes, and no mail is sent")
    func emailAddresses() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("real@example.com")
            let administrator = try fixture.service.administrator()
            let sent = fixture.mails.all.count
            let door = fixture.service.direct
            let direct = AccountsClient(door, fixture.mails)
            for email in Self.emails {
                let answers = [
                    try await direct.post("/v1/accounts/sign-up", .signingIn(email, "a long password")),
                    try await direct.post("/v1/accounts/sign-in", .signingIn(email, "a long password")),
                    try await direct.post("/v1/accounts/reset", ["email": .string(email)]),
                    try await direct.send("PUT", "/v1/account/email", ["email": .string(email)], as: ann.access),
                ]
                for answer in answers {
                    #expect(answer.status == 400, "\(email.debugDescription): \(answer.text)")
                    #expect(answer.headers.allSatisfy { !$0.value.contains("\n") && !$0.value.contains("eve") })
                }
                let asked = email.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
                let found = try await door.send("GET", "/v1/accounts?email=" + asked, token: administrator)
                #expect(found.status == 400, "\(email.debugDescription): \(found.text)")
            }
            fixture.service.service.accounts?.accounts.mails.drain()
            #expect(fixture.mails.all.count == sent)
        }
    }

    @Test("I4 attack: names, pictures and devices with control characters are refused; others appear in no mail or header")
    func names() async throws {
        try await withTarget { fixture in
            let client = fixture.client
            let ann = try await client.signUp("ann@example.com")
            for text in ["Ann" + Self.line, "Ann\u{0}", "Ann\u{1B}[2J", "Ann\u{85}", "Ann\u{202E}nnA", "\n", ""] {
                for (name, body) in [
                    ("displayName", JSONObject.signingIn("bob@example.com", "a long password")),
                    ("device", .signingIn("ann@example.com", "a long password")),
                ] {
                    var body = body
                    body[name] = .string(text)
                    let path = name == "device" ? "sign-in" : "sign-up"
                    let answer = try await client.post("/v1/accounts/" + path, body)
                    #expect(answer.status == 400, "\(name) \(text.debugDescription): \(answer.text)")
                }
                for name in ["displayName", "picture"] {
                    let answer = try await client.send("PATCH", "/v1/account", [name: .string(text)], as: ann.access)
                    #expect(answer.status == 400, "\(name) \(text.debugDescription): \(answer.text)")
                }
            }
            for picture in [
                "javascript:alert(1)", "data:text/html,x", "https://a.example/\"onload=x", "https://a.example/<b>", "//a.example/x",
            ] {
                let answer = try await client.send("PATCH", "/v1/account", ["picture": .string(picture)], as: ann.access)
                #expect(answer.status == 400, "\(picture)")
            }
            let provider = try await client.post("/v1/accounts/begin", ["provider": .string("x\r\nSet-Cookie: a=b")])
            #expect(provider.status == 400)
            #expect(provider.header("Set-Cookie") == nil)
        }
    }

    @Test("I4 attack: mails never contain a user's chosen name, so users cannot insert text into mails to others")
    func mails() async throws {
        try await withTarget { fixture in
            let name = "Click https://eve.example/?x=\"><b>, Bcc: eve@example.com"
            let ann = try await fixture.client.signUp("ann@example.com", name: name)
            _ = try await fixture.beginEmailChange("new@example.com", as: ann.access)
            _ = try await fixture.beginReset("ann@example.com")
            _ = try await fixture.client.send("DELETE", "/v1/account", as: ann.access)
            fixture.service.service.accounts?.accounts.mails.drain()
            #expect(fixture.mails.all.count == 4)
            for mail in fixture.mails.all {
                #expect(!mail.text.contains("eve") && !mail.subject.contains("eve"))
                #expect(!mail.subject.contains { $0.isNewline })
            }
        }
    }
}
