internal import Credentials
internal import Identity
internal import NetworkClient
internal import Primitives
internal import Synchronization

/// The required parts of an issuer's metadata.
struct IssuerDescription: Sendable {
    let authorizationEndpoint: HTTPAddress
    let tokenEndpoint: HTTPAddress
    /// Whether the issuer always sends its identifier in the redirect (RFC 9207).
    let namesItself: Bool
    /// Whether the service may call endpoints at addresses of this machine or of private networks.
    let allowsPrivateEndpoints: Bool

    init(_ document: IssuerDocument) throws(IssuerFetchError) {
        authorizationEndpoint = try document.address("authorization_endpoint")
        tokenEndpoint = try document.address("token_endpoint")
        allowsPrivateEndpoints = document.allowsPrivateEndpoints
        namesItself = document.members["authorization_response_iss_parameter_supported"] == .bool(true)
    }
}

/// The metadata of an issuer, cached and refreshed at limited intervals.
final class DescribedIssuer: Sendable {
    /// How long the metadata stays fresh, in seconds.
    private static let freshSeconds: Int64 = 3_600
    /// The delay after a failed request, in seconds.
    private static let retrySeconds: Int64 = 5

    private struct Known {
        var description: IssuerDescription?
        var failure = ""
        var nextLook = Instant.distantPast
    }

    private let settings: IssuerSettings
    /// Locked during the request: other callers wait for its result.
    private let known = Mutex(Known())

    init(_ settings: IssuerSettings) { self.settings = settings }

    /// Returns the metadata of the issuer. If a request is needed, blocks for at most the request timeout.
    ///
    /// - Throws: ``ProviderError/unavailable(_:)`` if the issuer never sent a valid response.
    func description(at now: Instant) throws(ProviderError) -> IssuerDescription {
        let (description, failure) = known.withLock { known in
            // If the clock was set back, callers must not wait until it catches up.
            let isFar = known.nextLook > now.advanced(bySeconds: DescribedIssuer.freshSeconds)
            if now >= known.nextLook || isFar {
                let began = ContinuousClock.now
                known.nextLook = now.advanced(bySeconds: DescribedIssuer.freshSeconds)
                do throws(IssuerFetchError) {
                    known.description = try IssuerDescription(try IssuerDocument.fetch(settings))
                } catch {
                    // After a failure, the old metadata remains in use.
                    known.failure = error.description
                    // The delay starts at the end of the request. Otherwise each waiting caller would send another request in turn.
                    let tookSeconds = (ContinuousClock.now - began).components.seconds + 1
                    known.nextLook = now.advanced(bySeconds: tookSeconds + DescribedIssuer.retrySeconds)
                }
            }
            return (known.description, known.failure)
        }
        guard let description else { throw .unavailable(failure) }
        return description
    }
}
