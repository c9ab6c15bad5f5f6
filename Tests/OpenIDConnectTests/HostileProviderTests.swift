import Events
import Foundation
import Hashing
import IdentitySupport
import IssuerSupport
import OpenIDConnect
import TestSupport
import Testing

@testable import Identity

@Suite("I2 OpenID Connect: only the response to an attempt proves a user")
struct HostileProviderTests {
    @Test("A valid response proves one user, identified by issuer and subject")
    func good() throws {
        let acme = try HostileProvider()
        let attempt = try acme.begin()
        try acme.answer(attempt)
        let proof = try acme.authenticate(attempt.evidence(["iss": .string(acme.issuer)]))
        #expect(proof.key.bytes == Array(acme.issuer.utf8) + [0] + Array("ann".utf8))
        #expect(proof.email?.address == EmailAddress("ann@example.org"))
        #expect(proof.email?.isVerified == true)
        #expect(proof.profile == Profile(displayName: "Ann"))
        #expect(proof.label == "ann@example.org")
        #expect(try proof.authenticatedAt == Instant("0001-01-01T00:00:00Z"), "the provider did not report the time")
    }

    @Test("The authorization request uses PKCE, state and nonce, and the token request uses the verifier and Basic authentication")
    func exchange() throws {
        let acme = try HostileProvider(clientSecret: "se:cr et")
        let attempt = try acme.begin()
        #expect(attempt.fields["response_type"] == "code")
        #expect(attempt.fields["theme"] == "dark")
        #expect(attempt.fields["client_id"] == HostileProvider.clientID)
        #expect(attempt.fields["redirect_uri"] == HostileProvider.redirect)
        #expect(attempt.fields["scope"] == "openid email profile")
        #expect(attempt.fields["code_challenge_method"] == "S256")
        #expect(attempt.fields["prompt"] == nil)
        try acme.answer(attempt)
        _ = try acme.server.requests()
        _ = try acme.authenticate(attempt.evidence())
        let request = try #require(try acme.server.requests().first)
        let parts = request.split(separator: " ").map(String.init)
        #expect(parts[0] == "/token")
        #expect(parts[1...2].joined(separator: " ") == "Basic " + Data("muniment-client:se%3Acr%20et".utf8).base64EncodedString())
        let form = FormFields.fields(of: parts[3])
        #expect(form["grant_type"] == "authorization_code")
        #expect(form["code"] == "code-1")
        #expect(form["redirect_uri"] == HostileProvider.redirect)
        let verifier = try #require(form["code_verifier"])
        #expect(verifier.utf8.count == 43)
        #expect(TestJWT.base64URL(Digest(of: Array(verifier.utf8).span).bytes) == attempt.fields["code_challenge"])
        #expect(form["client_id"] == nil)
        #expect(form["client_secret"] == nil)
    }

    @Test("A client without a secret sends its ID in the form, and no Authorization header")
    func publicClient() throws {
        let acme = try HostileProvider()
        let attempt = try acme.begin()
        try acme.answer(attempt)
        _ = try acme.server.requests()
        _ = try acme.authenticate(attempt.evidence())
        let request = try #require(try acme.server.requests().first)
        #expect(request.hasPrefix("/token - "))
        #expect(FormFields.fields(of: String(request.split(separator: " ")[2]))["client_id"] == HostileProvider.clientID)
    }

    private static let seconds = Instant.newYear.microseconds / 1_000_000

    @Test(
        "An ID token that is not for this attempt is rejected, even with a valid signature",
        arguments: [
            ["aud": .string("another-client")], ["aud": .array([.string("another-client")])], ["aud": nil],
            ["aud": .array([.string(HostileProvider.clientID), .string("another-client")])],
            [
                "aud": .array([.string(HostileProvider.clientID), .string("another-client")]), "azp": .string("another-client"),
            ],
            ["azp": .string("another-client")], ["iss": .string("https://other.example.com")], ["iss": nil],
            ["nonce": .string("another")], ["nonce": nil], ["exp": .integer(seconds - 61)], ["exp": nil],
            ["iat": .integer(seconds + 61)], ["iat": .integer(seconds - 61)], ["iat": nil], ["nbf": .integer(seconds + 61)],
            ["sub": nil], ["sub": .string("")], ["sub": .integer(1)], ["sub": .string(String(repeating: "a", count: 256))],
            ["auth_time": .string("now")],
        ] as [[String: JSONValue?]])
    func claims(changes: [String: JSONValue?]) throws {
        let acme = try HostileProvider()
        let attempt = try acme.begin()
        try acme.answer(attempt, changes)
        #expect(throws: ProviderError.wrong) { try acme.authenticate(attempt.evidence()) }
    }

