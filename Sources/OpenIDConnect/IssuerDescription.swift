internal import Credentials
internal import Events
internal import Identity
internal import NetworkClient
internal import Synchronization

/// What is needed of what an issuer says about itself.
struct IssuerDescription: Sendable {
    let authorizationEndpoint: HTTPAddress
    let tokenEndpoint: HTTPAddress
    /// Whether it always says who it is when it sends people back (RFC 9207).
    let namesItself: Bool

    init(_ document: IssuerDocument) throws(IssuerFetchError) {
        authorizationEndpoint = try document.address("authorization_endpoint")
        tokenEndpoint = try document.address("token_endpoint")
        namesItself = document.members["authorization_response_iss_parameter_supported"] == .bool(true)
    }
}

/// The description of an issuer, asked for again from time to time, and not more often.
final class DescribedIssuer: Sendable {
    /// How long a description is taken as it is, in seconds.
    private static let freshSeconds: Int64 = 3_600
    /// The time from a look that failed to the next, in seconds.
    private static let retrySeconds: Int64 = 5

    private struct Known {
        var description: IssuerDescription?
        var failure = ""
        var nextLook = Instant.distantPast
    }

    private let settings: IssuerSettings
    /// Held while the issuer is asked: others wait for what that brings.
    private let known = Mutex(Known())

    init(_ settings: IssuerSettings) { self.settings = settings }

    /// What the issuer says about itself. Blocks for as long as a request may take where it has to be asked.
    ///
    /// - Throws: ``ProviderProblem/unavailable(_:)`` where it never answered as it should.
    func description(at now: Instant) throws(ProviderProblem) -> IssuerDescription {
        let (description, failure) = known.withLock { known in
            // A clock that was set back must not keep anybody waiting for it.
            let isFar = known.nextLook > now.advanced(bySeconds: DescribedIssuer.freshSeconds)
            if now >= known.nextLook || isFar {
                let began = ContinuousClock.now
                known.nextLook = now.advanced(bySeconds: DescribedIssuer.freshSeconds)
                do throws(IssuerFetchError) {
                    known.description = try IssuerDescription(try IssuerDocument.fetch(settings))
                } catch {
                    // What was known is worth more than nothing.
                    known.failure = error.description
                    // Counted from the end: otherwise each of those who waited meanwhile would ask again, one behind the other.
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
