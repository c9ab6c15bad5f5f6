import Events
import Identity
import IdentitySupport
import IssuerSupport
import NetworkClient
import OpenIDConnect
import TestSupport
import Testing

@Suite("I2 OpenID Connect: attempts")
struct AttemptTests {
    @Test("An attempt is valid once, whether it succeeds or fails")
    func once() throws {
        let acme = try HostileProvider()
        let attempt = try acme.begin()
        try acme.answer(attempt)
        _ = try acme.authenticate(attempt.evidence())
        #expect(throws: ProviderError.wrong) { try acme.authenticate(attempt.evidence()) }
        let second = try acme.begin()
        try acme.answer(second)
        #expect(throws: ProviderError.wrong) { try acme.authenticate(second.evidence(["state": "another"])) }
        #expect(throws: ProviderError.wrong) { try acme.authenticate(second.evidence()) }
    }

    @Test("If state, attempt, issuer or redirect URI do not match the attempt, the code is not sent to the provider")
    func mixUp() throws {
        let acme = try HostileProvider()
        let (mine, other) = (try acme.begin(), try acme.begin())
        let (other2, other3, other4) = (try acme.begin(), try acme.begin(), try acme.begin())
        try acme.answer(mine)
        _ = try acme.server.requests()
        for evidence in [
            mine.evidence(["state": .string(other.fields["state"] ?? "")]), other.evidence(["attempt": "muno_x"]),
            other2.evidence(["iss": "https://other.example.com"]), other3.evidence(["redirectURI": "com.example.app:/back"]),
            other4.evidence(["redirectURI": "com.example.app:/back", "iss": .string(acme.issuer)]),
        ] {
            #expect(throws: ProviderError.wrong) { try acme.authenticate(evidence) }
        }
        #expect(try acme.server.requests() == [])
    }

    @Test("An issuer that declares to name itself in every response is rejected if it does not")
    func unnamed() throws {
        let acme = try HostileProvider(namesItself: true)
        let attempt = try acme.begin()
        try acme.answer(attempt)
        #expect(throws: ProviderError.wrong) { try acme.authenticate(attempt.evidence()) }
        let named = try acme.begin()
        try acme.answer(named)
        #expect(try acme.authenticate(named.evidence(["iss": .string(acme.issuer)])).label == "ann@example.org")
    }

