internal import Events
internal import NetworkClient

/// Fetches an issuer's keys. Without a configured address, reads the address from the issuer's metadata.
struct KeyFetch {
    let settings: IssuerSettings

    func run() throws(IssuerFetchError) -> (keys: JSONWebKeys, cacheControl: String?) {
        let begin = ContinuousClock.now
        let address =
            if let given = settings.jwksAddress { given } else {
                try IssuerDocument.fetch(settings, timeoutSeconds: settings.fetchSeconds).keysAddress()
            }
        let remaining = settings.fetchSeconds - Int((ContinuousClock.now - begin).components.seconds)
        guard remaining > 0 else { throw IssuerFetchError("`\(settings.issuer)` took too long to return the address of its keys") }
        let response = try IssuerDocument.get(address, timeoutSeconds: remaining)
        // A response without usable keys is an error of the issuer; the known keys are kept.
        guard let keys = JSONWebKeys(response.body), !keys.isEmpty else {
            throw IssuerFetchError("`\(address)` did not return a key set")
        }
        return (keys, response.header("Cache-Control"))
    }
}
