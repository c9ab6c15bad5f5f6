public import Events
public import NetworkClient

/// The metadata of an issuer (OpenID Connect Discovery 1.0, section 3).
public struct IssuerDocument: Sendable {
    /// All members.
    public let members: JSONObject
    private let settings: IssuerSettings
    private let address: HTTPAddress
    /// Whether its endpoints may have addresses of this machine or of private networks.
    public let allowsPrivateEndpoints: Bool

    /// - Parameter isFromPrivateAddress: whether the metadata came from an address of this machine or of a private network.
    package init(members: JSONObject, settings: IssuerSettings, address: HTTPAddress, isFromPrivateAddress: Bool) {
        (self.members, self.settings, self.address) = (members, settings, address)
        allowsPrivateEndpoints = isFromPrivateAddress || settings.allowsPrivateEndpoints
    }

    /// Fetches the metadata from the issuer. Blocks for as long as the request takes.
    ///
    /// - Parameters:
    ///   - settings: the issuer.
    ///   - timeoutSeconds: the timeout of the request.
    /// - Throws: ``IssuerFetchError`` if the issuer does not respond, or the metadata belongs to another issuer.
    public static func fetch(_ settings: IssuerSettings, timeoutSeconds: Int = 10) throws(IssuerFetchError) -> IssuerDocument {
        guard let address = settings.discoveryAddress else {
            throw IssuerFetchError("`\(settings.issuer)` gives no valid address for its discovery document")
        }
        let response = try get(address, timeoutSeconds: timeoutSeconds)
        guard case .object(let members)? = try? JSONText.decode(response.body) else {
            throw IssuerFetchError("`\(address)` did not return a JSON object")
        }
        // Without this check, another issuer would be trusted.
        guard let issuer = members.text("issuer"), ExactText(issuer) == ExactText(settings.issuer) else {
            throw IssuerFetchError("`\(address)` is the document of another issuer")
        }
        return IssuerDocument(
            members: members, settings: settings, address: address, isFromPrivateAddress: response.isFromPrivateAddress)
    }

    /// Returns an address from the metadata. An unencrypted address is accepted only from an issuer on this machine. A fragment is
    /// refused (RFC 6749, sections 3.1 and 3.2): parameters after it would not be sent.
    ///
    /// An address of this machine or of a private network is refused, unless the metadata comes from one or the settings allow it. The
    /// host may be a name: a request must have the value of ``allowsPrivateEndpoints`` too.
    ///
    /// - Parameter name: the name of the member.
    public func address(_ name: String) throws(IssuerFetchError) -> HTTPAddress {
        guard let found = members.text(name).flatMap(settings.safeAddress), !found.text.contains("#") else {
            throw IssuerFetchError("`\(address)` has no valid `\(name)`")
        }
        guard allowsPrivateEndpoints || !found.isPrivate else {
            throw IssuerFetchError(
                "`\(name)` of `\(address)` has the private address `\(found.host)`, which could be a service of this network; if it is the "
                    + "issuer's, set `allowPrivateEndpoints` for the provider, or `--jwks` for the keys")
        }
        return found
    }

    static func get(_ address: HTTPAddress, timeoutSeconds: Int, refusesPrivateAddresses: Bool = false) throws(IssuerFetchError)
        -> HTTPClientResponse
    {
        var request = HTTPClientRequest(address)
        request.headers = [("Accept", "application/json")]
        request.timeoutSeconds = timeoutSeconds
        request.refusesPrivateAddresses = refusesPrivateAddresses
        request.connectSeconds = min(request.connectSeconds, timeoutSeconds)
        let response: HTTPClientResponse
        do throws(HTTPClientError) { response = try HTTPClient.send(request) } catch { throw IssuerFetchError("\(error)") }
        guard response.status == 200 else { throw IssuerFetchError("`\(address)` returned status \(response.status)") }
        return response
    }
}

/// Why an issuer's keys or metadata could not be fetched, for logs.
public struct IssuerFetchError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

extension JSONWebKeys {
    /// Fetches an issuer's keys. Without a configured address, reads the address from the issuer's metadata.
    static func fetch(_ settings: IssuerSettings) throws(IssuerFetchError) -> (keys: JSONWebKeys, cacheControl: String?) {
        let begin = ContinuousClock.now
        var mayBePrivate = true
        let address: HTTPAddress
        if let given = settings.jwksAddress {
            address = given
        } else {
            let document = try IssuerDocument.fetch(settings, timeoutSeconds: settings.fetchSeconds)
            address = try document.address("jwks_uri")
            mayBePrivate = document.allowsPrivateEndpoints
        }
        let remaining = settings.fetchSeconds - Int((ContinuousClock.now - begin).components.seconds)
        guard remaining > 0 else { throw IssuerFetchError("`\(settings.issuer)` took too long to return the address of its keys") }
        let response = try IssuerDocument.get(address, timeoutSeconds: remaining, refusesPrivateAddresses: !mayBePrivate)
        // A response without usable keys is an error of the issuer; the known keys are kept.
        guard let keys = JSONWebKeys(response.body), !keys.isEmpty else {
            throw IssuerFetchError("`\(address)` did not return a key set")
        }
        return (keys, response.header("Cache-Control"))
    }
}
