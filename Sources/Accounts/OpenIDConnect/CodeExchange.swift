internal import Identity
internal import NetworkClient
internal import Primitives
internal import Secrets

/// Exchanges an authorization code for an ID token (OpenID Connect Core 1.0, section 3.1.3).
struct CodeExchange {
    let settings: OpenIDSettings
    let tokenEndpoint: HTTPAddress
    /// Whether the token endpoint may have an address of this machine or of a private network.
    let allowsPrivateEndpoints: Bool

    /// - Returns: the unverified ID token.
    /// - Throws: ``ProviderError/wrong`` if the provider rejects the code, and ``ProviderError/unavailable(_:)`` if its
    ///   response is missing or invalid.
    func idToken(code: String, of attempt: AuthorizationAttempt) throws(ProviderError) -> String {
        var request = HTTPClientRequest(tokenEndpoint)
        request.refusesPrivateAddresses = !allowsPrivateEndpoints
        request.headers = [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")]
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", attempt.redirectURI),
            ("code_verifier", attempt.verifier),
        ]
        if let secret = settings.clientSecret {
            // Both are escaped first: RFC 6749, section 2.3.1.
            let pair = settings.clientID.percentEncoded + ":" + secret.percentEncoded
            request.headers.append(("Authorization", "Basic " + Base64.encode(Array(pair.utf8))))
        } else {
            fields.append(("client_id", settings.clientID))
        }
        request.body = Array(FormText.make(fields).utf8)
        let response: HTTPClientResponse
        do throws(HTTPClientError) { response = try HTTPClient.send(request) } catch { throw .unavailable("\(error)") }
        let answer = try? JSONText.decode(response.body)
        switch response.status {
        case 200:
            guard case .string(let token)? = answer?["id_token"] else {
                throw .unavailable("the response of `\(tokenEndpoint)` has no `id_token`")
            }
            return token
        case 400 where answer?["error"] == .string("invalid_grant"): throw .wrong
        case let status:
            // Other text of the provider may contain personal data and is not reported. The error is one of a few known words.
            var error = "an unknown error"
            if case .string(let text)? = answer?["error"], CodeExchange.errors.contains(text) { error = "`\(text)`" }
            throw .unavailable(
                "`\(tokenEndpoint)` returned status \(status) and \(error) for a code: check client, secret and redirect addresses")
        }
    }

    /// RFC 6749, section 5.2.
    private static let errors: Set = [
        "invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
    ]
}
