import Events
import Permissions
import TestSupport
import Testing

@testable import MunimentClient

@Suite("I8 Deleting an account, against the running service")
struct DeletionTests {
    /// Two objects that Ann may delete, and one that she may not.
    private func makeObjects(_ fixture: ClientFixture, of ann: AuthUser) throws {
        // Without `update` the store level gives no `delete` either.
        let all = ["read", "update", "delete"]
        try fixture.commit(
            .defineClass("doc"), .grant("everyone", on: "store", all), .grant("everyone", on: "class:doc", all),
            .createObject("doc:diary"), .createObject("doc:letters"), .createObject("doc:rules"),
            .grant(ann.principal, on: "doc:diary", all), .grant(ann.principal, on: "doc:letters", all),
            .grant(ann.principal, on: "doc:rules", ["read"]))
    }

    @Test("I8 What the person has goes first, then the account; then nobody is signed in, and nobody can")
    func deletion() async throws {
        try await withClients { fixture in
            let (manager, wire) = fixture.device()
            let ann = try await fixture.signUpAnn(on: manager)
            try makeObjects(fixture, of: ann)
            _ = wire.takeSent()
            let operation = DeleteAccountOperation(references: [StoreReference(["doc:diary", "doc:letters"])])
            #expect(try await manager.deleteAccount(with: operation) == ann)
            #expect(wire.takeSent() == ["POST /v1/stores/default/transactions", "DELETE /v1/account"])
            #expect(try !fixture.hasObject("doc:diary"))
            #expect(try !fixture.hasObject("doc:letters"))
            #expect(manager.authenticationState == .notAuthenticated)
            await #expect(throws: AuthError.wrongCredentials) { try await manager.signIn(with: ClientFixture.ann) }
        }
    }

    @Test("I8 A failure half-way leaves the account as it was; done again, it passes over what is gone")
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

    @Test("I8 The person is asked before anything goes: whoever cancels has lost nothing")
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
}
