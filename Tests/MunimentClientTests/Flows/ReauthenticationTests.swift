import Events
import Service
import ServiceSupport
import TestSupport
import Testing

@testable import MunimentClient

@Suite("I6 I7 Changing an account, against the running service", .timeLimit(.minutes(10)))
struct ReauthenticationTests {
    private let other = EmailIdentityProvider(email: "ann@example.com", password: "one more long password")

    @Test("I6 The profile is changed part by part, and the password; both are there at the next sign-in")
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

    @Test("I7 After five minutes the person is asked first: no request fails, and the change is made by itself")
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
            let anna = try await manager.confirmEmail(await fixture.code(to: "anna@example.com", behind: mails))
            #expect(anna.email == "anna@example.com")
            #expect(anna.providers.first?.email == "anna@example.com")
        }
    }

    @Test("I7 Where only the service knows that it was too long ago, its refusal leads to the same challenge")
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

    @Test("I7 Whoever cancels has changed nothing, and nothing was sent")
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

    @Test("I7 A wrong password leaves the change waiting for the right one")
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
