import Credentials
import Events
import Foundation
import IssuerSupport
import Permissions
import TestSupport
import Testing

@Suite("JWTs: only a token that the issuer signed for this service is accepted")
struct ForgedJWTTests {
    private static let now = Instant.newYear
    private static let seconds = Instant.newYear.microseconds / 1_000_000

    /// Runs the body with an issuer that serves one key of each kind as `k1`, and with a verifier of its JWTs.
    private func withIssuer(_ body: (TestIssuer, JWTVerifier) throws -> Void) throws {
        let issuer = try TestIssuer()
        let keys = try ["RS256", "ES256", "ES384", "EdDSA"].map { (key: try TestKeys.key(for: $0), members: ["kid": "k1"]) }
        try issuer.serve(keys: keys)
        try body(issuer, try issuer.verifier())
    }

    @Test("A JWT of every supported algorithm is accepted with the matching key", arguments: SignatureTests.algorithms.map(\.name))
    func accepted(algorithm: String) throws {
        try withIssuer { _, verifier in
            let claims = try verifier.verify(try TestJWT.make(algorithm), at: ForgedJWTTests.now)
            #expect(claims.subject == "user:ann")
            #expect(claims.until == ForgedJWTTests.now.later(seconds: 660))
        }
    }

    typealias ClaimRow = (what: String, changes: [String: JSONValue?], problem: JWTError?)

    private static func time(_ distance: Int64) -> JSONValue { .integer(seconds + distance) }

