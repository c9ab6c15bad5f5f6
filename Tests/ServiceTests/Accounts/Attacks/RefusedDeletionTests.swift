import Credentials
import Events
import Identity
import Muniment
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("I8 Refused or concurrent deletions leave the account complete, or delete it completely")
struct RefusedDeletionTests {
    @Test(
        "I8 If a store cannot be written, the account keeps its sessions, grants and feeds, and can be deleted later"
    )
    func refusedByAStore() async throws {
        let reported = Mutex<[String]>([])
        let tick = Mutex<@Sendable () -> Void>({})
        try await withTarget {
            _ in
        } service: {
            $0.report = { line in
                reported.withLock { $0.append(line) }
                // The clock advances by a second while the store refuses.
                tick.withLock { $0 }()
            }
        } _: { fixture in
            try fixture.makePlan()
            let ann = try await fixture.client.signUp("ann@example.com")
            let other = try await fixture.client.signIn("ann@example.com")
            let principal = Name(ann.principal)
            try fixture.commit(
                .grant(principal, on: "doc:plan", ["read"]), .createRole("role:staff"), .addMember(principal, to: "role:staff"))
            let token = try fixture.service.token(.act(as: principal))
            let feed = try FeedClient(
                port: try fixture.service.listen(), "/v1/stores/default/notices", token: ann.access)
            let feeds = fixture.service.service.liveFeeds
            tick.withLock { $0 = { feeds.tick() } }
            // Another process writes to a store that was added to the data directory. The deletion reaches that store second.
            let held = try Store.create(at: fixture.service.directory + "/elsewhere", preset: .open)
            try await held.commit(
                Transaction("user:root", [.defineClass("doc"), .register(principal), .grant(principal, on: "store", ["read"])]))
            let hosted = try fixture.service.service.data.store(.default)
            let before = try #require(hosted).store.head
            for _ in 0..<2 {
                let refused = try await fixture.client.send("DELETE", "/v1/account", as: ann.access)
                #expect(refused.status == 409, "\(refused.text)")
                // Only the operator learns which store it is.
                #expect(!refused.text.contains("elsewhere"), "\(refused.text)")
            }
            // The log has the fault once, and counts the second one.
            #expect(reported.withLock { $0.count { $0.contains("elsewhere") } } == 1)
            feeds.tick()
            for access in [ann.access, other.access] { #expect(try await fixture.status(of: access) == 200) }
            #expect(try await fixture.refresh(other.refresh, nonce: "one").status == 200)
            _ = try await fixture.client.signIn("ann@example.com")
            #expect(try await fixture.mayRead("doc:plan", ann.principal, as: ann.access).json.flag("allowed") == true)
            #expect(try await fixture.door.send("GET", "/v1/stores", token: token).status == 200)
            #expect(try #require(hosted).store.head == before)
            // The feed is still open, and delivers events.
            try fixture.commit(.createObject("doc:other"), .grant(principal, on: "doc:other", ["read"]))
            #expect(try #require(feed.next()).json.text("subject") == "doc:other")

            try held.close()
            #expect(try await fixture.client.send("DELETE", "/v1/account", as: ann.access).status == 204)
            let elsewhere = try fixture.service.service.data.store(try #require(StoreName("elsewhere")))
            #expect(try #require(elsewhere).store.read { try $0.directAccess(of: principal) }.isEmpty)
            #expect(try await fixture.door.send("GET", "/v1/stores", token: token).status == 401)
        }
    }

    @Test(
        "I8 Concurrent deletions with sign-ins, refreshes and changes delete the account once, and leave no session"
    )
    func atOnce() async throws {
        try await withTarget {
            $0.settings.hashBacklog = 256
        } _: { fixture in
            let client = fixture.client
            var people = [try await client.signUp("ann@example.com")]
            for _ in 0..<4 { people.append(try await client.signIn("ann@example.com")) }
            let everybody = people
            let answers = try await withThrowingTaskGroup(of: (isDeletion: Bool, answer: ServiceSupport.Answer).self) { group in
                for person in everybody {
                    group.addTask { (true, try await client.send("DELETE", "/v1/account", as: person.access)) }
                    group.addTask { (false, try await client.signInAnswer("ann@example.com")) }
                    group.addTask {
                        let body: JSONObject = ["refreshToken": .string(person.refresh), "nonce": .string("one")]
                        return (false, try await client.post("/v1/accounts/refresh", body))
                    }
                    group.addTask {
                        (false, try await client.send("PATCH", "/v1/account", ["displayName": .string("Ann")], as: person.access))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.isDeletion && $0.answer.status == 204 } == 1)
            for (_, answer) in answers {
                #expect(answer.status < 500 || answer.status == 503, "\(answer.text)")
                if let access = try? answer.json.text("accessToken") { #expect(try await fixture.status(of: access) == 401) }
                if let token = try? answer.json.text("refreshToken") {
                    #expect(try await fixture.refresh(token, nonce: "two").status == 401)
                }
            }
            fixture.clock.advance(seconds: 900)
            #expect(try await client.signInAnswer("ann@example.com").status == 401)
            #expect(fixture.service.service.accounts?.accounts.list(after: nil, limit: 10).isEmpty == true)
        }
    }
}
