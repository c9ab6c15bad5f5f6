internal import Events
internal import HTTPClient

/// Why keys could not be fetched, for logs.
struct KeyFetchError: Error {
    let why: String
}

/// Brings an issuer's keys, by way of what it says about itself where no address was given.
struct KeyFetch {
    let settings: IssuerSettings

    func run() throws(KeyFetchError) -> (keys: JSONWebKeys, cacheControl: String?) {
        let address = if let given = settings.jwksAddress { given } else { try discover() }
        let response = try get(address)
        // An answer without a key that can be used is a mistake at the issuer; what was known is worth more.
        guard let keys = JSONWebKeys(response.body), !keys.isEmpty else {
            throw KeyFetchError(why: "`\(address)` answers with no set of keys")
        }
        return (keys, response.cacheControl)
    }

    private func discover() throws(KeyFetchError) -> HTTPAddress {
        guard let address = settings.discoveryAddress else {
            throw KeyFetchError(why: "`\(settings.issuer)` leads to no address for what it says about itself")
        }
        let response = try get(address)
        guard case .object(let members)? = try? JSONText.decode(response.body) else {
            throw KeyFetchError(why: "`\(address)` answers with no JSON object")
        }
        // Otherwise it would be another issuer whose keys are taken.
        guard let issuer = members.text("issuer"), ExactText(issuer) == ExactText(settings.issuer) else {
            throw KeyFetchError(why: "`\(address)` speaks for another issuer")
        }
        guard let keys = members.text("jwks_uri").flatMap(settings.keysAddress) else {
            throw KeyFetchError(why: "`\(address)` gives no address for keys that can be taken")
        }
        return keys
    }

    private func get(_ address: HTTPAddress) throws(KeyFetchError) -> HTTPClientResponse {
        var request = HTTPClientRequest(address)
        request.headers = [("Accept", "application/json")]
        let response: HTTPClientResponse
        do throws(HTTPClientError) { response = try HTTPClient.send(request) } catch { throw KeyFetchError(why: "\(error)") }
        guard response.status == 200 else { throw KeyFetchError(why: "`\(address)` answers \(response.status)") }
        return response
    }
}
