package import Events
package import Identity
package import IssuerSupport
package import OpenIDConnect
import TestSupport

/// An OpenID provider with ID tokens that a test builds. It records the requests that it receives.
package final class HostileProvider {
    package static let clientID = "muniment-client"
    package static let redirect = "https://app.example.com/back"

    package let server: TestIssuer
    private let key: TestKey
    package let provider: OpenIDProvider

    private struct NotBegun: Error {}

    /// - Parameters:
    ///   - id: the name that the service uses for the provider.
    ///   - clientSecret: the secret that the service sends to authenticate; nil for none.
    ///   - trustsEmail: whether the service trusts the provider's statements about emails.
    ///   - namesItself: whether the provider declares that it names itself in every authorization response.
    ///   - redirects: the redirect URIs that the service allows.
    ///   - attemptLimit: the limit of pending attempts.
    package init(
        id: String = "acme", clientSecret: String? = nil, trustsEmail: Bool = true, namesItself: Bool = false,
        redirects: [String] = [HostileProvider.redirect, "com.example.app:/back"], attemptLimit: Int = 100
    ) throws {
        (server, key) = (try TestIssuer(), try TestKeys.p256.get())
        let settings = try OpenIDSettings(
            id: ProviderID(id) ?? .password, issuer: server.address, clientID: HostileProvider.clientID,
            clientSecret: clientSecret, redirectURIs: redirects, trustsEmail: trustsEmail)
        provider = OpenIDProvider(settings, attemptLimit: attemptLimit)
        try server.serve(
            """
            {"issuer":"\(server.address)","authorization_endpoint":"\(server.address)/authorize?theme=dark",
            "token_endpoint":"\(server.address)/token","jwks_uri":"\(server.keysAddress)",
            "authorization_response_iss_parameter_supported":\(namesItself)}
            """, at: ".well-known/openid-configuration")
        try server.serve(keys: [(key, ["kid": "k1"])])
    }

    package var issuer: String { server.address }

    /// An attempt, and the parameters of its authorization URL.
    package struct Attempt: Sendable {
        package let secret: String
        package let fields: [String: String]

        package init(secret: String, fields: [String: String]) { (self.secret, self.fields) = (secret, fields) }

        /// The evidence that returns to the service, with these changes; nil removes a member.
        package func evidence(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
            var members: JSONObject = [
                "attempt": .string(secret), "code": .string("code-1"), "state": .string(fields["state"] ?? ""),
                "redirectURI": .string(fields["redirect_uri"] ?? ""),
            ]
            for (name, value) in changes { members[name] = value }
            return members
        }
    }

    package func begin(_ request: JSONObject = [:], at now: Instant = .newYear) throws -> Attempt {
        var request = request
        if request["redirectURI"] == nil { request["redirectURI"] = .string(HostileProvider.redirect) }
        guard case .object(let answer)? = try provider.begin(request, at: now).map(JSONValue.object),
            case .string(let secret)? = answer["attempt"], case .string(let address)? = answer["authorizationURL"]
        else { throw NotBegun() }
        return Attempt(secret: secret, fields: FormFields.query(of: address))
    }

    /// Makes the provider answer the next codes with a valid ID token for an attempt, with these changes to its claims.
    package func answer(
        _ attempt: Attempt, _ changes: [String: JSONValue?] = [:], header: String = TestJWT.header("ES256"), key: TestKey? = nil,
        algorithm: String = "ES256"
    ) throws {
        var claims: [String: JSONValue?] = [
            "iss": .string(issuer), "aud": .string(HostileProvider.clientID), "nonce": .string(attempt.fields["nonce"] ?? ""),
            "email": "ann@example.org", "email_verified": .bool(true), "name": "Ann",
        ]
        for (name, value) in changes { claims[name] = value }
        try serve(try TestJWT.signed(header, TestJWT.claims(claims), by: key ?? self.key, as: algorithm))
    }

    package func serve(_ idToken: String) throws {
        try server.serve(#"{"access_token":"a","token_type":"Bearer","id_token":"\#(idToken)"}"#, at: "token")
    }

    package func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose = .recognition, at now: Instant = .newYear
    ) throws(ProviderError) -> VerifiedIdentity {
        try provider.authenticate(evidence, for: purpose, at: now) { _ in nil }
    }
}
