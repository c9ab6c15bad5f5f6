import Credentials
import Events
import Identity
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Access to account routes: every route, every kind of caller")
struct AccountCallerTests {
    /// Statuses of a caller that failed authorization. Any other status means that the caller passed it.
    private static let refusals: Set<Int> = [401, 403]

    /// A kind of caller, with the requirements that it meets.
    private struct Kind {
        let name: String
        let token: String?
        /// Whether this caller may use routes that require a session.
        var isSession = false
        /// Whether this caller may find accounts.
        var finds = false
        /// Whether this caller may sign out other users and delete their accounts.
        var manages = false
        /// Whether this caller is unauthenticated.
        var isStranger = false
    }

    private func kinds(_ fixture: AccountsFixture) async throws -> [Kind] {
        let (client, service) = (fixture.client, fixture.service)
        let ann = try await client.signUp("ann@example.com")
        let bob = try await client.signUp("bob@example.com")
        try fixture.commit(.appointAdministrator(Name(bob.principal)))
        let gone = try await client.signIn("ann@example.com")
        #expect(try await client.send("POST", "/v1/account/sign-out", as: gone.access).status == 204)
        return [
            Kind(name: "nobody", token: nil, isStranger: true),
            Kind(name: "wrong", token: "muna_" + String(repeating: "A", count: 43), isStranger: true),
            Kind(name: "an ended session", token: gone.access, isStranger: true),
            Kind(name: "a refresh token", token: ann.refresh, isStranger: true),
            Kind(name: "ask", token: try service.token(.ask, .all)),
            Kind(name: "act", token: try service.token(.act(as: "user:carl"), .all)),
            Kind(name: "act as the administrator", token: try service.token(.act(as: "user:root")), finds: true, manages: true),
            Kind(name: "act as the administrator elsewhere", token: try service.token(.act(as: "user:root"), .named(["other"]))),
            Kind(name: "administer a store", token: try service.token(.administer)),
            Kind(name: "administer", token: try service.administrator(), finds: true, manages: true),
            Kind(name: "a session", token: ann.access, isSession: true),
            Kind(name: "a session of an administrator", token: bob.access, isSession: true, finds: true, manages: true),
        ]
    }

    @Test("R18 I9 Each route admits only its intended callers")
    func everyRoute() async throws {
        try await withAccounts { fixture in
            let kinds = try await kinds(fixture)
            #expect(kinds.count == 12)
            for route in RouteTable.routes.filter(\.isOfAccounts) {
                for kind in kinds {
                    // This name belongs to no account, so the request changes nothing.
                    let path = route.path.segments.map { segment in
                        switch segment {
                        case .word(let word): "/" + word
                        case .parameter(let name): name == "principal" ? "/user:nobody" : "/0"
                        }
                    }.joined()
                    // Requests that would change something omit a required member.
                    guard let may = may(kind, route), !(may && Self.changing.contains(route.name)) else { continue }
                    let answer = try await fixture.service.direct.send(
                        route.method, path, token: kind.token, json: route.bodyLimitBytes > 0 ? "{}" : nil)
                    #expect(
                        Self.refusals.contains(answer.status) != may,
                        "\(route.name) for \(kind.name): \(answer.status) \(answer.text)")
                    if !may { #expect(answer.status == (kind.isStranger ? 401 : 403), "\(route.name) for \(kind.name)") }
                }
            }
        }
    }

    /// Requests that this caller must skip, because they would remove something that the other callers need.
    private static let changing: Set<String> = ["signOut", "deleteAccount", "endOtherSessions"]

    private func may(_ kind: Kind, _ route: Route) -> Bool? {
        switch (route.need, route.name) {
        case (.nothing, "refreshSession"), (.nothing, "signIn"): nil
        case (.nothing, _): true
        case (.session, _): kind.isSession
        case (_, "endSessionsOfAccount"), (_, "deleteAccountOf"): kind.manages
        default: kind.finds
        }
    }

