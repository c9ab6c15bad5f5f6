// Keeps the imports of the guide together.
// swift-format-ignore-file: OrderedImports

// guide begins
import Foundation
import MunimentClient
// guide ends
import Events
import IdentitySupport
import Permissions
import Service
import ServiceSupport
import Synchronization
import TestSupport
import Testing

/// Stands in for the application's user interface, which the guide leaves to the application.
private let surroundings = Mutex<(password: String, asked: [String])>(("a long password", []))

private func askForPassword(_ question: String) async -> String? {
    surroundings.withLock { surroundings in
        surroundings.asked.append(question)
        return surroundings.password
    }
}

// guide begins
final class AccountScreen: AuthManagerReauthenticating {
    func authManager(
        _ manager: AuthManager, reauthenticateUsing providers: [IdentityProviderUserInfo],
        challenge: ProfileChangeReauthenticationChallenge
    ) async {
        // Ask for what comes first: the provider of the highest priority.
        switch providers.first?.providerID {
        case .email?:
            let question = "Your password, to change this: \(challenge.context.profileChangeType.attemptedValue)"
            guard let email = providers.first?.email, let password = await askForPassword(question) else {
                return await manager.cancel(challenge)
            }
            do {
                let provider = EmailIdentityProvider(email: email, password: password)
                try await manager.reauthenticate(with: provider, for: challenge)
            } catch {
                print(error)
                await manager.cancel(challenge)
            }
        default:
            await manager.cancel(challenge)
        }
    }
}
// guide ends

@Suite("Docs/Guides/coming-from-firebase-identity.md", .timeLimit(.minutes(60)))
struct GuideTests {
    @Test("The code of the guide runs unchanged and does what the guide says")
    func codeRuns() async throws {
        let acme = try Acme(users: ["bob": ["email": .string("bob@example.com"), "email_verified": .bool(true)]])
        try await withTemporaryFolder { folder in
            try await withClients {
                acme.add(to: &$0)
            } _: { fixture in
                fixture.clock.goWithMachine()
                try await run(fixture, acme, folder)
            }
        }
    }

    private func run(_ fixture: ClientFixture, _ acme: Acme, _ folder: String) async throws {
        let service = fixture.address.text
        let mails = { (count: Int) in try await fixture.code(after: count) }
        func codeFromMail() async throws -> String { try await mails(0) }
        func openBrowser(_ address: String) async throws -> String {
            let answer = try acme.process.signIn(at: address, as: "bob")
            return Acme.redirectURI + "?" + answer.map { "\($0)=\($1)" }.joined(separator: "&")
        }

        // guide begins
        // Once, early in the life of the application.
        let configuration = AuthConfiguration(
            service: try ServiceAddress(service), store: FileSessionStore(path: folder + "/session"), device: "laptop")
        AuthManager.configure(configuration)

        // The present state first, and then every change of it.
        let observer = Task {
            for await state in AuthManager.shared.states {
                switch state {
                case .authenticated(let user): print("signed in as \(user.displayName ?? user.principal.text)")
                case .notDetermined, .notAuthenticated: print("signed out")
                }
            }
        }
        // guide ends
        defer { observer.cancel() }

        // guide begins
        let provider = EmailIdentityProvider(email: "ann@example.com", password: "a long password")
        switch try await AuthManager.shared.signUp(with: provider, displayName: "Ann") {
        case .signedIn(let user): print(user.principal)
        case .verificationSent:
            let user = try await AuthManager.shared.verify(await codeFromMail())
            print(user.principal)
        }
        // guide ends
        let ann = try #require(AuthManager.shared.authenticationState.user)
        #expect(ann.displayName == "Ann")
        #expect(FileManager.default.fileExists(atPath: folder + "/session"))

        // guide begins
        try await AuthManager.shared.signOut()
        do {
            try await AuthManager.shared.signIn(with: EmailIdentityProvider(email: "ann@example.com", password: "a guess"))
        } catch {
            // What a person can do about it, in words; and a case of `AuthError` for each, where the application does something itself.
            print(error)
            if error == .wrongCredentials { try await AuthManager.shared.signIn(with: provider) }
        }
        // guide ends
        #expect(AuthManager.shared.authenticationState.user == ann)
        try await AuthManager.shared.signOut()

        // guide begins
        let beginning = try await AuthManager.shared.beginOpenID("acme", redirectURI: "http://127.0.0.1/back")
        let redirect = try await openBrowser(beginning.authorizationURL)
        do {
            let result = try await AuthManager.shared.signUp(with: beginning.finish(redirectedTo: redirect))
            print(result)
        } catch {
            switch error {
            // The person has an account, and signs in to it as before. What acme has shown is then linked by itself.
            case .accountExists(let providers): print("sign in by \(providers[0]) first")
            default: print(error)
            }
        }
        // guide ends
        #expect(AuthManager.shared.authenticationState.user?.email == "bob@example.com")
        try await AuthManager.shared.signOut()
        try await AuthManager.shared.signIn(with: provider)

        // guide begins
        try await AuthManager.shared.updateProfile(displayName: "Anna", picture: "https://example.com/anna.png")
        for session in try await AuthManager.shared.sessions() where !session.isCurrent {
            print(session.device ?? "some device", session.refreshedAt)
            try await AuthManager.shared.endSession(session.id)
        }
        // guide ends
        #expect(AuthManager.shared.authenticationState.user?.displayName == "Anna")

        fixture.clock.advance(seconds: 301)
        // guide begins
        let screen = AccountScreen()
        await AuthManager.shared.setReauthenticationDelegate(screen)

        // Asked for the password first, if the last sign-in was too long ago; then it is done, and this call returns.
        try await AuthManager.shared.updatePassword("another long password")
        // guide ends
        #expect(surroundings.withLock { $0.asked } == ["Your password, to change this: a new password"])
        surroundings.withLock { $0.password = "another long password" }

        let all = ["read", "update", "delete"]
        try fixture.commit(
            .defineClass("note"), .grant("everyone", on: "store", all), .grant("everyone", on: "class:note", all),
            .createObject("note:one"), .grant(ann.principal, on: "note:one", all))
        // guide begins
        // What is the person's goes first. Where that fails, the account is as it was, and the operation can be run again.
        let deletion = DeleteAccountOperation(references: [StoreReference(["note:one"], in: "default")])
        do {
            let user = try await AuthManager.shared.deleteAccount(with: deletion)
            print("\(user.principal) is gone")
        } catch {
            switch error {
            case .cancelledByUser: break
            case .other(let message): print(message)
            }
        }
        // guide ends
        #expect(AuthManager.shared.authenticationState == .notAuthenticated)
        #expect(try !fixture.hasObject("note:one"))
        #expect(!FileManager.default.fileExists(atPath: folder + "/session"))
    }
}
