import Credentials
import Events
import Foundation
import HTTPServer
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Browser sessions: a cookie and a key in place of a token")
struct BrowserSessionTests {
    private static let path = "/v1/browser-sessions"
    private static let stores = "/v1/stores"

    private struct Browser {
        var client: any ServiceClient
        let setCookie: String
        let key: String
        let id: String
        var cookie: String { String(setCookie.prefix { $0 != ";" }) }

        init(_ client: any ServiceClient, _ token: String) async throws {
            let answer = try await client.send("POST", path, token: token)
            #expect(answer.status == 201 && answer.header("Cache-Control") == "no-store", "\(answer.text)")
            self.client = client
            setCookie = try #require(answer.header("Set-Cookie"))
            key = try #require(try answer.json["key"]?.text)
            id = try #require(try answer.json["session"]?["id"]?.text)
        }

        /// Sends a request with the cookie and the key, or with others; none if empty.
        func send(
            _ method: String, _ target: String, cookie: String? = nil, key: String? = nil, json: String? = nil,
            _ headers: HTTPHeader...
        ) async throws -> ServiceSupport.Answer {
            let own = [HTTPHeader("Cookie", cookie ?? self.cookie), HTTPHeader("Muniment-Session", key ?? self.key)]
            return try await client.send(method, target, json: json, headers: own.filter { !$0.value.isEmpty } + headers)
        }

        func isOpen() async throws -> Bool {
            let status = try await send("GET", stores).status
            #expect([200, 401].contains(status))
            return status == 200
        }
    }

    @Test("A request needs the cookie and the key of one session, for reads and changes")
    func bothSecrets() async throws {
        try await withListeners { fixture in
            let (live, token) = (try fixture.live(), try fixture.administrator())
            let (browser, other) = (try await Browser(live, token), try await Browser(live, token))
            let make = #"{"store":"made"}"#
            let port = try fixture.listen()
            let elsewhere = browser.cookie.replacing("-\(port)=", with: "-\(port ^ 1)=")
            let refused: [(cookie: String?, key: String?)] = [
                ("", nil), (nil, ""), (nil, "x"), (nil, other.key), (other.cookie, nil), (browser.cookie + "x", nil),
                // A second cookie of the same name, as another service on the host can set it.
                (browser.cookie + "; " + other.cookie, nil), (other.cookie + "; " + browser.cookie, nil), (elsewhere, nil),
            ]
            for (cookie, key) in refused {
                for (method, target, json) in [("GET", Self.stores, nil), ("GET", Self.path, nil), ("POST", Self.stores, make)] {
                    let answer = try await browser.send(method, target, cookie: cookie, key: key, json: json)
                    #expect(answer.status == 401, "\(method) \(cookie ?? "") \(key ?? "")")
                }
            }
            #expect(try await browser.send("POST", Self.stores, json: make).status == 201)
            #expect(try await browser.send("GET", Self.stores, cookie: "theme=dark; " + browser.cookie + "; x").status == 200)
            // An invalid token is not replaced by the session.
            #expect(try await browser.send("GET", Self.stores, HTTPHeader("Authorization", "Bearer x")).status == 401)
        }
    }

    @Test("Requests that a page of another origin sent are refused, also with both secrets")
    func otherOrigins() async throws {
        let origin = "https://app.example.com"
        try await withListeners {
            $0.allowedOrigins = [WebOrigin(origin)!]
        } _: { fixture in
            let browser = try await Browser(try fixture.live(), try fixture.administrator())
            for (site, status) in [("same-origin", 200), ("cross-site", 401), ("same-site", 401), ("none", 401)] {
                #expect(try await browser.send("GET", Self.stores, HTTPHeader("Sec-Fetch-Site", site)).status == status, "\(site)")
            }
            // Also a page of a permitted origin may send neither the key nor the cookie.
            let preflight = try await browser.client.send(
                "OPTIONS", Self.stores,
                headers: [HTTPHeader("Origin", origin), HTTPHeader("Access-Control-Request-Method", "GET")])
            let permitted = try #require(preflight.header("Access-Control-Allow-Headers"))
            #expect(permitted.contains("Authorization") && !permitted.contains("Muniment-Session"))
            #expect(preflight.header("Access-Control-Allow-Credentials") == nil)
        }
    }

