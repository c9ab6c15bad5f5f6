import Credentials
import Events
import Foundation
import HTTPServer
import IssuerSupport
import Permissions
import Service
import ServiceSupport
import TestSupport
import Testing

@Suite("Callers over a socket: tokens, JWTs, anonymous")
struct CallerTests {
    private let check = #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#
    private let path = "/v1/stores/default/check"

    @Test("A token is valid until it is revoked, and invalid from then on while the service runs")
    func revocation() async throws {
        try await withService { fixture in
            let door = try fixture.live()
            let token = try fixture.token(.ask)
            #expect(try await door.send("POST", path, token: token, json: check).status == 200)
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            try registry.revoke(id: try #require(try registry.list().last).id, at: fixture.clock.now)
            #expect(try await door.send("POST", path, token: token, json: check).status == 401)
        }
    }

    @Test("A damaged token file rejects all callers with a server error instead of an invalid token error")
    func damagedFile() async throws {
        try await withService { fixture in
            let token = try fixture.token(.ask)
            try Data("damaged\n".utf8).write(to: URL(filePath: TokenRegistry(dataDirectory: fixture.directory).path))
            #expect(try await fixture.direct.send("POST", path, token: token, json: check).status == 503)
        }
    }

    static let schemes: [(header: @Sendable (String) -> String, status: Int)] = [
        ({ "Bearer " + $0 }, 200), ({ "bearer " + $0 }, 200), ({ "BEARER   " + $0 }, 200), ({ " Bearer " + $0 + " " }, 200),
        ({ "Bearer" + $0 }, 401), ({ "Bearer\u{9}" + $0 }, 401), ({ "Token " + $0 }, 401), ({ "Bearer " + $0 + "," }, 401),
        ({ "Bearer token=" + $0 }, 401), ({ "Bearer \"" + $0 + "\"" }, 401),
    ]

    @Test("The Authorization header is parsed as RFC 6750 defines it", arguments: schemes.indices)
    func header(index: Int) async throws {
        let row = CallerTests.schemes[index]
        try await withService { fixture in
            let header = HTTPHeader("Authorization", row.header(try fixture.token(.ask)))
            let answer = try await fixture.live().send("POST", path, json: check, headers: [header])
            #expect(answer.status == row.status, "\(header.value)")
        }
    }

    @Test("A secret appears neither in responses nor in the service's reports")
    func secretsStayHidden() async throws {
        let reported = Reports()
        try await withService { settings in
            settings.report = { reported.add($0) }
        } _: { fixture in
            let door = try fixture.live()
            let token = try fixture.token(.ask)
            for target in [path, "/v1/stores/default/transactions", "/nowhere", "/v1/stores/\(token)/check"] {
                for sent in [token, token + "x", "muni_" + String(token.dropFirst(5).reversed())] {
                    let answer = try await door.send("POST", target, token: sent, json: "{")
                    let head = answer.headers.map { $0.name + $0.value }.joined()
                    if !target.contains(token) { #expect(!(answer.text + head).contains(sent.dropFirst(5).prefix(20))) }
                }
            }
            #expect(!reported.lines.joined(separator: "\n").contains(token.dropFirst(5)))
        }
    }

    @Test("Any number of wrong tokens get the same response, and valid tokens from the same address still work")
    func manyWrongTokens() async throws {
        try await withService { fixture in
            let token = try fixture.token(.ask)
            for _ in 0..<2_000 {
                #expect(try await fixture.direct.send("POST", path, token: "muni_wrong", json: check).status == 401)
            }
            #expect(try await fixture.direct.send("POST", path, token: token, json: check).status == 200)
        }
    }
}

@Suite("JWTs at the service: a user of the issuer is a user of the store")
struct JWTCallerTests {
    private let path = "/v1/stores/default/check"

    private func check(_ subject: String) -> String { #"{"subject":"\#(subject)","privilege":"read","object":"doc:1"}"# }

    private func withIssuer(_ body: (TestIssuer, ServiceFixture) async throws -> Void) async throws {
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        let believed = try issuer.settings
        try await withService { settings in
            settings.callers.issuer = believed
        } _: { fixture in
            try await body(issuer, fixture)
        }
    }

    @Test("The first JWT is answered after the keys are fetched, and acts only as its subject", arguments: [false, true])
    func firstJWT(isLive: Bool) async throws {
        try await withIssuer { issuer, fixture in
            let door: any ServiceClient = isLive ? try fixture.live() : fixture.direct
            let jwt = try TestJWT.make()
            #expect(try await door.send("POST", path, token: jwt, json: check("user:ann")).status == 200)
            #expect(try await door.send("POST", path, token: jwt, json: check("user:bob")).status == 403)
            let change = #"{"as":"user:root","do":[{"op":"defineClass","class":"doc"}]}"#
            let asRoot = try await door.send("POST", "/v1/stores/default/transactions", token: jwt, json: change)
            #expect(asRoot.status == 403)
            let asAnn = try await door.send(
                "POST", "/v1/stores/default/transactions", token: jwt, json: #"{"do":[{"op":"defineClass","class":"doc"}]}"#)
            #expect(asAnn.status == 403)
            #expect(try asAnn.json["code"] == "noPrivilege")
            #expect(try issuer.requests() == ["/keys"])
        }
    }

    @Test("A user of the issuer sees only the stores that the user has used")
    func knownStores() async throws {
        try await withIssuer { _, fixture in
            let root = try fixture.administrator()
            for name in ["tenant-a", "tenant-b"] {
                let made = try await fixture.direct.send("POST", "/v1/stores", token: root, json: #"{"store":"\#(name)"}"#)
                #expect(made.status == 201)
            }
            let jwt = try TestJWT.make()
            let listed = { try await fixture.direct.send("GET", "/v1/stores", token: jwt).text }
            #expect(try await listed() == #"{"stores":[]}"#)
            let change = #"{"as":"user:root","do":[{"op":"register","principal":"user:ann"}]}"#
            _ = try await fixture.direct.send("POST", "/v1/stores/tenant-b/transactions", token: root, json: change)
            #expect(try await listed() == #"{"stores":["tenant-b"]}"#)
        }
    }

    @Test("A user of the issuer reaches only the stores that trust the issuer", arguments: [true, false])
    func issuerStores(isFirst: Bool) async throws {
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        let believed = try issuer.settings
        try await withService { settings in
            settings.callers.issuer = believed
            settings.callers.issuerStores = .named(["other"])
        } _: { fixture in
            let jwt = try TestJWT.make()
            // Checks with keys that have to be fetched, and with keys that are cached.
            if !isFirst { _ = try await fixture.direct.send("GET", "/v1/stores", token: jwt) }
            #expect(try await fixture.direct.send("POST", path, token: jwt, json: check("user:ann")).status == 403)
        }
    }

    @Test("A forged JWT or one of an untrusted issuer gets the same response as any wrong token")
    func forged() async throws {
        let jwt = try TestJWT.make()
        let forged = [
            try TestJWT.make(claims: ["aud": "other"]), try TestJWT.make(claims: ["exp": .integer(0)]),
            try TestJWT.make(keyID: "k9"), String(jwt.dropLast(4)) + "AAAA", "a.b.c",
        ]
        try await withIssuer { _, fixture in
            var texts: Set<String> = []
            for token in forged + ["muni_wrong"] {
                let answer = try await fixture.direct.send("POST", path, token: token, json: check("user:ann"))
                #expect(answer.status == 401, "\(token)")
                texts.insert(answer.text)
            }
            #expect(texts.count == 1)
        }
        try await withService { fixture in
            let answer = try await fixture.direct.send("POST", path, token: jwt, json: check("user:ann"))
            #expect(answer.status == 401)
        }
    }

    @Test("A hanging issuer delays only callers with its JWTs, and admits none of them")
    func silentIssuer() async throws {
        try await withIssuer { issuer, fixture in
            try issuer.serve("silent", at: "keys")
            let door = try fixture.live()
            let jwt = try TestJWT.make()
            let token = try fixture.token(.ask)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await door.send("POST", self.path, token: jwt, json: self.check("user:ann")).status }
                }
                for _ in 0..<20 {
                    #expect(try await door.send("POST", path, token: token, json: check("user:ann")).status == 200)
                }
                issuer.stop()
                for try await status in group { #expect(status == 503) }
            }
        }
    }

    @Test("After too many wrong JWTs from an address, its JWTs are answered 429 for a while")
    func failureLimit() async throws {
        try await withIssuer { _, fixture in
            let jwt = try TestJWT.make()
            let door = fixture.direct
            #expect(try await door.send("POST", path, token: jwt, json: check("user:ann")).status == 200)
            let wrong = String(jwt.dropLast(4)) + "AAAA"
            for _ in 0..<1_000 { #expect(try await door.send("POST", path, token: wrong, json: "{}").status == 401) }
            #expect(try await door.send("POST", path, token: wrong, json: "{}").status == 429)
            #expect(try await door.send("POST", path, token: jwt, json: check("user:ann")).status == 429)
            fixture.clock.advance(seconds: 1)
            #expect(try await door.send("POST", path, token: jwt, json: check("user:ann")).status == 200)
        }
    }
}
