import Events
import Identity
import Service
import TestSupport
import Testing

@testable import MunimentClient

@Suite("I2 The manager supports another provider without changes", .timeLimit(.minutes(60)))
struct FurtherProviderTests {
    /// The service's side: the evidence is a badge that names the user.
    private struct Badges: Identity.IdentityProvider {
        let id = ProviderID("badge") ?? .password
        let priority = 3

        func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? { ["gate": .string("north")] }

        func authenticate(
            _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
        ) throws(ProviderError) -> VerifiedIdentity {
            guard case .string(let badge)? = evidence["badge"], evidence["gate"] == .string("north") else { throw .wrong }
            return VerifiedIdentity(key: IdentityKey(Array(badge.utf8)), label: badge, authenticatedAt: now)
        }
    }

    /// The client's side.
    private struct BadgeIdentityProvider: MunimentClient.IdentityProvider {
        let badge: String
        let gate: JSONValue
        let providerID: IdentityProviderID = "badge"
        let isReusable = true
        var evidence: JSONObject { ["badge": .string(badge), "gate": gate] }
    }

    @Test("I2 A custom provider can begin, sign up, sign in, link and answer challenges")
    func badges() async throws {
        try await withClients {
            $0.providers.append(Badges())
        } _: { fixture in
            let (manager, _) = fixture.device()
            let gate = try #require(try await manager.begin("badge", [:])["gate"])
            let provider = BadgeIdentityProvider(badge: "7", gate: gate)
            guard case .signedIn(let seven) = try await manager.signUp(with: provider) else {
                Issue.record("a badge was not enough")
                return
            }
            #expect(seven.providers.map(\.providerID) == ["badge"])
            try await manager.signOut()
            #expect(try await manager.signIn(with: provider) == seven)
            try await manager.signOut()

            let ann = try await fixture.signUpAnn(on: manager)
            await #expect(throws: AuthError.linkedElsewhere) { try await manager.link(with: provider) }
            let linked = try await manager.link(with: BadgeIdentityProvider(badge: "8", gate: gate))
            #expect(Set(linked.providers.map(\.providerID)) == ["badge", .email])
            #expect(linked.principal == ann.principal)
            let person = Person { try await $0.reauthenticate(with: BadgeIdentityProvider(badge: "8", gate: gate), for: $2) }
            await manager.setReauthenticationDelegate(person)
            fixture.clock.advance(seconds: 300)
            #expect(try await manager.unlink(.email).providers.map(\.providerID) == ["badge"])
            #expect(person.challenges == ["password: " + linked.providers.map(\.providerID.text).joined(separator: ", ")])
        }
    }
}
