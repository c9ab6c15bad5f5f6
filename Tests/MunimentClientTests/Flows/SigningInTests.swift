import Events
import IdentitySupport
import Service
import ServiceSupport
import TestSupport
import Testing

@testable import MunimentClient

@Suite("I1 I3 I4 Signing up and signing in on the running service", .timeLimit(.minutes(60)))
struct SigningInTests {
    @Test("I1 I3 A user signs up by email with a code, signs out and signs in again; listeners see each state change")
    func email() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            var states = manager.states.makeAsyncIterator()
            guard case .verificationSent(let sent) = try await manager.signUp(with: ClientFixture.ann, displayName: "Ann") else {
                Issue.record("an email was taken before anybody had shown whose it is")
                return
            }
            #expect(sent.ends > fixture.clock.now)
            #expect(manager.authenticationState == .notAuthenticated)
            let ann = try await manager.verify(await fixture.code())
            #expect(ann.email == "ann@example.com")
            #expect(ann.providers.map(\.providerID) == [.email])
            try await manager.signOut()
            await #expect(throws: AuthError.wrongCredentials) {
                try await manager.signIn(with: EmailIdentityProvider(email: "ann@example.com", password: "another password"))
            }
            #expect(try await manager.signIn(with: ClientFixture.ann) == ann)
            var seen: [AuthenticationState] = []
            while seen.last != .authenticated(ann) || !seen.dropLast().contains(.authenticated(ann)),
                let state = await states.next()
            {
                seen.append(state)
            }
            #expect(
                seen.drop { $0 == .notDetermined } == [
                    .notAuthenticated, .authenticated(ann), .notAuthenticated, .authenticated(ann),
                ])
        }
    }

    @Test("I3 A wrong code, and a code without a request, throw errors that the caller can handle")
    func codes() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            await #expect(throws: AuthError.nothingToVerify) { try await manager.verify("ABCDEFGH") }
            _ = try await manager.signUp(with: ClientFixture.ann)
            await #expect(throws: AuthError.wrongCode) { try await manager.verify("WRNGCODE") }
            try await manager.verify(await fixture.code())
        }
    }

    @Test("I3 A rejected password throws an error that states the requirements")
    func unfit() async throws {
        try await withClients { fixture in
            let error = await #expect(throws: AuthError.self) {
                try await fixture.device().manager.signUp(with: EmailIdentityProvider(email: "ann@example.com", password: "short"))
            }
            guard case .unacceptablePassword? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A session continues after a restart of the device; a session ended on another device does not")
    func restart() async throws {
        try await withClients { fixture in
            let store = InMemorySessionStore()
            let ann = try await fixture.signUpAnn(on: fixture.device(store: store).manager)
            let (again, _) = fixture.device(store: store)
            #expect(await again.states.first { $0 != .notDetermined } == .authenticated(ann))
            let (other, _) = fixture.device("phone")
            try await other.signIn(with: ClientFixture.ann)
            let sessions = try await other.sessions()
            #expect(Set(sessions.map(\.device)) == ["laptop", "phone"])
            let laptop = try #require(sessions.first { !$0.isCurrent })
            try await other.endSession(laptop.id)
            await #expect(throws: AuthError.sessionEnded) { try await again.reload() }
            #expect(again.authenticationState == .notAuthenticated)
            #expect(store.load() == nil)
        }
    }

    @Test("A refresh with a lost response is repeated with the same nonce and returns the tokens; it does not count as theft")
    func lostRefresh() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            fixture.clock.advance(seconds: 590)
            _ = wire.takeSent()
            wire.loseAnswer(to: "POST /v1/accounts/refresh")
            #expect(try await manager.reload() == ann)
            #expect(wire.takeSent() == ["POST /v1/accounts/refresh", "POST /v1/accounts/refresh", "GET /v1/account"])
            fixture.clock.advance(seconds: 590)
            #expect(try await manager.reload() == ann)
        }
    }

    @Test("A device clock that is wrong by a day renews tokens on time and not earlier", arguments: [-86_400, 86_400])
    func wrongClock(behindSeconds: Int64) async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device(clockBehindSeconds: behindSeconds)
            try await fixture.signUpAnn(on: manager)
            let first = try await manager.accessToken()
            #expect(try await manager.accessToken() == first)
            fixture.clock.advance(seconds: 590)
            _ = wire.takeSent()
            #expect(try await manager.accessToken() != first)
            #expect(wire.takeSent() == ["POST /v1/accounts/refresh"])
        }
    }

    @Test("A device clock that is past the end of the stored session does not sign out the user: the service decides")
    func clockAheadAtStart() async throws {
        try await withClients { fixture in
            let store = InMemorySessionStore()
            let ann = try await fixture.signUpAnn(on: fixture.device(store: store).manager)
            let (again, _) = fixture.device(store: store, clockBehindSeconds: -400 * 86_400)
            #expect(await again.states.first { $0 != .notDetermined } == .authenticated(ann))
        }
    }

    @Test("I3 Ending an unknown session throws an error that names the cause")
    func noSuchSession() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            try await fixture.signUpAnn(on: manager)
            let error = await #expect(throws: AuthError.self) { try await manager.endSession(999) }
            guard case .notThere? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A new sign-in ends the earlier session, even if its access token has expired", .timeLimit(.minutes(60)))
    func previousSignOut() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            try await fixture.signUpAnn(on: manager)
            fixture.clock.advance(seconds: 700)
            try await manager.signIn(with: ClientFixture.ann)
            // The manager ends the earlier session in the background, so the test must poll.
            while try await manager.sessions().count > 1 { await Task.yield() }
        }
    }

    @Test("A code replaces a forgotten password and signs in the user")
    func reset() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            try await manager.signOut()
            let mails = fixture.mails.all.count
            try await manager.requestPasswordReset(for: "ann@example.com")
            let code = try await fixture.code(after: mails)
            #expect(try await manager.confirmPasswordReset(code: code, newPassword: "one more long password") == ann)
            try await manager.signOut()
            await #expect(throws: AuthError.wrongCredentials) { try await manager.signIn(with: ClientFixture.ann) }
        }
    }

    @Test("I4 After a collision, a sign-in with the existing provider links both; then the user can unlink one")
    func collision() async throws {
        let acme = try Acme(users: ["ann": ["email": .string("ann@example.com"), "email_verified": .bool(true)]])
        try await withClients {
            acme.add(to: &$0)
        } _: { fixture in
            fixture.clock.goWithMachine()
            let (manager, wire) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            try await manager.signOut()
            await #expect(throws: AuthError.accountExists(providers: [.email])) {
                try await manager.signUp(with: try await acme.provider(manager, as: "ann"))
            }
            #expect(manager.authenticationState == .notAuthenticated)
            #expect(await manager.pendingLink?.providers == [.email])
            let linked = try await manager.signIn(with: ClientFixture.ann)
            #expect(linked.principal == ann.principal)
            #expect(linked.providers.map(\.providerID) == [.email, Acme.id])
            #expect(await manager.pendingLink == nil)
            try await manager.signOut()
            #expect(try await manager.signIn(with: try await acme.provider(manager, as: "ann")).principal == ann.principal)
            // I5
            #expect(try await manager.unlink(.email).providers.map(\.providerID) == [Acme.id])
            _ = wire.takeSent()
            await #expect(throws: AuthError.lastSignInMethod) { try await manager.unlink(Acme.id) }
            #expect(wire.takeSent() == ["DELETE /v1/account/identities/acme"])
        }
    }

    @Test("I4 An expired link, or a link of another account, does not prevent a sign-in", arguments: [true, false])
    func staleLink(isOver: Bool) async throws {
        let acme = try Acme(users: ["ann": ["email": .string("ann@example.com"), "email_verified": .bool(true)]])
        try await withClients {
            acme.add(to: &$0)
        } _: { fixture in
            fixture.clock.goWithMachine()
            let (manager, _) = fixture.device()
            try await fixture.signUpAnn(on: manager)
            let bob = EmailIdentityProvider(email: "bob@example.com", password: "a long password")
            _ = try await manager.signUp(with: bob)
            try await manager.verify(await fixture.code(to: bob.email))
            try await manager.signOut()
            await #expect(throws: AuthError.accountExists(providers: [.email])) {
                try await manager.signUp(with: try await acme.provider(manager, as: "ann"))
            }
            if isOver { fixture.clock.advance(seconds: 660) }
            let user = try await manager.signIn(with: isOver ? ClientFixture.ann : bob)
            #expect(user.email == (isOver ? "ann@example.com" : "bob@example.com"))
            #expect(user.providers.map(\.providerID) == [.email])
            #expect(await manager.pendingLink == nil)
        }
    }

    @Test("I3 The first sign-up with an OpenID provider creates an account at once; a refusal at the provider cancels")
    func openID() async throws {
        let acme = try Acme(users: ["bob": ["email": .string("bob@example.com"), "email_verified": .bool(true)]])
        try await withClients {
            acme.add(to: &$0)
        } _: { fixture in
            fixture.clock.goWithMachine()
            let (manager, _) = fixture.device()
            #expect(try await manager.providers() == [.email, Acme.id])
            await #expect(throws: AuthError.noAccount) {
                try await manager.signIn(with: try await acme.provider(manager, as: "bob"))
            }
            guard case .signedIn(let bob) = try await manager.signUp(with: try await acme.provider(manager, as: "bob")) else {
                Issue.record("a provider that vouches for the email was not enough")
                return
            }
            #expect(bob.email == "bob@example.com")
            #expect(try await manager.setPassword("a long password").providers.map(\.providerID) == [.email, Acme.id])
            let used = try await acme.provider(manager, as: "bob")
            try await manager.signIn(with: used)
            await #expect(throws: AuthError.wrongCredentials) { try await manager.signIn(with: used) }
        }
    }
}
