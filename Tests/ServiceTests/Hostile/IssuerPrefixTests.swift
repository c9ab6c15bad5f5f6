import Credentials
import Events
import IssuerSupport
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: an issuer that names users of others")
struct IssuerPrefixTests {
    private static let transactions = "/v1/stores/default/transactions"
    private static let define = #"{"do":[{"op":"defineClass","class":"doc"}]}"#

    /// Runs a test with an issuer, the settings that trust it under a prefix, and the JWT of its user `sub`.
    private func withIssuer(
        _ prefix: String?, _ body: (_ trust: IssuerSettings, _ jwt: (_ sub: String) throws -> String) async throws -> Void
    ) async throws {
        let issuer = try TestIssuer()
        defer { issuer.stop() }
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        var trust = try issuer.settings
        trust.userPrefix = try prefix.map(UserPrefix.init)
        try await body(trust) { try TestJWT.make(claims: ["sub": .string($0)]) }
    }

    private func appoint(_ name: String, _ fixture: ServiceFixture) async throws {
        let (curl, root) = (try fixture.live(), try fixture.administrator())
        // The name may be known already.
        let register = #"{"as":"user:root","do":[{"op":"register","principal":"\#(name)"}]}"#
        _ = try await curl.send("POST", Self.transactions, token: root, json: register)
        let body = #"{"as":"user:root","do":[{"op":"appointAdministrator","principal":"\#(name)"}]}"#
        let answer = try await curl.send("POST", Self.transactions, token: root, json: body)
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("With a prefix, the users of an issuer are names below it, and administrators only under that name")
    func prefix() async throws {
        try await withIssuer("user:corp/") { trust, jwt in
            try await withListeners {
                $0.callers.issuer = trust
            } _: { fixture in
                let curl = try fixture.live()
                let ann = try jwt("ann")
                let caller = try await curl.send("GET", "/v1/stores/default/caller", token: ann)
                #expect(try caller.json["principal"] == "user:corp/ann")
                try await appoint("user:ann", fixture)
                for sub in ["ann", "root", "../ann", "user:ann"] {
                    let answer = try await curl.send("POST", Self.transactions, token: try jwt(sub), json: Self.define)
                    #expect(answer.status == 403, "\(sub): \(answer.text)")
                }
                try await appoint("user:corp/ann", fixture)
                #expect(try await curl.send("POST", Self.transactions, token: ann, json: Self.define).status == 200)
                let audit = try await curl.send(
                    "GET", "/v1/stores/default/audit?actor=user:corp/ann", token: try fixture.administrator())
                #expect(audit.text.contains(#""credential":"jwt \#(TestJWT.issuer) ann""#), "\(audit.text)")
            }
        }
    }

    @Test("Without a prefix, users of an issuer keep their names, but none of them is an administrator")
    func noPrefix() async throws {
        try await withIssuer(nil) { trust, jwt in
            try await withAccounts {
                $0.callers.issuer = trust
            } _: { fixture in
                let (curl, ann) = (fixture.door, try jwt("ann"))
                try fixture.commit(
                    .defineClass("plan"), .grant("everyone", on: "store", ["read", "update", "create"]),
                    .grant("everyone", on: "class:plan", ["read", "update", "create"]))
                let create = #"{"do":[{"op":"createObject","object":"plan:1"}]}"#
                let made = try await curl.send("POST", Self.transactions, token: ann, json: create)
                #expect(made.status == 200, "\(made.text)")
                try await appoint("user:ann", fixture.service)
                let requests = [
                    ("POST", "/v1/stores/default/transactions", Self.define), ("GET", "/v1/stores/default/administrators", ""),
                    ("GET", "/v1/stores/default/export", ""), ("GET", "/v1/stores/default/caller", ""),
                    ("POST", "/access/v1/evaluation", #"{"subject":{"type":"user","id":"ann"}}"#), ("GET", "/v1/accounts", ""),
                ]
                for (method, path, json) in requests {
                    let answer = try await curl.send(method, path, token: ann, json: json)
                    #expect(answer.status == 403, "\(path): \(answer.text)")
                }
                let answer = try await curl.send("POST", Self.transactions, token: ann, json: Self.define)
                #expect(answer.text.contains("`user:ann` is an administrator of this store"), "\(answer.text)")
                // Bob is no administrator, and Ann's own token is.
                #expect(try await curl.send("GET", "/v1/stores/default/caller", token: try jwt("bob")).status == 200)
                let own = try fixture.service.token(.act(as: "user:ann"))
                #expect(try await curl.send("POST", Self.transactions, token: own, json: Self.define).status == 200)
            }
        }
    }

    @Test("With `user:` as prefix, the operator confirms that the issuer names all users, administrators too")
    func allUsers() async throws {
        try await withIssuer("user:") { trust, jwt in
            try await withListeners {
                $0.callers.issuer = trust
            } _: { fixture in
                try await appoint("user:ann", fixture)
                let curl = try fixture.live()
                #expect(try await curl.send("POST", Self.transactions, token: try jwt("ann"), json: Self.define).status == 200)
                #expect(try await curl.send("POST", Self.transactions, token: try jwt("root"), json: Self.define).status == 401)
            }
        }
    }

    @Test(
        "An issuer cannot name the user of an account, nor a name that an account could get",
        arguments: [nil, "user:", "user:corp/"])
    func accounts(prefix: String?) async throws {
        try await withIssuer(prefix) { trust, jwt in
            try await withAccounts {
                $0.callers.issuer = trust
            } _: { fixture in
                let ann = try await fixture.client.signUp("ann@example.com")
                let id = String(ann.principal.dropFirst("user:".count))
                #expect(id.utf8.count == 26)
                for sub in [id, String(repeating: "a", count: 26)] {
                    // The first request fetches the keys, the second one has them.
                    for _ in 0..<2 {
                        let answer = try await fixture.door.send("GET", "/v1/stores/default/caller", token: try jwt(sub))
                        #expect(answer.status == (prefix == "user:corp/" ? 200 : 401), "\(sub): \(answer.text)")
                        if answer.status == 200 { #expect(try answer.json["principal"] == .string("user:corp/" + sub)) }
                    }
                }
                #expect(try await fixture.door.send("GET", "/v1/stores/default/caller", token: try jwt("bob")).status == 200)
            }
        }
    }
}
