import HTTPServer
import Identity
import Secrets
import ServiceSupport
import Testing

@testable import Service

@Suite("Passwords that were hashed with weaker settings")
struct PasswordRehashTests {
    @Test("I3 A sign-in over HTTP upgrades a hash made with weaker settings, and a wrong password keeps the old hash")
    func rehash() async throws {
        try await withTarget { fixture in
            _ = try await fixture.client.signUp("ann@example.com")
            var settings = fixture.service.service.settings
            settings.accounts?.settings.passwordHash = PasswordHash.Settings(memoryKiB: 32, passes: 2)
            try fixture.service.stopListening()
            try fixture.service.service.close()
            let service = try MunimentService(settings)
            defer { try? service.close() }
            let server = try HTTPServer(HTTPServerSettings(), application: service)
            defer { server.stop(graceSeconds: 5) }
            let client = AccountsClient(Curl("http://127.0.0.1:\(server.port)"), fixture.mails)
            let secret = {
                try service.accounts?.accounts.find(email: "ann@example.com")?.identities.first?.secret ?? "none"
            }
            #expect(try secret().contains("m=8,t=1,p=1"))
            #expect(try await client.signInAnswer("ann@example.com", password: "not this one").status == 401)
            #expect(try secret().contains("m=8,t=1,p=1"))
            _ = try await client.signIn("ann@example.com")
            let kept = try secret()
            #expect(kept.contains("m=32,t=2,p=1"), "\(kept)")
            _ = try await client.signIn("ann@example.com")
            #expect(try secret() == kept)
        }
    }
}
