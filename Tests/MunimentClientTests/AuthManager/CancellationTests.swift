import Events
import Permissions
import Synchronization
import TestSupport
import Testing

@testable import MunimentClient

@Suite("Cancelled calls")
struct CancellationTests {
    private let email = EmailIdentityProvider(email: "ann@example.com", password: "secret word")

    @Test("I8 Cancelling a deletion while objects are being deleted keeps the account", .timeLimit(.minutes(60)))
    func givingUpDeletion() async throws {
        let deletion = Mutex<Task<AuthUser, any Error>?>(nil)
        let transport = ScriptedTransport { request in
            guard request.path.hasSuffix("/transactions") else { return ManagerTests.service(request) }
            deletion.withLock { $0?.cancel() }
            return Answered.json(200, [:])
        }
        let manager = AuthManager(try .test(transport, ManualClock()))
        try await manager.signIn(with: email)
        let operation = DeleteAccountOperation(references: [StoreReference(["doc:diary"])])
        let task = deletion.withLock { deletion in
            let task = Task { try await manager.deleteAccount(with: operation) }
            deletion = task
            return task
        }
        let error = await #expect(throws: DeleteAccountError.self) { try await task.value }
        #expect(error?.description.hasPrefix("it was cancelled after `doc:diary` in `default` had been deleted") == true)
        #expect(transport.count("POST /v1/stores/default/transactions") == 1)
        #expect(transport.count("DELETE /v1/account") == 0)
    }

    @Test("A call in a cancelled task sends nothing, except for sign-out", .timeLimit(.minutes(60)))
    func cancelledBefore() async throws {
        let transport = ScriptedTransport(ManagerTests.service)
        let manager = AuthManager(try .test(transport, ManualClock()))
        try await manager.signIn(with: email)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await #expect(throws: AuthError.cancelledByUser) { try await manager.reload() }
            try? await manager.signOut()
        }
        task.cancel()
        await task.value
        #expect(transport.count("GET /v1/account") == 0)
        #expect(manager.authenticationState == .notAuthenticated)
    }

    @Test("I7 A user who answers one of two challenges makes one change", .timeLimit(.minutes(60)))
    func twoChallenges() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport { request in
            switch request.path {
            case "/v1/account/reauthenticate": Answered.json(200, Answered.session(2, at: 300))
            case "/v1/account/email":
                Answered.json(202, ["attempt": .string("p"), "expiresAt": .string("2026-01-01T00:10:00Z")])
            default: ManagerTests.service(request)
            }
        }
        let manager = AuthManager(try .test(transport, clock))
        let provider = email
        let person = Person { manager, _, challenge in
            guard case .updateEmail = challenge.context.profileChangeType else { return }
            try await manager.reauthenticate(with: provider, for: challenge)
        }
        await manager.setReauthenticationDelegate(person)
        try await manager.signIn(with: email)
        clock.advance(seconds: 300)
        let deletion = Task { try await manager.deleteAccount() }
        while person.challenges.isEmpty { await Task.yield() }
        _ = try await manager.updateEmail(to: "new@example.com")
        deletion.cancel()
        await #expect(throws: DeleteAccountError.cancelledByUser) { try await deletion.value }
        #expect(transport.count("DELETE /v1/account") == 0)
    }
}