    @Test("Several audiences are accepted if `azp` names this service")
    func authorizedParty() throws {
        let acme = try HostileProvider()
        let attempt = try acme.begin()
        let audiences = [JSONValue.string(HostileProvider.clientID), .string("api")]
        try acme.answer(attempt, ["aud": .array(audiences), "azp": .string(HostileProvider.clientID)])
        #expect(try acme.authenticate(attempt.evidence()).label == "ann@example.org")
    }

    @Test("A token that is unsigned, or signed with another key or the client secret, is rejected")
    func signatures() throws {
        let acme = try HostileProvider(clientSecret: "secret")
        for header in [TestJWT.header("none"), TestJWT.header("HS256"), TestJWT.header("ES256", keyID: "k2")] {
            let attempt = try acme.begin()
            try acme.answer(attempt, header: header)
            #expect(throws: ProviderError.wrong) { try acme.authenticate(attempt.evidence()) }
        }
        let attempt = try acme.begin()
        try acme.answer(attempt, key: try TestKey(.p256))
        #expect(throws: ProviderError.wrong) { try acme.authenticate(attempt.evidence()) }
    }

    @Test("I7 A reauthentication requests a new sign-in, and rejects an earlier sign-in or another user")
    func reauthentication() throws {
        let acme = try HostileProvider()
        let key = IdentityKey(Array(acme.issuer.utf8) + [0] + Array("ann".utf8))
        let purpose = AuthenticationPurpose.reauthentication(
            of: LinkedIdentity(provider: acme.provider.id, key: key, label: nil, linkedAt: .newYear))
        func attempt(_ claims: [String: JSONValue?], asksAnew: Bool = true) throws -> JSONObject {
            let attempt = try acme.begin(asksAnew ? ["purpose": "reauthenticate"] : [:])
            #expect(attempt.fields["prompt"] == (asksAnew ? "login" : nil))
            #expect(attempt.fields["max_age"] == (asksAnew ? "0" : nil))
            try acme.answer(attempt, claims)
            return attempt.evidence()
        }
        let fresh: [String: JSONValue?] = ["auth_time": .integer(HostileProviderTests.seconds)]
        #expect(try acme.authenticate(try attempt(fresh), for: purpose).authenticatedAt == .newYear)
        let silent = try attempt([:])
        #expect(throws: ProviderError.wrong) { try acme.authenticate(silent, for: purpose) }
        let stale = try attempt(["auth_time": .integer(HostileProviderTests.seconds - 61)])
        #expect(throws: ProviderError.wrong) { try acme.authenticate(stale, for: purpose) }
        let notAsked = try attempt(fresh, asksAnew: false)
        #expect(throws: ProviderError.wrong) { try acme.authenticate(notAsked, for: purpose) }
        let other = try attempt(["sub": "bob", "auth_time": .integer(HostileProviderTests.seconds)])
        #expect(throws: ProviderError.wrong) { try acme.authenticate(other, for: purpose) }
    }

    @Test("A sign-in has the time that the provider reports, but never a time in the future")
    func authTime() throws {
        let acme = try HostileProvider()
        for (offset, expected) in [(-4_000, Instant.newYear.later(seconds: -4_000)), (4_000, Instant.newYear)] as [(Int64, Instant)]
        {
            let attempt = try acme.begin()
            try acme.answer(attempt, ["auth_time": .integer(HostileProviderTests.seconds + offset)])
            #expect(try acme.authenticate(attempt.evidence()).authenticatedAt == expected)
        }
    }

    @Test("An email counts only if the provider is trusted with emails and reports it as verified")
    func emails() throws {
        for (trustsEmail, verified, counts) in [
            (true, JSONValue.bool(true), true), (true, .bool(false), false), (true, .string("true"), false), (true, nil, false),
            (false, .bool(true), false),
        ] as [(Bool, JSONValue?, Bool)] {
            let acme = try HostileProvider(trustsEmail: trustsEmail)
            let attempt = try acme.begin()
            try acme.answer(attempt, ["email_verified": verified])
            #expect(try acme.authenticate(attempt.evidence()).verifiedAddress == (counts ? EmailAddress("ann@example.org") : nil))
        }
    }
}
