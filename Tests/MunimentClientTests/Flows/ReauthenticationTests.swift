import Events
import Service
import ServiceSupport
import TestSupport
import Testing

@testable import MunimentClient

@Suite("I6 I7 Changing an account on the running service", .timeLimit(.minutes(60)))
struct ReauthenticationTests {
    private let other = EmailIdentityProvider(email: "ann@example.com", password: "one more long password")

    @Test("I6 The profile, each part separately, and the password change; the next sign-in shows both")
    func changes() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            try await fixture.signUpAnn(on: manager)
            try await manager.updateProfile(picture: "https://example.com/ann.png")
            let named = try await manager.updateProfile(displayName: "Anna")
            #expect(named.displayName == "Anna")
            #expect(named.picture == "https://example.com/ann.png")
            #expect(try await manager.updateProfile(picture: .removed).picture == nil)
            #expect(manager.authenticationState.user?.displayName == "Anna")
            try await manager.updatePassword("one more long password")
            await #expect(throws: AuthError.alreadyLinked) { try await manager.setPassword("a third long password") }
            try await manager.signOut()
            #expect(try await manager.signIn(with: other).displayName == "Anna")
        }
    }

    @Test("I7 Five minutes after sign-in, a change asks the user first and then completes; no request fails")
    func knownBeforehand() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device()
            try await fixture.signUpAnn(on: manager)
            let person = Person.showing(ClientFixture.ann)
            await manager.setReauthenticationDelegate(person)
            fixture.clock.advance(seconds: 300)
            let mails = fixture.mails.all.count
            _ = wire.takeSent()
            try await manager.updateEmail(to: "anna@example.com")
            #expect(wire.takeSent() == ["POST /v1/account/reauthenticate", "PUT /v1/account/email"])
            #expect(person.challenges == ["anna@example.com: password"])
            let anna = try await manager.confirmEmail(await fixture.code(to: "anna@example.com", after: mails))
            #expect(anna.email == "anna@example.com")
            #expect(anna.providers.first?.email == "anna@example.com")
        }
    }

    @Test("I7 If only the service knows that the sign-in is too old, its refusal starts the same challenge")
    func knownByTheService() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device(clockBehindSeconds: 200)
            try await fixture.signUpAnn(on: manager)
            let person = Person.showing(ClientFixture.ann)
            await manager.setReauthenticationDelegate(person)
            fixture.clock.advance(seconds: 301)
            _ = wire.takeSent()
            try await manager.updatePassword("one more long password")
            #expect(
                wire.takeSent() == ["PUT /v1/account/password", "POST /v1/account/reauthenticate", "PUT /v1/account/password"])
            #expect(person.challenges == ["a new password: password"])
        }
    }

    @Test("I7 A cancelled challenge changes nothing and sends nothing")
    func cancelled() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device()
            try await fixture.signUpAnn(on: manager)
            let person = Person.cancelling()
            await manager.setReauthenticationDelegate(person)
            fixture.clock.advance(seconds: 300)
            _ = wire.takeSent()
            await #expect(throws: AuthError.cancelledByUser) { try await manager.updatePassword("one more long password") }
            #expect(wire.takeSent() == [])
            #expect(person.challenges == ["a new password: password"])
        }
    }

    @Test("I7 After a wrong password, the change still waits for the right one")
    func wrongFirst() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            try await fixture.signUpAnn(on: manager)
            let wrong = EmailIdentityProvider(email: "ann@example.com", password: "a wrong password")
            let person = Person { manager, _, challenge in
                await #expect(throws: AuthError.wrongCredentials) { try await manager.reauthenticate(with: wrong, for: challenge) }
                try await manager.reauthenticate(with: ClientFixture.ann, for: challenge)
            }
            await manager.setReauthenticationDelegate(person)
            fixture.clock.advance(seconds: 300)
            try await manager.updatePassword("one more long password")
            #expect(person.challenges == ["a new password: password"])
        }
    }
}
