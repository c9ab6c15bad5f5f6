import Credentials
import Events
import Identity
import Muniment
import Notices
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Account deletion: the principal loses all access in every store")
struct AccountDeletionTests {
    @Test("I8 I9 Deletion removes sessions, grants and tokens at once and notifies subscribers, and the logs still verify")
    func deletion() async throws {
        try await withAccounts { fixture in
            try fixture.makePlan()
            let other = try fixture.service.service.data.create(
                try #require(StoreName("other")), preset: .open, administrator: "user:root"
            ).store
            let ann = try await fixture.client.signUp("ann@example.com")
            let second = try await fixture.client.signIn("ann@example.com")
            let principal = Name(ann.principal)
            try fixture.commit(
                .grant(principal, on: "doc:plan", ["read"]), .createRole("role:staff"), .addMember(principal, to: "role:staff"))
            // The user receives a grant in a store that accounts do not belong to.
            try await other.commit(Transaction("user:root", [.register(principal), .appointAdministrator(principal)]))
            let token = try fixture.service.token(.act(as: principal), .all)
            let hosted = try fixture.service.service.data.store(.default)
            let store = try #require(hosted).store
            let before = try store.head.revision
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
            for credential in [ann.access, second.access, token] {
                #expect(try await fixture.door.send("GET", "/v1/stores", token: credential).status == 401)
            }
            #expect(try store.head.revision == before.next)
            #expect(try store.read { try $0.directAccess(of: principal) }.isEmpty)
            #expect(try other.administrators == ["user:root"])
            let notices = try store.notices(for: principal, after: before, through: store.head.revision)
            #expect(notices.map(\.kind) == [.madeInaccessible] && notices.map(\.object) == ["doc:plan"])
            for store in [store, other] { #expect(try store.verifyLog { _ in }.isSound) }
            // The name stays in the history. It contains no personal data.
            #expect(try store.read { try $0.exists(principal) })
        }
    }

    @Test("I8 Deleting the last administrator of a store is refused with a remedy, and works after another administrator is added")
    func lastAdministrator() async throws {
        try await withAccounts { fixture in
            try fixture.makePlan()
            let ann = try await fixture.client.signUp("ann@example.com")
            let principal = Name(ann.principal)
            try fixture.commit(.grant(principal, on: "doc:plan", ["read"]))
            let own = try fixture.service.service.data.create(
                try #require(StoreName("own")), preset: .locked, administrator: principal
            ).store
            let answer = try await fixture.client.send("DELETE", "/v1/account", as: ann.access)
            #expect(answer.status == 409)
            #expect(answer.text.contains("`own`") && answer.text.contains("appoint one first"), "\(answer.text)")
            #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).status == 200)
            #expect(try await fixture.mayRead("doc:plan", ann.principal, as: ann.access).json.flag("allowed") == true)
            try await own.commit(Transaction(principal, [.register("user:root"), .appointAdministrator("user:root")]))
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
        }
    }

    @Test("I9 An administrator deletes a user's account and signs a user out")
    func byAdministrator() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let token = try fixture.service.administrator()
            #expect(try await fixture.client.send("POST", "/v1/accounts/\(ann.principal)/sign-out", as: token).status == 204)
            #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).status == 401)
            let again = try await fixture.client.signIn("ann@example.com")
            #expect(try await fixture.client.send("DELETE", "/v1/accounts/" + ann.principal, as: token).status == 204)
            #expect(try await fixture.client.send("GET", "/v1/account", as: again.access).status == 401)
            #expect(try await fixture.client.send("GET", "/v1/accounts/" + ann.principal, as: token).status == 404)
            #expect(try await fixture.client.send("DELETE", "/v1/accounts/" + ann.principal, as: token).status == 404)
        }
    }

    @Test("I7 An administrator's session needs a recent sign-in to sign out users or delete any account, including its own")
    func recentAdministrator() async throws {
        try await withAccounts { fixture in
            let client = fixture.client
            let ann = try await client.signUp("ann@example.com")
            let bob = try await client.signUp("bob@example.com")
            try fixture.commit(.appointAdministrator(Name(ann.principal)))
            fixture.clock.advance(seconds: 301)
            let sensitive = [bob.principal, ann.principal].flatMap {
                [("POST", "/v1/accounts/\($0)/sign-out"), ("DELETE", "/v1/accounts/\($0)")]
            }
            for (method, path) in sensitive {
                let answer = try await client.send(method, path, as: ann.access)
                #expect(answer.status == 401, "\(method) \(path)")
                #expect(try answer.json.text("type") == "/problems/recent-sign-in-required")
                #expect(answer.header("WWW-Authenticate")?.contains("insufficient_user_authentication") == true)
            }
            // Reading needs no recent sign-in. Callers without the right are refused regardless of their sign-in time.
            #expect(try await client.send("GET", "/v1/accounts/" + bob.principal, as: ann.access).status == 200)
            #expect(try await client.send("DELETE", "/v1/accounts/" + ann.principal, as: bob.access).status == 403)
            let again = try await client.signIn("ann@example.com")
            for (method, path) in sensitive.prefix(2) {
                #expect(try await client.send(method, path, as: again.access).status == 204, "\(method) \(path)")
            }
            // A token acts for a program, which cannot sign in.
            let token = try fixture.service.token(.act(as: "user:root"))
            #expect(try await client.send("DELETE", "/v1/accounts/" + ann.principal, as: token).status == 204)
        }
    }

    @Test("I9 A new account with the email of a deleted account has a new principal")
    func anew() async throws {
        try await withAccounts { fixture in
            try fixture.makePlan()
            let ann = try await fixture.client.signUp("ann@example.com")
            try fixture.commit(.grant(Name(ann.principal), on: "doc:plan", ["read"]))
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
            let again = try await fixture.client.signUp("ann@example.com")
            #expect(again.principal != ann.principal)
            #expect(try await fixture.mayRead("doc:plan", again.principal, as: again.access).json.flag("allowed") == false)
        }
    }
}