    @Test("The cookie is for this service alone, not for scripts, and with TLS only for TLS", arguments: [false, true])
    func cookie(isSecure: Bool) async throws {
        try await withListeners {
            if isSecure { $0.publicAddress = "https://permissions.example.com" }
        } _: { fixture in
            let (port, token) = (try fixture.listen(), try fixture.administrator())
            let (browser, other) = (try await Browser(try fixture.live(), token), try await Browser(try fixture.live(), token))
            let attributes = "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
            #expect(browser.setCookie == browser.cookie + attributes)
            #expect(browser.cookie.hasPrefix((isSecure ? "__Host-" : "") + "muniment-\(port)="))
            // 256 random bits each, and different for each session.
            let secrets = [browser, other].flatMap { [$0.key, String($0.cookie.drop { $0 != "=" }.dropFirst())] }
            #expect(Set(secrets).count == 4 && secrets.allSatisfy { $0.utf8.count == 43 })
            let ended = try await browser.send("DELETE", Self.path + "/current")
            #expect(ended.status == 204 && ended.header("Cache-Control") == "no-store")
            #expect(ended.header("Set-Cookie") == browser.cookie.prefix { $0 != "=" } + "=" + attributes + "; Max-Age=0")
            let open = (try await browser.isOpen(), try await other.isOpen())
            #expect(open == (false, true))
        }
    }

    @Test("A session ends without use, at its end, and with its token")
    func ends() async throws {
        try await withListeners { fixture in
            let live = try fixture.live()
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let (token, listed) = try registry.create(stores: .all, right: .ask, until: nil, at: fixture.clock.now)

            let idle = try await Browser(live, token)
            fixture.clock.advance(seconds: BrowserSessions.idleSeconds - 1)
            #expect(try await idle.isOpen())
            fixture.clock.advance(seconds: BrowserSessions.idleSeconds - 1)
            #expect(try await idle.isOpen())
            fixture.clock.advance(seconds: BrowserSessions.idleSeconds)
            #expect(try await !idle.isOpen())

            let used = try await Browser(live, token)
            for _ in 1..<(BrowserSessions.lifetimeSeconds / 3_600) {
                fixture.clock.advance(seconds: 3_600)
                #expect(try await used.isOpen())
            }
            fixture.clock.advance(seconds: 3_600)
            #expect(try await !used.isOpen())

            let revoked = try await Browser(live, token)
            #expect(try await revoked.isOpen())
            _ = try registry.revoke(id: listed.id, at: fixture.clock.now)
            #expect(try await !revoked.isOpen())

            let early = try await Browser(live, try fixture.token(.ask, until: fixture.clock.now.later(seconds: 60)))
            fixture.clock.advance(seconds: 59)
            #expect(try await early.isOpen())
            fixture.clock.advance(seconds: 1)
            #expect(try await !early.isOpen())
        }
    }