    @Test("R18 Other callers get the same response for known and unknown emails and principals")
    func sameWords() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.client.signUp("ann@example.com")
            let bob = try await fixture.client.signUp("bob@example.com")
            let asking = try fixture.service.token(.ask, .all)
            for token in [bob.access, asking] {
                for (known, unknown) in [
                    ("/v1/accounts?email=ann@example.com", "/v1/accounts?email=eve@example.com"),
                    ("/v1/accounts/" + ann.principal, "/v1/accounts/user:eve"),
                ] {
                    let (one, other) = (
                        try await fixture.door.send("GET", known, token: token),
                        try await fixture.door.send("GET", unknown, token: token)
                    )
                    #expect(one.status == 403 && other.status == 403)
                    #expect(one.text == other.text)
                }
            }
        }
    }

    @Test("R18 An administrator finds an account by its email, in any spelling, and by its principal")
    func find() async throws {
        try await withAccounts { fixture in
            let ann = try await fixture.client.signUp("ann@example.com", name: "Ann")
            let bob = try await fixture.client.signUp("bob@example.com")
            try fixture.commit(.appointAdministrator(Name(bob.principal)))
            let administrator = try fixture.service.administrator()
            for token in [bob.access, administrator] {
                let found = try await fixture.door.send("GET", "/v1/accounts?email=ANN%40example.com", token: token).json
                #expect(found.list("accounts").map { $0.text("principal") } == [ann.principal])
                let none = try await fixture.door.send("GET", "/v1/accounts?email=eve@example.com", token: token)
                #expect(none.status == 200)
                #expect(try none.json.list("accounts").isEmpty)
                let shown = try await fixture.door.send("GET", "/v1/accounts/" + ann.principal, token: token).json
                #expect(shown.text("email") == "ann@example.com" && shown.text("displayName") == "Ann")
                let listed = try await listed(by: 1, as: token, fixture)
                #expect(listed == [ann.principal, bob.principal])
            }
        }
    }

    /// Returns all accounts, page by page.
    private func listed(by limit: Int, as token: String, _ fixture: AccountsFixture) async throws -> [String] {
        var listed: [String] = []
        var next: String? = ""
        while let after = next, listed.count < 10 {
            let target = "/v1/accounts?limit=\(limit)" + (after.isEmpty ? "" : "&cursor=" + after)
            let page = try await fixture.door.send("GET", target, token: token).json
            listed += page.list("accounts").compactMap { $0.text("principal") }
            next = page.text("next")
        }
        return listed
    }

    @Test("A user can neither see nor end another user's sessions")
    func otherSessions() async throws {
        try await withAccounts { fixture in
            let (ann, bob) = (
                try await fixture.client.signUp("ann@example.com"), try await fixture.client.signUp("bob@example.com")
            )
            let answer = try await fixture.client.send("DELETE", "/v1/account/sessions/" + ann.sessionID, as: bob.access)
            #expect(answer.status == 404)
            let seen = try await fixture.client.send("GET", "/v1/account/sessions", as: bob.access).json.list("sessions")
            #expect(seen.map { $0.text("id") } == [bob.sessionID])
            #expect(try await fixture.client.send("GET", "/v1/account", as: ann.access).status == 200)
        }
    }

    @Test("A session is valid only in the stores that accounts belong to")
    func stores() async throws {
        try await withAccounts { fixture in
            _ = try fixture.service.service.data.create(try #require(StoreName("other")), preset: .open, administrator: "user:root")
            let ann = try await fixture.client.signUp("ann@example.com")
            #expect(try await fixture.door.send("GET", "/v1/stores", token: ann.access).json.texts("stores") == ["default"])
            // The subject asks about itself. Every caller of a store may do this.
            let check = #"{"subject":"\#(ann.principal)","privilege":"read","object":"store"}"#
            for (store, status) in [("default", 200), ("other", 403)] {
                let answer = try await fixture.door.send("POST", "/v1/stores/\(store)/check", token: ann.access, json: check)
                #expect(answer.status == status, "\(store): \(answer.text)")
            }
        }
    }

    @Test("The request log contains no emails, tokens or passwords")
    func log() async throws {
        let written = Mutex<[UInt8]>([])
        try await withAccounts {
            $0.logFormat = .json
            $0.writeLog = { bytes in written.withLock { $0 += bytes } }
        } _: { fixture in
            let ann = try await fixture.client.signUp("ann@example.com", password: "a most secret phrase")
            let token = try fixture.service.administrator()
            _ = try await fixture.door.send("GET", "/v1/accounts?email=ann@example.com", token: token)
            _ = try await fixture.client.send("GET", "/v1/account", as: ann.access)
            _ = try await fixture.client.signInAnswer("eve@example.com", password: "a most secret phrase")
            try fixture.service.stopListening()
            fixture.service.service.operations.flush()
            let text = String(decoding: written.withLock { $0 }, as: UTF8.self)
            #expect(text.contains(ann.principal) && text.contains("listAccounts"))
            for secret in ["ann@", "eve@", "%40", "secret", ann.access, ann.refresh, "muna_", "munr_", "munp_"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }
}
