import Credentials
import Events
import HTTPServer
import Muniment
import Permissions
import Service
import ServiceSupport
import Testing

@Suite("AuthZEN: direct calls and calls over a socket")
struct AuthZENRouteTests {
    /// Runs a test with a service that has the household in the store `default` or another one.
    private func withHousehold(
        _ store: String = "default", _ change: (inout ServiceSettings) -> Void = { _ in },
        _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        try await withService(change) { fixture in
            if store != "default" { try Store.create(at: fixture.directory + "/" + store).close() }
            try await Household.settleIn(fixture, store: store)
            try await body(fixture)
        }
    }

    private let allowed = request("user:ann", "may_tick", "chore:dishes")
    private let denied = request("user:ann", "may_tick", "chore:stairs")

    @Test("Each endpoint serves the default store at the root and any store under its path", arguments: [false, true])
    func endpoints(isLive: Bool) async throws {
        for (store, prefix) in [("default", ""), ("default", "/stores/default"), ("flat", "/stores/flat")] {
            try await withHousehold(store) { fixture in
                let door: any ServiceClient = isLive ? try fixture.live() : fixture.direct
                let token = try fixture.token(.ask, .named([store]))
                let cases: [(path: String, body: String, found: (JSONValue) -> Bool)] = [
                    ("evaluation", allowed, { $0["decision"] == .bool(true) }),
                    ("evaluation", denied, { $0["decision"] == .bool(false) }),
                    ("evaluations", "{\"evaluations\":[\(allowed),\(denied)]}", { $0.decisions == [true, false] }),
                    ("search/subject", request("user", "may_tick", "chore:dishes"), { $0.results.contains("user:ann") }),
                    ("search/resource", request("user:ann", "may_tick", "chore"), { $0.results == ["chore:dishes"] }),
                    ("search/action", request("user:lia", nil, "chore:dishes"), { $0.results == ["may_see", "read"] }),
                ]
                for (path, body, found) in cases {
                    let answer = try await door.send("POST", "\(prefix)/access/v1/\(path)", token: token, json: body)
                    #expect(answer.status == 200, "\(path): \(answer.text)")
                    #expect(answer.header("Content-Type") == "application/json")
                    #expect(found(try answer.json), "\(path): \(answer.text)")
                }
            }
        }
    }

