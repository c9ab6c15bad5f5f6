package import Events
import Foundation
import TestSupport

/// Builds JWTs from their parts, so that a test can make any invalid JWT.
package enum TestJWT {
    package static let issuer = "http://127.0.0.1/issuer"
    package static let audience = "muniment"

    /// Claims that are valid on 2026-01-01, with some replaced; nil removes a claim.
    package static func claims(_ changes: [String: JSONValue?] = [:]) -> String {
        let now = Instant.newYear.microseconds / 1_000_000
        var members: JSONObject = [
            "iss": .string(issuer), "aud": .string(audience), "sub": "ann", "exp": .integer(now + 600), "iat": .integer(now),
        ]
        for (name, value) in changes { members[name] = value }
        var writer = JSONWriter()
        writer.write(.object(members))
        return writer.text
    }

    package static func header(_ algorithm: String, keyID: String? = "k1") -> String {
        #"{"alg":"\#(algorithm)","# + (keyID.map { #""kid":"\#($0)","# } ?? "") + #""typ":"JWT"}"#
    }

    /// Returns a JWT with a header and claims as texts, signed with a key.
    package static func signed(_ header: String, _ claims: String, by key: TestKey, as algorithm: String) throws -> String {
        let body = base64URL(Array(header.utf8)) + "." + base64URL(Array(claims.utf8))
        return body + "." + base64URL(try key.sign(Array(body.utf8), algorithm))
    }

    /// Returns a valid JWT with these changes.
    package static func make(
        _ algorithm: String = "ES256", keyID: String? = "k1", claims changes: [String: JSONValue?] = [:], key: TestKey? = nil
    ) throws -> String {
        try signed(
            header(algorithm, keyID: keyID), claims(changes), by: try key ?? TestKeys.key(for: algorithm), as: algorithm)
    }

    package static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns a key set with additional members for each key.
    package static func keySet(_ keys: [(key: TestKey, members: [String: String])]) -> String {
        let items = keys.map { key, members in
            let all = key.jwk.merging(members) { $1 }
            return "{" + all.map { #""\#($0)":"\#($1)""# }.joined(separator: ",") + "}"
        }
        return #"{"keys":["# + items.joined(separator: ",") + "]}"
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}