    @Test("A feed that was opened by a session ends with the session")
    func feed() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let token = try fixture.token(.act(as: "user:bob"))
            let browser = try await Browser(try fixture.live(), token)
            let ticket = try #require(try await browser.send("POST", "/v1/stores/default/tickets").json["ticket"]?.text)
            let feed = try FeedClient(port: try fixture.listen(), LiveFeedTests.notices + "?ticket=\(ticket)", token: nil)
            #expect(feed.status == 200 && feed.read(until: { $0.lastID != nil }))
            try store.write([.grant("user:bob", on: "doc:1", ["read"])])
            #expect(feed.next() != nil)
            #expect(try await browser.send("DELETE", Self.path + "/current").status == 204)
            #expect(feed.next() == nil && feed.isEnded)
        }
    }

    @Test("A session has the access of its token, and cannot create another session, which would extend its lifetime")
    func access() async throws {
        try await withListeners { fixture in
            let browser = try await Browser(try fixture.live(), try fixture.token(.act(as: "user:ann")))
            #expect(try await browser.send("GET", "/v1/stores/default/caller").json["principal"]?.text == "user:ann")
            #expect(try await browser.send("GET", "/v1/stores/other/caller").status == 403)
            #expect(try await browser.send("GET", "/v1/tokens").status == 403)
            #expect(try await browser.send("POST", Self.path).status == 401)
            #expect(try await browser.client.send("POST", Self.path).status == 401)
        }
    }

    @Test("A caller sees and ends the sessions of its principal or token, and an administrator of all stores sees and ends all")
    func list() async throws {
        try await withListeners { fixture in
            let live = try fixture.live()
            let tokens = [
                try fixture.token(.act(as: "user:ann")), try fixture.token(.act(as: "user:ann")),
                try fixture.token(.act(as: "user:bob")), try fixture.token(.ask),
            ]
            var browsers: [Browser] = []
            for token in tokens { browsers.append(try await Browser(live, token)) }
            func ids(_ answer: ServiceSupport.Answer) throws -> [String] {
                for browser in browsers { #expect(!answer.text.contains(browser.key)) }
                return try answer.json.list("sessions").compactMap { $0["id"]?.text }
            }
            let all = browsers.map(\.id)
            for (browser, own) in zip(browsers, [all[0...1], all[0...1], all[2...2], all[3...3]]) {
                let answer = try await browser.send("GET", Self.path)
                #expect(try ids(answer) == Array(own))
                for other in all where !own.contains(other) {
                    #expect(try await browser.send("DELETE", Self.path + "/\(other)").status == 404)
                }
            }
            let administrator = try fixture.administrator()
            let first = try await live.send("GET", Self.path + "?limit=3", token: administrator)
            let next = try #require(try first.json["next"]?.text)
            let second = try await live.send("GET", Self.path + "?limit=3&cursor=" + next, token: administrator)
            #expect(try ids(first) + ids(second) == all)
            #expect(try second.json["next"] == nil)
            #expect(try await browsers[0].send("DELETE", Self.path + "/\(all[1])").status == 204)
            #expect(try await live.send("DELETE", Self.path + "/\(all[2])", token: administrator).status == 204)
            var open: [Bool] = []
            for browser in browsers { open.append(try await browser.isOpen()) }
            #expect(open == [true, false, false, true])
            for id in [all[1], "0", "x", "current"] {
                #expect(try await live.send("DELETE", Self.path + "/\(id)", token: administrator).status == 404)
            }
        }
    }

    @Test("A principal has a limited number of sessions; a new one ends the least recently used one")
    func limitOfOwner() async throws {
        try await withListeners { fixture in
            let direct = fixture.direct
            let elsewhere = try await Browser(direct, try fixture.token(.ask))
            var browsers: [Browser] = []
            for _ in 0..<BrowserSessions.limitOfOwner {
                browsers.append(try await Browser(direct, try fixture.token(.act(as: "user:ann"))))
                fixture.clock.advance(seconds: 1)
            }
            #expect(try await browsers[0].isOpen())
            fixture.clock.advance(seconds: 1)
            browsers.append(try await Browser(direct, try fixture.token(.act(as: "user:ann"))))
            var open: [Bool] = []
            for browser in browsers { open.append(try await browser.isOpen()) }
            #expect(open == browsers.indices.map { $0 != 1 })
            #expect(try await elsewhere.isOpen())
        }
    }

    @Test("All callers together have a limited number of sessions; expired ones do not count")
    func limit() throws {
        try withTemporaryFolder { folder in
            let sessions = BrowserSessions(in: folder, limit: 2)
            let start = ManualClock().now
            func create(_ id: String, at time: Instant) throws {
                let caller = Caller(id: id, stores: .all, right: .ask, credential: nil)
                _ = try sessions.create(for: Credential(caller), from: "127.0.0.1", at: time)
            }
            try create("t1", at: start)
            try create("t2", at: start.later(seconds: 1))
            #expect(throws: Problem.self) { try create("t3", at: start.later(seconds: 2)) }
            try create("t3", at: start.later(seconds: BrowserSessions.idleSeconds))
            let open = sessions.list(at: start.later(seconds: BrowserSessions.idleSeconds)).map(\.credential.caller.id)
            #expect(open == ["t2", "t3"])
        }
    }

    @Test("Sessions survive a restart of the service without their secrets on the disk; those that have ended do not")
    func restart() async throws {
        let mails = KeptMails()
        let first = try ServiceFixture { $0.openAccounts(mails) }
        defer { first.end() }
        let ann = try await AccountsClient(first.direct, mails).signUp("ann@example.com")
        let registry = TokenRegistry(dataDirectory: first.directory)
        let (revocable, revoked) = try registry.create(stores: .all, right: .ask, at: first.clock.now)
        let tokens = [try first.administrator(), ann.access, try first.token(.ask), revocable]
        var browsers: [Browser] = []
        for token in tokens { browsers.append(try await Browser(first.direct, token)) }
        #expect(try await browsers[2].send("DELETE", Self.path + "/current").status == 204)
        try first.service.close()
        _ = try registry.revoke(id: revoked.id, at: first.clock.now)
        let file = try String(contentsOfFile: first.directory + "/.muniment/browser-sessions", encoding: .utf8)
        for browser in browsers {
            for secret in [browser.key, String(browser.cookie.drop { $0 != "=" }.dropFirst())] { #expect(!file.contains(secret)) }
        }

        let second = try ServiceFixture {
            $0.dataDirectory = first.directory
            $0.openAccounts(mails)
        }
        defer { second.end() }
        var open: [Bool] = []
        for browser in browsers {
            var browser = browser
            browser.client = second.direct
            open.append(try await browser.isOpen())
        }
        #expect(open == [true, true, false, false])
        #expect(try await Browser(second.direct, tokens[0]).id == "5")
    }

    @Test("A saved session gets no access of another token with the same id, and a damaged file opens no session")
    func replacedFiles() async throws {
        let first = try ServiceFixture()
        defer { first.end() }
        var browser = try await Browser(first.direct, try first.token(.ask))
        try first.service.close()
        for file in ["tokens.jsonl", "tokens.head"] {
            try FileManager.default.removeItem(atPath: first.directory + "/.muniment/" + file)
        }
        _ = try TokenRegistry(dataDirectory: first.directory).create(
            stores: .all, right: .administer, at: first.clock.now.later(seconds: 1))
        for isDamaged in [false, true] {
            if isDamaged { try Data("{".utf8).write(to: URL(filePath: first.directory + "/.muniment/browser-sessions")) }
            let second = try ServiceFixture { $0.dataDirectory = first.directory }
            defer { second.end() }
            second.clock.advance(seconds: 2)
            browser.client = second.direct
            #expect(try await !browser.isOpen())
        }
    }

    @Test("I9 The browser session of a user outlives the access token, and ends when the user signs out, or the account is deleted")
    func accounts() async throws {
        try await withAccounts { fixture in
            let (client, live) = (fixture.client, fixture.door)
            let ann = try await client.signUp("ann@example.com")
            let browser = try await Browser(live, ann.access)
            fixture.clock.advance(seconds: 3 * 3_600)
            #expect(try await client.send("GET", "/v1/account", as: ann.access).status == 401)
            #expect(try await browser.isOpen())
            #expect(try await browser.send("GET", "/v1/stores/default/caller").json["principal"]?.text == ann.principal)
            // Changes of the account need the access token.
            #expect(try await browser.send("DELETE", "/v1/account").status == 401)
            // Its end is the end of the user's session.
            #expect(try await browser.send("DELETE", Self.path + "/current").status == 204)
            let renewal: JSONObject = ["refreshToken": .string(ann.refresh), "nonce": .string("one")]
            #expect(try await client.post("/v1/accounts/refresh", renewal).status == 401)

            let signedIn = try await client.signIn("ann@example.com")
            let other = try await Browser(live, signedIn.access)
            #expect(try await client.send("POST", "/v1/account/sign-out", as: signedIn.access).status == 204)
            #expect(try await !other.isOpen())

            let administrator = try fixture.service.administrator()
            for (method, target) in [
                ("POST", "/v1/accounts/\(ann.principal)/sign-out"), ("DELETE", "/v1/accounts/\(ann.principal)"),
            ] {
                let last = try await Browser(live, try await client.signIn("ann@example.com").access)
                #expect(try await last.isOpen())
                #expect(try await client.send(method, target, as: administrator).status == 204)
                #expect(try await !last.isOpen(), "\(target)")
            }
        }
    }
}
