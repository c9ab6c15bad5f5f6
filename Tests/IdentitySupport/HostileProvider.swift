package import Events
package import Identity
package import IssuerSupport
package import OpenIDConnect
import TestSupport

/// An OpenID provider whose ID tokens a test puts together by hand, and that says what it was sent.
package final class HostileProvider {
    package static let clientID = "muniment-client"
    package static let redirect = "https://app.example.com/back"

    package let server: TestIssuer
    private let key: TestKey
    package let provider: OpenIDProvider

    private struct NotBegun: Error {}

    /// - Parameters:
    ///   - id: what the service calls it.
    ///   - clientSecret: what the service shows it to be itself; nil for nothing.
    ///   - trustsEmail: whether it is believed what it says of emails.
    ///   - namesItself: whether it says that it always says who it is.
    ///   - redirects: where it may send people back to.
    ///   - attemptLimit: how many may be on their way at once.
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

    /// An attempt, and what the provider was told of it.
    package struct Attempt: Sendable {
        package let secret: String
        package let fields: [String: String]

        package init(secret: String, fields: [String: String]) { (self.secret, self.fields) = (secret, fields) }

        /// What comes back to the service, but for what is given; nil takes it out.
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

    /// Has the provider answer the next codes with a good ID token for an attempt, but for the claims that are given.
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

    package func prove(
        _ evidence: JSONObject, for purpose: ProofPurpose = .recognition, at now: Instant = .newYear
    ) throws(ProviderProblem) -> Proof {
        try provider.prove(evidence, for: purpose, at: now) { _ in nil }
    }
}