    static let claimRows: [ClaimRow] = [
        ("valid claims", [:], nil),
        ("several audiences, including the correct one", ["aud": .array(["other", "muniment"])], nil),
        ("an expiry time with a fraction", ["exp": .number(Double(seconds) + 1.5)], nil),
        ("expired within the leeway", ["exp": time(-59)], nil),
        ("valid from a time within the leeway", ["nbf": time(60), "iat": time(60)], nil),
        ("no iat", ["iat": nil], nil),
        ("another issuer", ["iss": "http://127.0.0.1/other"], .wrongIssuer),
        ("the issuer with an additional slash", ["iss": "http://127.0.0.1/issuer/"], .wrongIssuer),
        ("no issuer", ["iss": nil], .wrongIssuer),
        ("a list of issuers", ["iss": .array(["http://127.0.0.1/issuer"])], .wrongIssuer),
        ("another audience", ["aud": "other"], .wrongAudience),
        ("an audience with the correct prefix", ["aud": "muniment2"], .wrongAudience),
        ("other audiences", ["aud": .array(["other", "more"])], .wrongAudience),
        ("no audience", ["aud": nil], .wrongAudience),
        ("an empty list of audiences", ["aud": .array([])], .wrongAudience),
        ("an audience of another type", ["aud": true], .wrongAudience),
        ("no expiry time", ["exp": nil], .noExpiry),
        ("expired", ["exp": time(-60)], .ended),
        ("expired long ago", ["exp": .integer(0)], .ended),
        ("an expiry time as text", ["exp": "2999-01-01"], .malformed),
        ("an expiry time of null", ["exp": .null], .malformed),
        ("an expiry time above the range", ["exp": .integer(.max)], .malformed),
        ("a negative expiry time", ["exp": .integer(-1)], .malformed),
        ("an expiry time above the range of integers", ["exp": .number(1e300)], .malformed),
        ("not valid yet", ["nbf": time(61)], .notYetValid),
        ("a start time as text", ["nbf": "0"], .malformed),
        ("issued in the future", ["iat": time(61)], .issuedInTheFuture),
        ("no subject", ["sub": nil], .unusableSubject),
        ("an empty subject", ["sub": ""], .unusableSubject),
        ("a subject of another type", ["sub": .integer(7)], .unusableSubject),
        ("a subject with a control character", ["sub": "ann\u{0}"], .unusableSubject),
        ("the administrator of new stores", ["sub": "root"], .reservedSubject),
        ("an ID token", ["nonce": "n"], .notAnAccessToken("it has the claim `nonce`")),
        ("an ID token with the hash of an access token", ["at_hash": "h"], .notAnAccessToken("it has the claim `at_hash`")),
        ("an ID token with the hash of a code", ["c_hash": "h"], .notAnAccessToken("it has the claim `c_hash`")),
        ("an ID token of Keycloak", ["typ": "ID"], .notAnAccessToken("its claim `typ` is `id`")),
        ("an access token of Keycloak", ["typ": "Bearer", "nonce": "n"], nil),
        ("a refresh token of Keycloak", ["typ": "Refresh"], .notAnAccessToken("its claim `typ` is `refresh`")),
        (
            "a logout token", ["events": .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])])],
            .notAnAccessToken("it has the claim `events`")
        ),
        ("a subject that is too long", ["sub": .string(String(repeating: "x", count: 600))], .unusableSubject),
    ]

    @Test("A JWT with an invalid claim is rejected, with a leeway of 60 seconds for times", arguments: claimRows.indices)
    func claims(index: Int) throws {
        let row = ForgedJWTTests.claimRows[index]
        try withIssuer { _, verifier in
            let jwt = try TestJWT.make(claims: row.changes)
            if let problem = row.problem {
                #expect(throws: problem, "\(row.what)") { try verifier.verify(jwt, at: ForgedJWTTests.now) }
            } else {
                #expect(try verifier.verify(jwt, at: ForgedJWTTests.now).subject == "user:ann", "\(row.what)")
            }
        }
    }

    /// Whether a JWT without the type `at+jwt` is accepted, then one with it, then again one without it.
    static let typeRows: [(type: AccessTokenType, isValid: [Bool])] = [
        (.required, [false, true, false]), (.onceSeen, [true, true, false]), (.optional, [true, true, true]),
    ]

    @Test("The access token type setting decides if a JWT without the type at+jwt is accepted", arguments: typeRows.indices)
    func types(index: Int) throws {
        let row = ForgedJWTTests.typeRows[index]
        let issuer = try TestIssuer()
        defer { issuer.stop() }
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        var settings = try issuer.settings
        settings.accessTokenType = row.type
        let verifier = JWTVerifier(settings)
        let isValid = try ["JWT", "application/AT+JWT", "JWT"].map { type in
            let header = #"{"alg":"ES256","kid":"k1","typ":"\#(type)"}"#
            let jwt = try TestJWT.signed(header, TestJWT.claims(), by: try TestKeys.key(for: "ES256"), as: "ES256")
            return (try? verifier.verify(jwt, at: ForgedJWTTests.now)) != nil
        }
        #expect(isValid == row.isValid)
    }

    typealias HeaderRow = (what: String, header: String, algorithm: String, problem: JWTError)

    /// Each JWT is signed correctly with the key for the algorithm, and rejected because of its header.
    static let headerRows: [HeaderRow] = [
        ("none", #"{"alg":"none","kid":"k1"}"#, "ES256", .unsupportedAlgorithm("none")),
        ("None", #"{"alg":"None","kid":"k1"}"#, "ES256", .unsupportedAlgorithm("None")),
        ("no algorithm", #"{"kid":"k1"}"#, "ES256", .malformed),
        ("an algorithm of another type", #"{"alg":1,"kid":"k1"}"#, "ES256", .malformed),
        ("small letters", #"{"alg":"es256","kid":"k1"}"#, "ES256", .unsupportedAlgorithm("es256")),
        ("an unsupported algorithm", #"{"alg":"ES256K","kid":"k1"}"#, "ES256", .unsupportedAlgorithm("ES256K")),
        ("SHA-512 over P-256", #"{"alg":"ES512","kid":"k1"}"#, "ES256", .unsupportedAlgorithm("ES512")),
        ("another curve", #"{"alg":"ES384","kid":"k1"}"#, "ES256", .wrongSignature),
        ("a PKCS #1 signature with PSS in the header", #"{"alg":"PS256","kid":"k1"}"#, "RS256", .wrongSignature),
        ("a PSS signature with PKCS #1 in the header", #"{"alg":"RS256","kid":"k1"}"#, "PS256", .wrongSignature),
        ("another hash", #"{"alg":"RS512","kid":"k1"}"#, "RS256", .wrongSignature),
        ("RSA in the header for an elliptic curve key", #"{"alg":"RS256","kid":"k1"}"#, "ES256", .wrongSignature),
        ("crit", #"{"alg":"ES256","kid":"k1","crit":["exp"],"exp":1}"#, "ES256", .unknownExtension),
        ("an empty crit", #"{"alg":"ES256","kid":"k1","crit":[]}"#, "ES256", .unknownExtension),
        ("crit of null", #"{"alg":"ES256","kid":"k1","crit":null}"#, "ES256", .unknownExtension),
        ("an unknown key", #"{"alg":"ES256","kid":"k9"}"#, "ES256", .unknownKey),
        ("a key name of another type", #"{"alg":"ES256","kid":1}"#, "ES256", .malformed),
        ("the algorithm twice", #"{"alg":"none","alg":"ES256","kid":"k1"}"#, "ES256", .malformed),
        (
            "a logout token", #"{"alg":"ES256","kid":"k1","typ":"logout+jwt"}"#, "ES256",
            .notAnAccessToken("its `typ` is `logout+jwt`")
        ),
        (
            "a security event", #"{"alg":"ES256","kid":"k1","typ":"application/secevent+jwt"}"#, "ES256",
            .notAnAccessToken("its `typ` is `secevent+jwt`")
        ),
        ("a type that is not text", #"{"alg":"ES256","kid":"k1","typ":1}"#, "ES256", .malformed),
        ("a header that is a list", #"["ES256"]"#, "ES256", .malformed),
        ("a header that is not JSON", "alg=ES256", "ES256", .malformed),
    ]

    @Test("A JWT with an unsupported or malformed header is rejected", arguments: headerRows.indices)
    func headers(index: Int) throws {
        let row = ForgedJWTTests.headerRows[index]
        try withIssuer { _, verifier in
            let jwt = try TestJWT.signed(row.header, TestJWT.claims(), by: try TestKeys.key(for: row.algorithm), as: row.algorithm)
            #expect(throws: row.problem, "\(row.what)") { try verifier.verify(jwt, at: ForgedJWTTests.now) }
        }
    }

    @Test("A JWT with an HMAC made from the public key is rejected", arguments: ["HS256", "HS384", "HS512"])
    func sharedSecret(algorithm: String) throws {
        try withIssuer { _, verifier in
            let key = try TestKeys.rsa.get()
            let body =
                TestJWT.base64URL(Array(TestJWT.header(algorithm).utf8)) + "." + TestJWT.base64URL(Array(TestJWT.claims().utf8))
            let scratch = try ScratchFolder()
            try Data(body.utf8).write(to: URL(filePath: scratch.path + "/message"))
            let hex = key.publicDER.map { String(format: "%02x", $0) }.joined()
            let mac = try OpenSSLCommand.run(
                ["dgst", "-sha\(algorithm.suffix(3))", "-mac", "HMAC", "-macopt", "hexkey:\(hex)", "-binary", "message"],
                in: scratch.path)
            #expect(throws: JWTError.unsupportedAlgorithm(algorithm)) {
                try verifier.verify(body + "." + TestJWT.base64URL(Array(mac)), at: ForgedJWTTests.now)
            }
        }
    }

    @Test("A key in the JWT header, or an address of a key, is ignored")
    func keyInTheHeader() throws {
        try withIssuer { issuer, verifier in
            let mine = try TestKeys.otherRSA.get()
            let jwk = mine.jwk.map { #""\#($0)":"\#($1)""# }.joined(separator: ",")
            let header = #"{"alg":"RS256","kid":"k1","jwk":{\#(jwk)},"jku":"\#(issuer.address)/mine","x5u":"\#(issuer.address)/x"}"#
            let jwt = try TestJWT.signed(header, TestJWT.claims(), by: mine, as: "RS256")
            #expect(throws: JWTError.wrongSignature) { try verifier.verify(jwt, at: ForgedJWTTests.now) }
            #expect(try issuer.requests() == ["/keys"])
        }
    }

    @Test("A JWT with a changed, missing, re-encoded or additional part is rejected")
    func changedText() throws {
        try withIssuer { _, verifier in
            let jwt = try TestJWT.make()
            #expect(try verifier.verify(jwt, at: ForgedJWTTests.now).subject == "user:ann")
            let parts = jwt.split(separator: ".").map(String.init)
            let others = [
                "", ".", "..", parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".", jwt + ".", "." + jwt, jwt + ".AAAA",
                jwt + "=", jwt + "\n", " " + jwt, parts[0] + "=." + parts[1] + "." + parts[2], jwt.replacing(".", with: ".."),
                parts[1] + "." + parts[0] + "." + parts[2], jwt + "A", parts[0] + "." + parts[1] + ".AAAA",
            ]
            for other in others {
                #expect(throws: JWTError.self, "\(other)") { try verifier.verify(other, at: ForgedJWTTests.now) }
            }
            // Replaces each letter with the next one in the alphabet. This changes the last bit, which has no meaning at the end of
            // the signature.
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_A")
            let letters = Array(jwt)
            for (index, letter) in letters.enumerated() {
                guard let place = alphabet.firstIndex(of: letter) else { continue }
                var changed = letters
                changed[index] = alphabet[place + 1]
                #expect(throws: JWTError.self, "letter \(index)") { try verifier.verify(String(changed), at: ForgedJWTTests.now) }
            }
        }
    }

    @Test("A JWT with a duplicate claim is rejected")
    func claimTwice() throws {
        try withIssuer { _, verifier in
            let claims = TestJWT.claims().dropLast() + #","sub":"root"}"#
            let jwt = try TestJWT.signed(TestJWT.header("ES256"), String(claims), by: try TestKeys.p256.get(), as: "ES256")
            #expect(throws: JWTError.malformed) { try verifier.verify(jwt, at: ForgedJWTTests.now) }
        }
    }

    @Test("A JWT over the length limit is rejected before any key is fetched")
    func tooLong() throws {
        try withIssuer { issuer, verifier in
            let jwt = try TestJWT.make(claims: ["pad": .string(String(repeating: "x", count: 8_192))])
            #expect(throws: JWTError.tooLong(byteCount: jwt.utf8.count)) { try verifier.verify(jwt, at: ForgedJWTTests.now) }
            #expect(try issuer.requests().isEmpty)
        }
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    init(booleanLiteral value: Bool) { self = .bool(value) }
}
