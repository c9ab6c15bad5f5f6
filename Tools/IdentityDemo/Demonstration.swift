import Events
import Foundation
import MunimentClient
import Permissions

/// The flows of an application, in sequence. Each step prints its result. The demonstration ends at the first step that fails.
struct Demonstration {
    let manager: AuthManager
    let outbox: MailFolder
    let service: String

    static let passwordOne = EmailIdentityProvider(email: "ann@example.com", password: "password one")
    static let redirectURI = "http://127.0.0.1/back"

    /// A step with an unexpected result.
    struct Unmet: Error, CustomStringConvertible {
        let description: String
    }

    func run() async throws {
        try await signUpByEmail()
        try await collideAndLink()
        try await signUpByProvider()
        try await changeEmail()
        try await deleteAccount()
    }

    private func say(_ words: String) { print("ok  \(words)") }

    private func check(_ isSo: Bool, _ words: String) throws {
        guard isSo else { throw Unmet(description: "not so: \(words)") }
        say(words)
    }

    /// Runs a step that must fail with a given error.
    private func check<Failure: Error & Equatable>(
        _ expected: Failure, _ words: String, _ body: () async throws -> Void
    ) async throws {
        do { try await body() } catch let error as Failure where error == expected { return say(words) }
        throw Unmet(description: "not so: \(words)")
    }

    private func signUpByEmail() async throws {
        let state = await manager.states.first { $0 != .notDetermined }
        try check(state == .notAuthenticated, "at the start no user is signed in")
        guard case .verificationSent = try await manager.signUp(with: Demonstration.passwordOne, displayName: "Ann Example") else {
            throw Unmet(description: "an address was believed before it was verified")
        }
        try check(manager.authenticationState == .notAuthenticated, "signing up by email sends a code, and makes no account yet")
        try await check(AuthError.wrongCode, "a wrong code is refused") { try await manager.verify("WRNGCODE") }
        let ann = try await manager.verify(try await outbox.code(to: "ann@example.com"))
        try check(manager.authenticationState == .authenticated(ann), "the code from the mail makes the account, and signs in")
        let pictured = try await manager.updateProfile(picture: "https://example.com/ann.png")
        try check(pictured.displayName == "Ann Example" && pictured.picture != nil, "the profile is changed part by part")
    }

    private func collideAndLink() async throws {
        try await manager.signOut()
        try await check(
            AuthError.accountExists(providers: [.email]), "signing up by acme with the same email asks for the password first"
        ) {
            try await manager.signUp(with: try await acme(as: "ann"))
        }
        let ann = try await manager.signIn(with: Demonstration.passwordOne)
        try check(ann.providers.map(\.providerID) == [.email, "acme"], "signing in by password then links acme by itself")
        try await manager.signOut()
        let again = try await manager.signIn(with: try await acme(as: "ann"))
        try check(again.principal == ann.principal, "signing in by acme leads into the same account")
        try await manager.signOut()
    }

    private func signUpByProvider() async throws {
        guard case .signedIn(let bob) = try await manager.signUp(with: try await acme(as: "bob")) else {
            throw Unmet(description: "acme vouches for the email, and a code was sent")
        }
        try check(bob.email == "bob@example.com", "another user signs up by acme, without a code")
        try await check(AuthError.lastSignInMethod, "the only way into an account is not taken away") {
            try await manager.unlink("acme")
        }
        try await manager.signOut()
    }

    private func changeEmail() async throws {
        // The session is new, but the provider reports that Ann last authenticated a long time ago.
        try await manager.signIn(with: try await acme(as: "ann"))
        let person = DemonstrationPerson()
        await manager.setReauthenticationDelegate(person)
        try await manager.updateEmail(to: "ann.new@example.com")
        try check(
            await person.challenges == ["ann.new@example.com: password"],
            "another email needs to show anew who one is: asked for the password, and then it is done by itself")
        let ann = try await manager.confirmEmail(try await outbox.code(to: "ann.new@example.com"))
        try check(ann.email == "ann.new@example.com", "the code that went to the new address makes it the account's")
        try await manager.signOut()
        try await manager.signIn(with: try await acme(as: "ann"))
        await person.refuseNext()
        try await check(AuthError.cancelledByUser, "a cancelled sign-in changes nothing") {
            try await manager.updatePassword("password two")
        }
    }

    private func deleteAccount() async throws {
        guard let ann = manager.authenticationState.user else { throw Unmet(description: "no user is signed in") }
        let store = StoreClient(service: service, token: try await manager.accessToken())
        let notes: [Name] = ["note:one", "note:two"]
        try await store.create(notes)
        try check(try await store.mayRead(notes[0], ann.principal), "the session acts in the store: two notes are Ann's")
        let person = DemonstrationPerson(email: "ann.new@example.com")
        await manager.setReauthenticationDelegate(person)
        let deleted = try await manager.deleteAccount(with: DeleteAccountOperation(references: [StoreReference(notes)]))
        try check(deleted.principal == ann.principal, "deleting the account deletes the notes first, and then the account")
        try check(manager.authenticationState == .notAuthenticated, "no user is signed in after the deletion")
        try check(await store.isRefused(), "the token of the session is invalid")
        try await check(AuthError.wrongCredentials, "sign-in to it fails") {
            try await manager.signIn(with: EmailIdentityProvider(email: "ann.new@example.com", password: "password one"))
        }
    }

    /// Returns acme as a provider, with the sign-in that the user makes in a browser.
    private func acme(as name: String) async throws -> OpenIDIdentityProvider {
        let beginning = try await manager.beginOpenID("acme", redirectURI: Demonstration.redirectURI)
        return try beginning.finish(redirectedTo: try await Browser.signIn(at: beginning.authorizationURL, as: name))
    }
}

extension AuthenticationStateSequence {
    fileprivate func first(_ isSo: (AuthenticationState) -> Bool) async -> AuthenticationState? {
        for await state in self where isSo(state) { return state }
        return nil
    }
}
