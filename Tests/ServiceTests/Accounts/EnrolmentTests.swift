import Events
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Stores that accounts belong to later")
struct EnrolmentTests {
    @Test("I9 A store that accounts are to be for from now on has the earlier ones as users after the start, and is told so once")
    func laterStore() async throws {
        try await withTarget { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let bob = try await fixture.client.signUp("bob@example.com")
            let gone = try await fixture.client.signUp("gone@example.com")
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: gone.access).status == 204)
            let later = try #require(StoreName("later"))
            let made = try fixture.service.service.data.create(later, preset: .locked, administrator: "user:root").store
            try await made.commit(Transaction("user:root", [.register(Name(bob.principal))]))
            var expected = try made.head.revision
            var settings = fixture.service.service.settings
            settings.accounts?.stores = [.default, later]
            try fixture.service.stopListening()
            try fixture.service.service.close()
            for start in 1...2 {
                let service = try MunimentService(settings)
                defer { try? service.close() }
                if start == 1 { expected = expected.next }
                let store = try #require(try service.data.store(later)).store
                #expect(try store.head.revision == expected, "start \(start)")
                for (person, isUser) in [(ann, true), (bob, true), (gone, false)] {
                    #expect(try store.read { try $0.exists(Name(person.principal)) } == isUser, "start \(start)")
                }
                #expect(try store.administrators == ["user:root"])
            }
        }
    }
}
