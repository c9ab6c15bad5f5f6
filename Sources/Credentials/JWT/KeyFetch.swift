internal import Events
internal import NetworkClient

/// Brings an issuer's keys, by way of what it says about itself where no address was given.
struct KeyFetch {
    let settings: IssuerSettings

    func run() throws(IssuerFetchError) -> (keys: JSONWebKeys, cacheControl: String?) {
        let begin = ContinuousClock.now
        let address =
            if let given = settings.jwksAddress { given } else {
                try IssuerDocument.fetch(settings, timeoutSeconds: settings.fetchSeconds).keysAddress()
            }
        let remaining = settings.fetchSeconds - Int((ContinuousClock.now - begin).components.seconds)
        guard remaining > 0 else { throw IssuerFetchError("`\(settings.issuer)` took all the time to say where they are") }
        let response = try IssuerDocument.get(address, timeoutSeconds: remaining)
        // An answer without a key that can be used is a mistake at the issuer; what was known is worth more.
        guard let keys = JSONWebKeys(response.body), !keys.isEmpty else {
            throw IssuerFetchError("`\(address)` answers with no set of keys")
        }
        return (keys, response.header("Cache-Control"))
    }
}