    @Test(
        "A wrong content type, an empty body, invalid JSON and missing members are answered 400 with a message",
        arguments: [false, true])
    func faults(isLive: Bool) async throws {
        try await withHousehold { fixture in
            let door: any ServiceClient = isLive ? try fixture.live() : fixture.direct
            let authorization = HTTPHeader("Authorization", "Bearer " + (try fixture.token(.ask)))
            let types = ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""]
            for type in types {
                let headers = [authorization] + (type.isEmpty ? [] : [HTTPHeader("Content-Type", type)])
                let answer = try await door.send("POST", "/access/v1/evaluation", headers: headers, body: Array(allowed.utf8))
                #expect(answer.status == 400, "\(type)")
            }
            let charset = [authorization, HTTPHeader("Content-Type", "application/json; charset=utf-8")]
            #expect(try await door.send("POST", "/access/v1/evaluation", headers: charset, body: Array(allowed.utf8)).status == 200)
            for path in ["evaluation", "evaluations", "search/subject", "search/resource", "search/action"] {
                for body in ["", "{", "[]", "{}", "{\"subject\":7}"] {
                    let answer = try await door.send("POST", "/access/v1/\(path)", headers: charset, body: Array(body.utf8))
                    #expect(answer.status == 400, "\(path) \(body)")
                    #expect(try answer.json["detail"]?.text?.isEmpty == false)
                }
                let other = try await door.send("GET", "/access/v1/\(path)", headers: charset, body: [])
                #expect(other.status == 405 && other.header("Allow")?.contains("POST") == true)
            }
        }
    }

    @Test("Every response returns the request's X-Request-ID unchanged", arguments: [false, true])
    func requestID(isLive: Bool) async throws {
        try await withHousehold { fixture in
            let door: any ServiceClient = isLive ? try fixture.live() : fixture.direct
            let token = try fixture.token(.ask)
            for (path, body, status) in [("evaluation", allowed, 200), ("evaluation", "{}", 400), ("nothing", "{}", 404)] {
                let header = HTTPHeader("X-Request-ID", "bfe9eb29-ab87-4ca3-be83-a1d5d8305716")
                let answer = try await door.send("POST", "/access/v1/\(path)", token: token, json: body, headers: [header])
                #expect(answer.status == status)
                #expect(answer.header("X-Request-ID") == header.value)
            }
            #expect(try await door.send("POST", "/access/v1/evaluation", token: token, json: allowed).status == 200)
        }
    }

    @Test("A valid X-Request-ID of any form is returned, even if the body is too large")
    func requestIDOfRefusals() async throws {
        try await withHousehold { fixture in
            let (live, token) = (try fixture.live(), try fixture.token(.ask))
            for id in ["a b", "é✓", "\"quoted\", #1", String(repeating: "x", count: 200), "a\tb"] {
                let headers = [HTTPHeader("X-Request-ID", id)]
                let answer = try await live.send("POST", "/access/v1/evaluation", token: token, json: allowed, headers: headers)
                #expect(answer.status == 200 && answer.header("X-Request-ID") == id)
            }
            let id = HTTPHeader("X-Request-ID", "r-413")
            let large = "{\"a\":\"" + String(repeating: "x", count: 2 << 20) + "\"}"
            let refused = try await live.send("POST", "/access/v1/evaluation", token: token, json: large, headers: [id])
            #expect(refused.status == 413 && refused.header("X-Request-ID") == "r-413")
        }
    }

    @Test("A request needs a valid token; an `act` token may ask about its user, and a token of another store learns nothing")
    func tokens() async throws {
        try await withHousehold { fixture in
            let door = fixture.direct
            let send = { (token: String?, path: String, body: String) in
                try await door.send("POST", path, token: token, json: body)
            }
            #expect(try await send(nil, "/access/v1/evaluation", allowed).status == 401)
            #expect(try await send("muni_no", "/access/v1/evaluation", allowed).header("WWW-Authenticate") != nil)
            let ann = try fixture.token(.act(as: "user:ann"))
            #expect(try await send(ann, "/access/v1/evaluation", allowed).status == 200)
            #expect(try await send(ann, "/access/v1/evaluation", request("user:ben", "read", "chore:list")).status == 403)
            #expect(try await send(ann, "/access/v1/search/subject", request("user", "read", "chore:list")).status == 403)
            let other = try fixture.token(.ask, .named(["elsewhere"]))
            let bodies = try await ["/access/v1/evaluation", "/stores/nowhere/access/v1/evaluation"].asyncMap {
                try await send(other, $0, allowed)
            }
            #expect(bodies.map(\.status) == [403, 403])
            #expect(Set(bodies.map(\.text)).count == 1)
            let everything = try fixture.administrator()
            #expect(try await send(everything, "/stores/nowhere/access/v1/evaluation", allowed).status == 404)
        }
    }

    @Test("Any caller may read the metadata, which uses the public address or else the request's host")
    func discovery() async throws {
        try await withHousehold { fixture in
            let path = "/.well-known/authzen-configuration"
            let port = try fixture.listen()
            let live = try await fixture.live().send("GET", path)
            #expect(live.status == 200 && live.header("Content-Type") == "application/json")
            #expect(try live.json["policy_decision_point"]?.text == "http://127.0.0.1:\(port)")
            #expect(try live.json["access_evaluation_endpoint"]?.text == "http://127.0.0.1:\(port)/access/v1/evaluation")
            let store = try await fixture.live().send("GET", path + "/stores/flat")
            #expect(try store.json["policy_decision_point"]?.text == "http://127.0.0.1:\(port)/stores/flat")
            #expect(try await fixture.live().send("GET", path + "/stores/.muniment").status == 404)
            for (host, status) in [
                (nil, 400), ("a/b", 421), ("a\"b", 421), ("", 421), ("evil.example.com", 421), ("127.0.0.1.evil.example.com", 421),
                ("localhost:80a", 421), ("10.0.0.1:80", 400),
            ] {
                let headers = host.map { [HTTPHeader("Host", $0)] } ?? []
                let answer = try await fixture.direct.send("GET", path, headers: headers, body: [])
                #expect(answer.status == status, "\(host ?? "none")")
            }
        }
        let publish = { (settings: inout ServiceSettings) in settings.publicAddress = "https://may.example.com/" }
        try await withHousehold("default", publish) { fixture in
            let answer = try await fixture.live().send("GET", "/.well-known/authzen-configuration/stores/flat")
            #expect(
                try answer.json["search_action_endpoint"]?.text == "https://may.example.com/stores/flat/access/v1/search/action")
        }
    }

    @Test("The metadata of a public address with a path is at the path after the well-known one")
    func discoveryUnderPath() async throws {
        let publish = { (settings: inout ServiceSettings) in settings.publicAddress = "https://h.example.com/pdp/" }
        try await withHousehold("default", publish) { fixture in
            let path = "/.well-known/authzen-configuration/pdp"
            for (rest, point) in [("", "/pdp"), ("/stores/flat", "/pdp/stores/flat")] {
                let answer = try await fixture.live().send("GET", path + rest)
                #expect(try answer.json["policy_decision_point"]?.text == "https://h.example.com" + point)
            }
            for other in ["2", "/more", "/stores/flat/more"] {
                #expect(try await fixture.live().send("GET", path + other).status == 404, "\(other)")
            }
        }
    }

    @Test("A large batch runs on the queue and gets the same answers as a small one")
    func largeBatch() async throws {
        try await withHousehold { fixture in
            let items = (0..<5000).map { $0 % 2 == 0 ? allowed : denied }
            let answer = try await fixture.live().send(
                "POST", "/access/v1/evaluations", token: try fixture.token(.ask),
                json: "{\"evaluations\":[\(items.joined(separator: ","))]}")
            #expect(try answer.json.decisions == items.indices.map { $0 % 2 == 0 })
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
