import Credentials
import Events
import Muniment
import ServiceSupport
import TestSupport
import Testing

@Suite("Tokens over HTTP")
struct TokenRouteTests {
    @Test("A token that administers all stores lists and describes tokens, in pages and without secrets; no other caller does")
    func listAndShow() async throws {
        try await withService { fixture in
            let administrator = try fixture.administrator()
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let end = fixture.clock.now.advanced(bySeconds: 60)
            let made = try registry.create(
                stores: .named(["default", "other"]), right: .act(as: "user:ann"), until: end, comment: "nightly",
                at: fixture.clock.now)
            try registry.revoke(
                id: try registry.create(stores: .all, right: .ask, at: fixture.clock.now).token.id, at: fixture.clock.now)
            let ask = { (path: String) in try await fixture.direct.send("GET", path, token: administrator) }
            let first = try await ask("/v1/tokens?limit=2").json
            guard case .string(let next)? = first["next"] else {
                Issue.record("there is no cursor")
                return
            }
            let second = try await ask("/v1/tokens?limit=2&cursor=\(next)").json
            #expect(second["next"] == nil)
            guard case .array(let begin)? = first["tokens"], case .array(let rest)? = second["tokens"] else {
                Issue.record("there is no list")
                return
            }
            #expect(begin.map { $0["id"] } == [.string("t1"), .string("t2")] && rest.map { $0["id"] } == [.string("t3")])
            #expect(begin[0]["can"] == .string("administer") && begin[0]["stores"] == .array([.string("*")]))
            #expect(rest[0]["state"] == .string("revoked"))
            #expect(
                begin[1]
                    == .object([
                        "id": .string("t2"), "state": .string("good"), "can": .string("act"), "as": .string("user:ann"),
                        "stores": .texts(["default", "other"]), "made": .time(fixture.clock.now), "until": .time(end),
                        "comment": .string("nightly"),
                    ]))
            #expect(try await ask("/v1/tokens/t2").json == begin[1])
            #expect(try await ask("/v1/tokens/t4").status == 404)
            for cursor in ["x", "-1", "0", "2", String(next.dropLast()) + "1"] {
                #expect(try await ask("/v1/tokens?cursor=\(cursor)").status == 400)
            }
            fixture.clock.advance(seconds: 60)
            #expect(try await ask("/v1/tokens/t2").json["state"] == .string("ended"))
            let others = [
                try fixture.token(.administer), try fixture.token(.ask, .all), try fixture.token(.act(as: "user:root"), .all),
                made.secret,
            ]
            for path in ["/v1/tokens", "/v1/tokens/t1", "/v1/tokens/t9"] {
                for other in others {
                    let status = try await fixture.direct.send("GET", path, token: other).status
                    #expect([401, 403].contains(status), "\(path): \(status)")
                }
                #expect(try await fixture.direct.send("GET", path).status == 401)
            }
        }
    }
}
