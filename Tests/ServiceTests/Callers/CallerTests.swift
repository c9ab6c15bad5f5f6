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

    @Test("A token is good until it is taken back, and from then on it is not, while the service runs")
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

    @Test("A damaged file of tokens lets nobody in, and says so as a fault and not as a wrong token")
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

    @Test("The header is read as RFC 6750 writes it", arguments: schemes.indices)
    func header(index: Int) async throws {
        let row = CallerTests.schemes[index]
        try await withService { fixture in
            let header = HTTPHeader("Authorization", row.header(try fixture.token(.ask)))
            let answer = try await fixture.live().send("POST", path, json: check, headers: [header])
            #expect(answer.status == row.status, "\(header.value)")
        }
    }

    @Test("A secret never comes back: not in an answer, and not in what the service reports")
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
            #expect(!reported.text.contains(token.dropFirst(5)))
        }
    }

    @Test("Wrong tokens are answered the same, however many there are, and good ones from there go on")
    func manyWrongTokens() async throws {
        try await withService { fixture in
            let token = try fixture.token(.ask)
            for _ in 0..<2_000 {
                #expect(try await fixture.direct.send("POST", path, token: "muni_wrong", json: check).status == 401)
            }
            #expect(try await fixture.direct.send("POST", path, token: token, json: check).status == 200)
        }
    }

    /// What a service reported.
    private final class Reports: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        func add(_ line: String) { lock.withLock { lines.append(line) } }
        var text: String { lock.withLock { lines.joined(separator: "\n") } }
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

    @Test("The first JWT is answered once the keys are there, and acts as its subject alone", arguments: [false, true])
    func firstJWT(isLive: Bool) async throws {
        try await withIssuer { issuer, fixture in
            let door: any Door = isLive ? try fixture.live() : fixture.direct
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

    @Test("A user of the issuer is told of the stores that it has been in, and of no other")
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

    @Test("A user of the issuer reaches the stores that the issuer is believed in, and no other", arguments: [true, false])
    func issuerStores(isFirst: Bool) async throws {
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        let believed = try issuer.settings
        try await withService { settings in
            settings.callers.issuer = believed
            settings.callers.issuerStores = .named(["other"])
        } _: { fixture in
            let jwt = try TestJWT.make()
            // With keys that have to be fetched, and with keys that are there.
            if !isFirst { _ = try await fixture.direct.send("GET", "/v1/stores", token: jwt) }
            #expect(try await fixture.direct.send("POST", path, token: jwt, json: check("user:ann")).status == 403)
        }
    }

    @Test("A forged one is answered like any wrong token, and so is one for an issuer that is not believed")
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

    @Test("An issuer that does not answer holds up nobody but those who come with its JWTs, and lets nobody in")
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

    @Test("Too many wrong ones, and JWTs from there are not looked at for a while")
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
