import Events
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Accounts that belong to several stores")
struct SeveralStoresTests {
    /// Stops the service of a fixture, and returns a function that starts one with an additional store for its accounts.
    private func withFurtherStore(
        _ fixture: AccountsFixture, _ change: (Store) async throws -> Void = { _ in }
    ) async throws -> (settings: ServiceSettings, further: StoreName) {
        let further = try #require(StoreName("further"))
        try await change(try fixture.service.service.data.create(further, preset: .locked, administrator: "user:root").store)
        var settings = fixture.service.service.settings
        settings.accounts?.stores = [.default, further]
        try fixture.service.stopListening()
        try fixture.service.service.close()
        return (settings, further)
    }

    @Test("R18 I9 An administrator of one store finds users of both; deletion and sign-out need the right in both")
    func administratorOfOne() async throws {
        try await withTarget { fixture in
            let (settings, further) = try await withFurtherStore(fixture)
            let service = try MunimentService(settings)
            defer { try? service.close() }
            let client = AccountsClient(InProcessClient(service), fixture.mails)
            let (ann, bob) = (try await client.signUp("ann@example.com"), try await client.signUp("bob@example.com"))
            let person = "/v1/accounts/" + ann.principal
            let stores = try [further, .default].map { try #require(try service.data.store($0)).store }
            for (count, store) in stores.enumerated() {
                #expect(try store.read { try $0.exists(Name(ann.principal)) })
                if count == 1 {
                    #expect(try await client.send("GET", "/v1/accounts?email=ann@example.com", as: bob.access).status == 200)
                } else {
                    #expect(try await client.send("GET", "/v1/accounts?email=ann@example.com", as: bob.access).status == 403)
                }
                #expect(try await client.send("DELETE", person, as: bob.access).status == 403)
                #expect(try await client.send("POST", person + "/sign-out", as: bob.access).status == 403)
                #expect(try await client.send("GET", "/v1/account", as: ann.access).status == 200)
                try await store.commit(Transaction("user:root", [.appointAdministrator(Name(bob.principal))]))
            }
            #expect(try await client.send("POST", person + "/sign-out", as: bob.access).status == 204)
            #expect(try await client.send("GET", "/v1/account", as: ann.access).status == 401)
            #expect(try await client.send("DELETE", person, as: bob.access).status == 204)
        }
    }

    @Test("I9 A store added for accounts has the earlier accounts as users after the start, added only once")
    func laterStore() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let bob = try await fixture.client.signUp("bob@example.com")
            let gone = try await fixture.client.signUp("gone@example.com")
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: gone.access).status == 204)
            var expected = Revision.genesis
            let (settings, further) = try await withFurtherStore(fixture) { store in
                try await store.commit(Transaction("user:root", [.register(Name(bob.principal))]))
                expected = try store.head.revision.next
            }
            for start in 1...2 {
                let service = try MunimentService(settings)
                defer { try? service.close() }
                let store = try #require(try service.data.store(further)).store
                #expect(try store.head.revision == expected, "start \(start)")
                for (person, isUser) in [(ann, true), (bob, true), (gone, false)] {
                    #expect(try store.read { try $0.exists(Name(person.principal)) } == isUser, "start \(start)")
                }
                #expect(try store.administrators == ["user:root"])
            }
        }
    }
}
