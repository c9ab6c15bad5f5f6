import Credentials
import Events
import IssuerSupport
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: a user of the issuer who calls with JWTs that are not access tokens")
struct ConfusedJWTTests {
    private static let check = #"{"subject":"user:ann","privilege":"read","object":"doc:1"}"#
    private static let administers = #"{"do":[{"op":"defineClass","class":"doc"}]}"#

    @Test(
        "ID, logout and refresh tokens, key-bound tokens and the subject root are answered 401; an access token is accepted"
    )
    func refused() async throws {
        let issuer = try TestIssuer()
        defer { issuer.stop() }
        try issuer.serve(keys: [(try TestKeys.p256.get(), ["kid": "k1"])])
        let believed = try issuer.settings
        try await withListeners {
            $0.callers.issuer = believed
        } _: { fixture in
            let curl = try fixture.live()
            func status(_ changes: [String: JSONValue?], type: String = "JWT") async throws -> [Int] {
                let header = #"{"alg":"ES256","kid":"k1","typ":"\#(type)"}"#
                let jwt = try TestJWT.signed(
                    header, TestJWT.claims(changes), by: try TestKeys.key(for: "ES256"), as: "ES256")
                let asked = try await curl.send("POST", "/v1/stores/default/check", token: jwt, json: Self.check)
                let written = try await curl.send("POST", "/v1/stores/default/transactions", token: jwt, json: Self.administers)
                return [asked.status, written.status]
            }
            let logout: JSONValue = .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])])
            #expect(try await status([:]) == [200, 403])
            #expect(try await status(["sub": "root"]) == [401, 401])
            #expect(try await status(["nonce": "n"]) == [401, 401])
            #expect(try await status(["at_hash": "h"]) == [401, 401])
            #expect(try await status(["events": logout]) == [401, 401])
            #expect(try await status([:], type: "logout+jwt") == [401, 401])
            #expect(try await status(["typ": "Refresh"]) == [401, 401])
            #expect(try await status(["token_use": "id"]) == [401, 401])
            #expect(try await status(["token_use": "refresh"]) == [401, 401])
            #expect(try await status(["token_use": "access"]) == [200, 403])
            #expect(try await status(["cnf": .object(["jkt": "a"])]) == [401, 401])
            let marked = try TestJWT.signed(
                TestJWT.header("ES256"), "\u{FEFF}" + TestJWT.claims(), by: try TestKeys.key(for: "ES256"), as: "ES256")
            #expect(try await curl.send("POST", "/v1/stores/default/check", token: marked, json: Self.check).status == 401)
            #expect(try await status(["cnf": .object(["jkt": "a"])], type: "at+jwt") == [401, 401])
            // After the first token with a type, tokens without a type are refused.
            #expect(try await status([:], type: "at+jwt") == [200, 403])
            #expect(try await status([:]) == [401, 401])
        }
    }
}
