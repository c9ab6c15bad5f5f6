import Events
import Identity
import Permissions
import Service
import TestSupport
import Testing

@testable import MunimentClient

@Suite("I8 Deleting an account on the running service", .timeLimit(.minutes(60)))
struct DeletionTests {
    /// Creates two objects that Ann may delete, and one that she may not delete.
    private func makeObjects(_ fixture: ClientFixture, of ann: AuthUser) throws {
        // The store level without `update` grants no `delete`.
        let all = ["read", "update", "delete"]
        try fixture.commit(
            .defineClass("doc"), .grant("everyone", on: "store", all), .grant("everyone", on: "class:doc", all),
            .createObject("doc:diary"), .createObject("doc:letters"), .createObject("doc:rules"),
            .grant(ann.principal, on: "doc:diary", all), .grant(ann.principal, on: "doc:letters", all),
            .grant(ann.principal, on: "doc:rules", ["read"]))
    }

    @Test("I8 Deletion removes the user's objects and then the account; afterwards the user cannot sign in")
    func deletion() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            try makeObjects(fixture, of: ann)
            _ = wire.takeSent()
            let operation = DeleteAccountOperation(references: [StoreReference(["doc:diary", "doc:letters"])])
            #expect(try await manager.deleteAccount(with: operation) == ann)
            #expect(
                wire.takeSent() == [
                    "GET /v1/account/recent-sign-in", "POST /v1/stores/default/transactions", "DELETE /v1/account",
                ])
            #expect(try !fixture.hasObject("doc:diary"))
            #expect(try !fixture.hasObject("doc:letters"))
            #expect(manager.authenticationState == .notAuthenticated)
            await #expect(throws: AuthError.wrongCredentials) { try await manager.signIn(with: ClientFixture.ann) }
        }
    }

    @Test("I8 A failed deletion keeps the account; a second attempt skips objects that are already deleted")
    func halfWay() async throws {
        try await withClients { fixture in
            let (manager, _) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            try makeObjects(fixture, of: ann)
            let operation = DeleteAccountOperation(references: [
                StoreReference(["doc:diary"]), StoreReference(["doc:letters", "doc:rules"]),
            ])
            let error = await #expect(throws: DeleteAccountError.self) { try await manager.deleteAccount(with: operation) }
            guard case .other(let message)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(message.contains("doc:rules"), "\(message)")
            #expect(try !fixture.hasObject("doc:diary"))
            #expect(try fixture.hasObject("doc:letters"), "a store's objects go in one transaction")
            #expect(try await manager.reload() == ann)
            try fixture.commit(.grant(ann.principal, on: "doc:rules", ["read", "update", "delete"]))
            #expect(try await manager.deleteAccount(with: operation) == ann)
            #expect(try !fixture.hasObject("doc:rules"))
        }
    }

    @Test("I8 Deletion asks the user before it deletes anything: cancelling loses nothing")
    func cancelled() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            try makeObjects(fixture, of: ann)
            let person = Person.cancelling()
            await manager.setReauthenticationDelegate(person)
            fixture.clock.advance(seconds: 300)
            _ = wire.takeSent()
            let operation = DeleteAccountOperation(references: [StoreReference(["doc:diary"])])
            await #expect(throws: DeleteAccountError.cancelledByUser) { try await manager.deleteAccount(with: operation) }
            #expect(wire.takeSent() == [])
            #expect(try fixture.hasObject("doc:diary"))
            #expect(manager.authenticationState == .authenticated(ann))
        }
    }

    @Test(
        "I8 Deletion asks the service first, because only the service knows the time limit and the clock of a recent sign-in",
        arguments: [(60, 120, 0), (60, 45, 0), (300, 299, 0), (300, 400, 200)])
    func askedByTheService(limitSeconds: Int64, passedSeconds: Int64, clockBehindSeconds: Int64) async throws {
        try await withClients {
            $0.settings.recentSignInSeconds = limitSeconds
        } _: { fixture in
            let (manager, wire) = fixture.device(clockBehindSeconds: clockBehindSeconds)
            let ann = try await fixture.signUpAnn(on: manager)
            try makeObjects(fixture, of: ann)
            let operation = DeleteAccountOperation(references: [StoreReference(["doc:diary"])])
            fixture.clock.advance(seconds: passedSeconds)
            let cancelling = Person.cancelling()
            await manager.setReauthenticationDelegate(cancelling)
            _ = wire.takeSent()
            await #expect(throws: DeleteAccountError.cancelledByUser) { try await manager.deleteAccount(with: operation) }
            #expect(wire.takeSent() == ["GET /v1/account/recent-sign-in"])
            #expect(cancelling.challenges.count == 1)
            #expect(try fixture.hasObject("doc:diary"))
            let person = Person.showing(ClientFixture.ann)
            await manager.setReauthenticationDelegate(person)
            #expect(try await manager.deleteAccount(with: operation) == ann)
            #expect(person.challenges.count == 1)
            #expect(try !fixture.hasObject("doc:diary"))
        }
    }

    @Test("I8 A user who cancels after objects were deleted gets an error that lists them, and can resume later")
    func cancelledLate() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            try makeObjects(fixture, of: ann)
            let cancelling = Person.cancelling()
            await manager.setReauthenticationDelegate(cancelling)
            // The transaction takes longer than the time limit of a recent sign-in.
            let clock = fixture.clock
            wire.whenSent("POST /v1/stores/default/transactions") { clock.advance(seconds: 301) }
            let operation = DeleteAccountOperation(references: [StoreReference(["doc:diary"])])
            let error = await #expect(throws: DeleteAccountError.self) { try await manager.deleteAccount(with: operation) }
            guard case .other(let message)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(message.contains("doc:diary"), "\(message)")
            #expect(cancelling.challenges.count == 1)
            #expect(manager.authenticationState == .authenticated(ann))
            let person = Person.showing(ClientFixture.ann)
            await manager.setReauthenticationDelegate(person)
            #expect(try await manager.deleteAccount(with: operation) == ann)
            #expect(person.challenges.count == 1)
        }
    }
}
