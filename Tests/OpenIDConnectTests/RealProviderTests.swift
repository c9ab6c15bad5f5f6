import Events
import Identity
import IdentitySupport
import IssuerSupport
import OpenIDConnect
import TestSupport
import Testing

/// The provider process signs with the machine's time, so these tests use that time too.
@Suite("I2 OpenID Connect with an external provider")
struct RealProviderTests {
    private var now: Instant { .machine }

    private func provider(_ process: OpenIDProcess) throws -> OpenIDProvider {
        OpenIDProvider(
            try OpenIDSettings(
                id: try #require(ProviderID("mock")), issuer: process.issuer, clientID: "muniment", clientSecret: "secret",
                redirectURIs: ["https://app.example.com/back"], trustsEmail: true))
    }

    private func begin(_ provider: OpenIDProvider) throws -> (attempt: JSONValue, address: String) {
        let answer = try #require(try provider.begin([:], at: now))
        guard case .string(let address)? = answer["authorizationURL"], let attempt = answer["attempt"] else { throw NoAnswer() }
        return (attempt, address)
    }

    private struct NoAnswer: Error {}

    private func evidence(_ attempt: JSONValue, _ redirect: [String: String]) -> JSONObject {
        var members: JSONObject = ["attempt": attempt, "redirectURI": "https://app.example.com/back"]
        for (name, value) in redirect { members[name] = .string(value) }
        return members
    }

    @Test("A user who signs in there is proved here, with the verified email, and the code is valid once")
    func signIn() throws {
        let process = try OpenIDProcess(users: [
            "subject-1": [
                "email": "Ann@Example.org", "email_verified": .bool(true), "name": "Ann", "picture": "https://example.org/a.png",
            ]
        ])
        let provider = try provider(process)
        let (attempt, address) = try begin(provider)
        let redirect = try process.signIn(at: address, as: "subject-1")
        let proof = try provider.authenticate(evidence(attempt, redirect), for: .recognition, at: now) { _ in nil }
        #expect(proof.key.bytes == Array(process.issuer.utf8) + [0] + Array("subject-1".utf8))
        #expect(proof.verifiedAddress == EmailAddress("ann@example.org"))
        #expect(proof.profile == Profile(displayName: "Ann", picture: "https://example.org/a.png"))
        let (second, secondAddress) = try begin(provider)
        let state = try process.signIn(at: secondAddress, as: "subject-1")["state"] ?? ""
        var replayed = redirect
        replayed["state"] = state
        #expect(throws: ProviderError.wrong) {
            try provider.authenticate(evidence(second, replayed), for: .recognition, at: now) { _ in nil }
        }
    }

    @Test("An email that the provider did not verify is ignored")
    func unverified() throws {
        let process = try OpenIDProcess()
        let provider = try provider(process)
        let (attempt, address) = try begin(provider)
        let redirect = try process.signIn(at: address, as: "bob@example.org")
        let proof = try provider.authenticate(evidence(attempt, redirect), for: .enrolment, at: now) { _ in nil }
        #expect(proof.email?.address == nil)
        #expect(proof.label == "bob@example.org")
    }

    @Test("A user who refuses at the provider returns without a code, which proves no user")
    func refused() throws {
        let process = try OpenIDProcess()
        let provider = try provider(process)
        let (attempt, address) = try begin(provider)
        let redirect = try process.refuse(at: address)
        #expect(redirect["error"] == "access_denied")
        #expect(throws: ProviderError.self) {
            try provider.authenticate(evidence(attempt, redirect), for: .recognition, at: now) { _ in nil }
        }
    }
}
