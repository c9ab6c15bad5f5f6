import Credentials
import Dispatch
import Events
import IssuerSupport
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: a credential is revoked while the caller's change waits for the writer")
struct RevocationDuringCommitTests {
    private static let transactions = "/v1/stores/default/transactions"
    private static let creation = #"{"do":[{"op":"createObject","object":"doc:late"}]}"#
    private static let openClass: [Change] = [
        .defineClass("doc"), .grant("everyone", on: "store", ["create", "update"]), .grant("everyone", on: "class:doc", ["create"]),
    ]

    private func store(of fixture: ServiceFixture) throws -> Store {
        let hosted = try fixture.service.data.store(.default)
        return try #require(hosted).store
    }

    /// Sends a change while another transaction uses the writer, revokes the credential, and releases the writer.
    private func statusOfChange(
        _ fixture: ServiceFixture, _ door: any ServiceClient, token: String, withdraw: () async throws -> Void
    ) async throws -> Int {
        let store = try store(of: fixture)
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let busy = Task.detached {
            try await store.commit(
                Transaction("user:root", [.register("user:busy")]) {
                    begun.signal()
                    goOn.wait()
                })
        }
        await Task.detached { begun.wait() }.value
        let answer = Task { try await door.send("POST", Self.transactions, token: token, json: Self.creation) }
        do {
            try await until("the change waits for the writer") { store.waitingTransactions == 1 }
            try await withdraw()
        } catch {
            goOn.signal()
            throw error
        }
        goOn.signal()
        _ = try await busy.value
        let status = try await answer.value.status
        let isThere = try store.read { try $0.exists("doc:late") }
        #expect(isThere == (status == 200))
        return status
    }

    @Test("E16 A token that is revoked while its change waits commits nothing; a valid token commits", arguments: [true, false])
    func token(isRevoked: Bool) async throws {
        try await withListeners { fixture in
            try store(of: fixture).write(Self.openClass)
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let made = try registry.create(
                stores: .named(["default"]), right: .act(as: "user:eve"), at: fixture.clock.now)
            let status = try await statusOfChange(fixture, try fixture.live(), token: made.secret) {
                if isRevoked { try registry.revoke(id: made.token.id, at: fixture.clock.now) }
            }
            #expect(status == (isRevoked ? 401 : 200))
        }
    }

    @Test("E16 A token that expires while its change waits commits nothing")
    func endedToken() async throws {
        try await withListeners { fixture in
            try store(of: fixture).write(Self.openClass)
            let token = try fixture.token(.act(as: "user:eve"), until: fixture.clock.now.later(seconds: 60))
            let status = try await statusOfChange(fixture, try fixture.live(), token: token) {
                fixture.clock.advance(seconds: 61)
            }
            #expect(status == 401)
        }
    }

    @Test("E16 A session that is signed out while its change waits commits nothing")
    func session() async throws {
        try await withAccounts { fixture in
            for change in Self.openClass { try fixture.commit(change) }
            let ann = try await fixture.client.signUp("ann@example.com")
            let status = try await statusOfChange(fixture.service, fixture.client.door, token: ann.access) {
                let answer = try await fixture.client.send("POST", "/v1/account/sign-out", as: ann.access)
                #expect(answer.status == 204)
            }
            #expect(status == 401)
        }
    }

    @Test("E16 A JWT that expires while its change waits commits nothing")
    func expiredJWT() async throws {
        let issuer = try TestIssuer()
        defer { issuer.stop() }
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        let believed = try issuer.settings
        try await withListeners {
            $0.callers.issuer = believed
        } _: { fixture in
            try store(of: fixture).write(Self.openClass)
            let status = try await statusOfChange(fixture, try fixture.live(), token: try TestJWT.make()) {
                fixture.clock.advance(seconds: 661)
            }
            #expect(status == 401)
        }
    }
}
