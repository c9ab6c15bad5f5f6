import Credentials
import Events
import Foundation
import IssuerSupport
import Permissions
import TestSupport
import Testing

@Suite("The issuer's keys: cached, rotated, and fetched at a limited rate")
struct IssuerKeysTests {
    private static let now = Instant.newYear

    private func jwt(_ keyID: String? = "k1", _ key: TestKey? = nil, _ distance: Int64 = 0) throws -> String {
        let end = (Instant.newYear.microseconds / 1_000_000) + distance + 600
        return try TestJWT.make("RS256", keyID: keyID, claims: ["exp": .integer(end)], key: key)
    }

    @Test("Keys are fetched once and then cached, and a cache lookup makes no request")
    func cached() throws {
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.rsa.get(), ["kid": "k1"])])
        let verifier = try issuer.verifier()
        let jwt = try jwt()
        #expect(try verifier.verifyCached(jwt, at: IssuerKeysTests.now) == nil)
        #expect(try issuer.requests() == [])
        for _ in 0..<5 { #expect(try verifier.verify(jwt, at: IssuerKeysTests.now).subject == "user:ann") }
        #expect(try verifier.verifyCached(jwt, at: IssuerKeysTests.now)?.subject == "user:ann")
        #expect(try issuer.requests() == ["/keys"])
    }

    static let ages: [(cacheControl: String?, seconds: Int64)] = [
        (nil, 300), ("no-store", 300), ("max-age=1", 300), ("max-age=-5", 300), ("max-age=x", 300),
        ("public, Max-Age = \"3600\"", 3_600),
        ("max-age=3600, must-revalidate", 3_600), ("max-age=999999999", 86_400), ("s-maxage=9000", 300),
        ("max-age=99999999999999999999", 300),
    ]

    @Test(
        "Keys are fetched again after the max-age of the issuer, with a minimum of five minutes and a maximum of one day",
        arguments: ages)
    func maxAge(cacheControl: String?, seconds: Int64) throws {
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.rsa.get(), ["kid": "k1"])], cacheControl: cacheControl)
        let verifier = try issuer.verifier()
        let jwt = try jwt("k1", nil, seconds)
        _ = try verifier.verify(jwt, at: IssuerKeysTests.now)
        #expect(try verifier.verifyCached(jwt, at: IssuerKeysTests.now.later(seconds: seconds - 1)) != nil)
        #expect(try verifier.verifyCached(jwt, at: IssuerKeysTests.now.later(seconds: seconds)) == nil)
        _ = try verifier.verify(jwt, at: IssuerKeysTests.now.later(seconds: seconds))
        #expect(try issuer.requests() == ["/keys", "/keys"])
    }

    @Test("A new key is fetched at its first use, but at most once in thirty seconds")
    func rotation() throws {
        let issuer = try TestIssuer()
        let (old, new) = (try TestKeys.rsa.get(), try TestKeys.otherRSA.get())
        try issuer.serve(keys: [(old, ["kid": "k1"])])
        let verifier = try issuer.verifier()
        _ = try verifier.verify(try jwt(), at: IssuerKeysTests.now)
        try issuer.serve(keys: [(new, ["kid": "k2"])])
        let later = IssuerKeysTests.now.later(seconds: 29)
        for _ in 0..<5 { #expect(throws: JWTError.unknownKey) { try verifier.verify(try jwt("k2", new), at: later) } }
        #expect(try issuer.requests() == ["/keys"])
        let then = IssuerKeysTests.now.later(seconds: 30)
        #expect(try verifier.verify(try jwt("k2", new), at: then).subject == "user:ann")
        // A withdrawn key is invalid, and a token that names it causes no request for a while.
        for _ in 0..<5 { #expect(throws: JWTError.unknownKey) { try verifier.verify(try jwt(), at: then) } }
        #expect(try issuer.requests() == ["/keys"])
    }

    @Test("Concurrent tokens with an unknown key cause one request")
    func oneRequest() throws {
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.rsa.get(), ["kid": "k1"])])
        let verifier = try issuer.verifier()
        let unknown = try jwt("k9")
        let threads = (0..<16).map { _ in
            TestThread {
                do { _ = try verifier.verify(unknown, at: IssuerKeysTests.now) } catch JWTError.unknownKey {}
            }
        }
        for thread in threads { try thread.join() }
        #expect(try issuer.requests() == ["/keys"])
    }

    @Test("If the issuer is unreachable, expired keys stay valid for one more day")
    func issuerIsDown() throws {
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.rsa.get(), ["kid": "k1"])])
        let verifier = try issuer.verifier()
        _ = try verifier.verify(try jwt(), at: IssuerKeysTests.now)
        let broken: [String?] = [nil, "no JSON", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA","kid":"k1"}]}"#, "[]"]
        for (index, text) in broken.enumerated() {
            try issuer.serve(text, at: "keys")
            let seconds = 300 + Int64(index) * 60
            let when = IssuerKeysTests.now.later(seconds: seconds)
            #expect(try verifier.verify(try jwt("k1", nil, seconds), at: when).subject == "user:ann")
        }
        #expect(try issuer.requests().count == 1 + broken.count)
        issuer.stop()
        let limit: Int64 = 300 + 86_400
        #expect(
            try verifier.verify(try jwt("k1", nil, limit), at: IssuerKeysTests.now.later(seconds: limit - 1)).subject == "user:ann")
        let error = #expect(throws: JWTError.self) {
            try verifier.verify(try jwt("k1", nil, limit), at: IssuerKeysTests.now.later(seconds: limit))
        }
        guard case .keysUnavailable? = error else { throw Unexpected() }
    }

    private struct Unexpected: Error {}

    @Test("Without keys every token is rejected, and the keys are fetched again after five seconds")
    func noKeysYet() throws {
        let issuer = try TestIssuer()
        let verifier = try issuer.verifier()
        let jwt = try jwt()
        for _ in 0..<3 { #expect(throws: JWTError.self) { try verifier.verify(jwt, at: IssuerKeysTests.now) } }
        try issuer.serve(keys: [(try TestKeys.rsa.get(), ["kid": "k1"])])
        #expect(throws: JWTError.self) { try verifier.verify(jwt, at: IssuerKeysTests.now.later(seconds: 4)) }
        #expect(try issuer.requests() == ["/keys"])
        #expect(try verifier.verify(jwt, at: IssuerKeysTests.now.later(seconds: 5)).subject == "user:ann")
    }

    typealias SetRow = (what: String, keys: [[String: String]], keyID: String?, isValid: Bool)

    /// Each item is the correct key with these additional members.
    static let sets: [SetRow] = [
        ("one key without a name, and no name in the token", [[:]], nil, true),
        ("one key with a name, and no name in the token", [["kid": "k1"]], nil, true),
        ("two keys, and no name in the token", [["kid": "k1"], ["kid": "k2"]], nil, false),
        ("two keys with the same name", [["kid": "k1"], ["kid": "k1"]], "k1", false),
        ("the key and other keys", [["kid": "k2"], ["kid": "k1"], ["kid": "k3"]], "k1", true),
        ("another name", [["kid": "K1"]], "k1", false),
        ("a key without a name, and a name in the token", [[:]], "k1", false),
        ("for the same algorithm", [["kid": "k1", "alg": "RS256"]], "k1", true),
        ("for another algorithm", [["kid": "k1", "alg": "PS256"]], "k1", false),
        ("for signatures", [["kid": "k1", "use": "sig"]], "k1", true),
        ("for encryption", [["kid": "k1", "use": "enc"]], "k1", false),
        ("for other operations", [["kid": "k1", "key_ops": "verify"]], "k1", false),
        ("of another type", [["kid": "k1", "kty": "oct"]], "k1", false),
        ("with a number that is not base64url", [["kid": "k1", "n": "+/=="]], "k1", false),
        ("with exponent 1", [["kid": "k1", "e": "AQ"]], "k1", false),
    ]

    @Test("A token is accepted if exactly one key of the set matches its header", arguments: sets.indices)
    func selection(index: Int) throws {
        let row = IssuerKeysTests.sets[index]
        let issuer = try TestIssuer()
        let key = try TestKeys.rsa.get()
        try issuer.serve(keys: row.keys.map { (key, $0) })
        let result = Result { try issuer.verifier().verify(try jwt(row.keyID), at: IssuerKeysTests.now) }
        #expect(((try? result.get()) != nil) == row.isValid, "\(row.what): \(result)")
    }

    static let discovery: [(what: String, document: @Sendable (String) -> String, isValid: Bool)] = [
        ("a valid document", { #"{"issuer":"\#($0)","jwks_uri":"\#($0)/keys"}"# }, true),
        ("another issuer", { #"{"issuer":"https://evil.example.com","jwks_uri":"\#($0)/keys"}"# }, false),
        ("the issuer with a slash", { #"{"issuer":"\#($0)/","jwks_uri":"\#($0)/keys"}"# }, false),
        ("no issuer", { #"{"jwks_uri":"\#($0)/keys"}"# }, false),
        ("no keys", { #"{"issuer":"\#($0)"}"# }, false),
        ("keys at an insecure address", { #"{"issuer":"\#($0)","jwks_uri":"http://keys.example.com/keys"}"# }, false),
        ("keys in a file", { #"{"issuer":"\#($0)","jwks_uri":"file:///etc/passwd"}"# }, false),
        ("no JSON", { _ in "<html>" }, false),
    ]

    @Test("A discovery document is accepted only if it names its own issuer and secure key addresses", arguments: discovery.indices)
    func discovered(index: Int) throws {
        let row = IssuerKeysTests.discovery[index]
        let issuer = try TestIssuer()
        try issuer.serve(keys: [(try TestKeys.rsa.get(), ["kid": "k1"])])
        try issuer.serve(row.document(issuer.address), at: ".well-known/openid-configuration")
        let verifier = JWTVerifier(try IssuerSettings(issuer: issuer.address, audience: TestJWT.audience))
        let jwt = try TestJWT.make("RS256", claims: ["iss": .string(issuer.address)])
        let result = Result { try verifier.verify(jwt, at: IssuerKeysTests.now) }
        #expect(((try? result.get()) != nil) == row.isValid, "\(row.what): \(result)")
        #expect(try issuer.requests() == ["/.well-known/openid-configuration"] + (row.isValid ? ["/keys"] : []))
    }

    @Test("Settings with an insecure address or an empty audience are refused")
    func settings() throws {
        #expect(throws: IssuerSettingsError.notSecure("http://login.example.com")) {
            try IssuerSettings(issuer: "http://login.example.com", audience: "a")
        }
        #expect(throws: IssuerSettingsError.notSecure("http://keys.example.com")) {
            try IssuerSettings(issuer: "https://login.example.com", audience: "a", jwksAddress: "http://keys.example.com")
        }
        #expect(throws: IssuerSettingsError.noAddress("login")) { try IssuerSettings(issuer: "login", audience: "a") }
        for text in ["user:", "user:corp/", "user:a.b/C-1_/"] { #expect(try UserPrefix(text).text == text) }
        let others = [
            "", "corp/", "user", "user:corp", "user:/", "user:cor p/", "user:é/", "thing:corp/", "user:a:b/",
            "user:" + String(repeating: "a", count: 60) + "/",
        ]
        for text in others { #expect(throws: IssuerSettingsError.noPrefix(text)) { try UserPrefix(text) } }
        #expect(throws: IssuerSettingsError.noAudience) { try IssuerSettings(issuer: "https://login.example.com", audience: "") }
    }
}
