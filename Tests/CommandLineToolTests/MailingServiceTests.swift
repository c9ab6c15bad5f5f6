import Dispatch
import Events
import Foundation
import IdentitySupport
import NetworkClient
import Testing

@Suite("A service that sends mail through a mail server")
struct MailingServiceTests {
    private struct NoAnswer: Error { let found: String }

    private func post(_ address: String, _ body: JSONObject) throws -> JSONObject {
        var request = HTTPClientRequest(try #require(HTTPAddress(address)))
        (request.connectSeconds, request.timeoutSeconds) = (600, 600)
        request.headers = [("Content-Type", "application/json")]
        request.body = try JSONText.encode(.object(body))
        let response = try HTTPClient.send(request)
        guard case .object(let answer) = try JSONText.decode(response.body) else {
            throw NoAnswer(found: String(decoding: response.body, as: UTF8.self))
        }
        return answer
    }

    @Test("I3 The configured mail server sends the codes with user and password, and a user signs up with a code")
    func signUp() throws {
        let server = try MailProcess(asksWho: true)
        // The test ends even if no mail arrives.
        let deadline = DispatchWorkItem { [weak server] in server?.stop() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 1_200, execute: deadline)
        defer { deadline.cancel() }
        try BuiltTool.inFreshFolder { tool in
            try tool.write(MailProcess.password + "\n", to: "mail-password", mode: 0o600)
            try tool.write(
                """
                {"serviceName":"Example","mail":{"smtp":{"address":"\(server.address)","from":"Example <no-reply@example.com>",
                "user":"\(MailProcess.user)","passwordFile":"mail-password"}}}
                """, to: "accounts.json")
            let service = try ServingTool(tool, ["--accounts", "accounts.json"])
            let evidence: JSONObject = ["email": .string("ann@example.com"), "password": .string("a long password")]
            let started = try post(
                service.address + "/v1/accounts/sign-up", ["provider": .string("password"), "evidence": .object(evidence)])
            let attempt = try #require(started["attempt"], "\(started)")
            let mail = try server.next()
            #expect(mail.isSignedIn)
            #expect(mail.sender == "no-reply@example.com" && mail.recipients == ["ann@example.com"])
            #expect(mail.data.hasPrefix("From: Example <no-reply@example.com>\r\nTo: ann@example.com\r\n"))
            let code = try #require(mail.data.firstMatch(of: /The code is: +([A-Z0-9-]+)/)).1
            let signedIn = try post(
                service.address + "/v1/accounts/sign-up/confirm", ["attempt": attempt, "code": .string(String(code))])
            #expect(signedIn["account"]?["email"] == .string("ann@example.com"), "\(signedIn)")
            #expect(try service.stop().code == 0)
        }
    }
}