    @Test(
        "Metadata with an endpoint that has a fragment is refused: the parameters of the request would not be sent",
        arguments: [("authorization_endpoint", "token_endpoint"), ("token_endpoint", "authorization_endpoint")])
    func fragments(wrong: String, right: String) throws {
        for fragment in ["#", "#/login", "?theme=dark#x", ""] {
            let acme = try HostileProvider()
            try acme.server.serve(
                #"""
                {"issuer":"\#(acme.issuer)","\#(wrong)":"\#(acme.issuer)/a\#(fragment)","\#(right)":"\#(acme.issuer)/b",
                "jwks_uri":"\#(acme.server.keysAddress)"}
                """#, at: ".well-known/openid-configuration")
            guard !fragment.isEmpty else {
                _ = try acme.begin()
                continue
            }
            #expect { try acme.begin() } throws: { error in
                if case .unavailable(let reason)? = error as? ProviderError { reason.contains("`\(wrong)`") } else { false }
            }
        }
    }

    @Test("An attempt expires after ten minutes")
    func end() throws {
        let acme = try HostileProvider()
        for (seconds, isValid) in [(599, true), (600, false)] as [(Int64, Bool)] {
            let attempt = try acme.begin()
            let now = Instant.newYear.later(seconds: seconds)
            try acme.answer(
                attempt, ["iat": .integer(now.microseconds / 1_000_000), "exp": .integer(now.microseconds / 1_000_000 + 60)])
            if isValid {
                _ = try acme.authenticate(attempt.evidence(), at: now)
            } else {
                #expect(throws: ProviderError.wrong) { try acme.authenticate(attempt.evidence(), at: now) }
            }
        }
    }

    @Test("Pending attempts are limited, and a new attempt never removes another")
    func limit() throws {
        let acme = try HostileProvider(attemptLimit: 2)
        let first = try acme.begin()
        _ = try acme.begin()
        #expect(throws: ProviderError.busy) { try acme.begin() }
        try acme.answer(first)
        _ = try acme.authenticate(first.evidence())
        _ = try acme.begin()
        _ = try acme.begin(at: .newYear.later(seconds: 601))
    }

    @Test("Only redirect URIs that the operator configured are accepted, and they must match exactly")
    func redirects() throws {
        let acme = try HostileProvider()
        #expect(try acme.begin(["redirectURI": "com.example.app:/back"]).fields["redirect_uri"] == "com.example.app:/back")
        for address in [
            "https://app.example.com/back/", "https://app.example.com/back?x=1", "https://evil.example/back",
            "https://app.example.com",
            "",
        ] {
            #expect(throws: ProviderError.self) { try acme.begin(["redirectURI": .string(address)]) }
        }
        #expect(throws: ProviderError.self) { try acme.provider.begin([:], at: .newYear) }
    }

    @Test("Evidence with a missing or malformed member is refused, and does not use up the attempt")
    func malformed() throws {
        let acme = try HostileProvider()
        let attempt = try acme.begin()
        try acme.answer(attempt)
        for name in ["attempt", "code", "state"] {
            for value in [nil, JSONValue.integer(1), .null] {
                let error = #expect(throws: ProviderError.self) { try acme.authenticate(attempt.evidence([name: value])) }
                guard case .malformed? = error else { throw Unexpected(error: "\(error as Any)") }
            }
        }
        let untold = #expect(throws: ProviderError.self) { try acme.authenticate(attempt.evidence(["redirectURI": nil])) }
        guard case .malformed? = untold else { throw Unexpected(error: "\(untold as Any)") }
        _ = try acme.authenticate(attempt.evidence())
    }

    @Test("Evidence names the provider by issuer or by redirect URI, and either is enough")
    func told() throws {
        let acme = try HostileProvider()
        for changes in [["iss": .string(acme.issuer), "redirectURI": nil], [:]] as [[String: JSONValue?]] {
            let attempt = try acme.begin()
            try acme.answer(attempt)
            _ = try acme.authenticate(attempt.evidence(changes))
        }
    }

    private struct Unexpected: Error { let error: String }

    @Test("An unexpected provider response is reported to the operator, without a code or a secret")
    func unavailable() throws {
        let acme = try HostileProvider(clientSecret: "client-secret")
        for answer in [#"{"access_token":"a"}"#, "no JSON", nil] {
            let attempt = try acme.begin()
            try acme.server.serve(answer, at: "token")
            let error = #expect(throws: ProviderError.self) { try acme.authenticate(attempt.evidence()) }
            guard case .unavailable(let sentence)? = error else { throw Unexpected(error: "\(error as Any)") }
            for secret in ["code-1", "client-secret", attempt.secret, attempt.fields["state"] ?? "?"] {
                #expect(!sentence.contains(secret))
            }
        }
        let nobody = try HostileProvider()
        nobody.server.stop()
        #expect(throws: ProviderError.self) { try nobody.begin() }
    }

    @Test("An issuer that does not answer is contacted once, and not again for each waiting request")
    func silent() throws {
        let server = try SilentServer()
        let settings = try OpenIDSettings(
            id: try #require(ProviderID("silent")), issuer: "http://127.0.0.1:\(server.port)", clientID: "muniment",
            redirectURIs: [HostileProvider.redirect])
        let provider = OpenIDProvider(settings)
        // The second request arrived while the first one waited, which takes ten seconds.
        for seconds: Int64 in [0, 7] {
            #expect(throws: ProviderError.self) { try provider.begin([:], at: Instant.newYear.later(seconds: seconds)) }
        }
        #expect(server.connectionCount() == 1)
    }

    @Test("A discovery document for another issuer or with an insecure address is refused")
    func descriptions() throws {
        for (name, value) in [
            ("issuer", "https://other.example.com"), ("token_endpoint", "http://elsewhere.example.com/token"),
            ("authorization_endpoint", "javascript:alert(1)"),
        ] {
            let acme = try HostileProvider()
            var members: JSONObject = ["issuer": .string(acme.issuer)]
            for endpoint in ["authorization_endpoint", "token_endpoint"] { members[endpoint] = .string(acme.issuer + "/x") }
            members[name] = .string(value)
            var writer = JSONWriter()
            writer.write(.object(members))
            try acme.server.serve(writer.text, at: ".well-known/openid-configuration")
            #expect(throws: ProviderError.self) { try acme.begin() }
        }
    }

    @Test(
        "Settings that admit no user or the wrong user are refused",
        arguments: [
            ("http://login.example.com", "c", ["https://a.example.com"], nil),
            ("https://login.example.com", "", ["https://a.example.com"], nil),
            ("https://login.example.com", "c", [], nil), ("https://login.example.com", "c", ["http://a.example.com"], nil),
            ("https://login.example.com", "c", ["https://a.example.com#x"], nil),
            ("https://login.example.com", "c", ["javascript:x"], nil),
            ("https://login.example.com", "c", ["https://a.example.com"], ""),
        ] as [(String, String, [String], String?)])
    func settings(issuer: String, clientID: String, redirects: [String], secret: String?) throws {
        let id = try #require(ProviderID("acme"))
        #expect(throws: OpenIDSettingsError.self) {
            try OpenIDSettings(id: id, issuer: issuer, clientID: clientID, clientSecret: secret, redirectURIs: redirects)
        }
    }
}
