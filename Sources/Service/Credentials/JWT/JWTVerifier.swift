public import Events
internal import Hashing
internal import NetworkClient
internal import Synchronization

/// Verifies the JWTs of one issuer with its published keys.
///
/// Keys are fetched when they are first needed, when they expire, and when a JWT names an unknown key. They are fetched at most
/// once in 30 seconds (5 seconds without any keys), so that clients cannot make the service call the issuer too often. All callers
/// that wait for keys wait for the same fetch. A JWT with invalid claims causes no fetch.
public final class JWTVerifier: Sendable {
    private let settings: IssuerSettings
    private let rules: ClaimRules
    private let accessTokens: AccessTokenRules
    private let report: @Sendable (String) -> Void
    private let cache = Mutex(KeyCache())
    /// Held by the thread that fetches; others wait for its result.
    private let fetching = Mutex(())

    /// Creates a verifier without fetching keys.
    ///
    /// - Parameters:
    ///   - settings: the issuer.
    ///   - report: receives the reason if keys cannot be fetched: when the reason changes, and otherwise at most once a minute.
    public init(_ settings: IssuerSettings, report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.settings = settings
        self.report = report
        rules = ClaimRules(issuer: settings.issuer, audience: settings.audience)
        accessTokens = AccessTokenRules(settings.accessTokenType)
    }

    /// Verifies an access token with the cached keys. Does not block.
    ///
    /// - Parameters:
    ///   - text: the JWT as it was sent, at most 8,192 bytes.
    ///   - now: the time of the check; clocks may differ by a minute.
    /// - Returns: the user, or nil if keys must be fetched first: then call ``verify(_:at:)`` on a thread that may block.
    /// - Throws: ``JWTError`` if the JWT is invalid.
    public func verifyCached(_ text: String, at now: Instant) throws(JWTError) -> VerifiedClaims? {
        guard let jwt = try checkCached(text, at: now) else { return nil }
        return try claims(ofAccessToken: jwt)
    }

    private func checkCached(_ text: String, at now: Instant) throws(JWTError) -> CheckedJWT? {
        let jwt = try CompactJWT(text)
        switch cache.withLock({ $0.decide(keyID: jwt.keyID, algorithm: jwt.algorithm, at: now) }) {
        case .fetch:
            // With invalid claims, the result does not depend on the keys, so they are not fetched.
            _ = try rules.check(jwt, at: now)
            return nil
        case .refuse(let problem):
            _ = try rules.check(jwt, at: now)
            throw problem
        case .use(let key): return try check(jwt, with: key, at: now)
        }
    }

    /// Verifies an access token, and fetches the issuer's keys if needed. Blocks for at most ``IssuerSettings/fetchSeconds``.
    ///
    /// - Parameters:
    ///   - text: the JWT as it was sent, at most 8,192 bytes.
    ///   - now: the time of the check; clocks may differ by a minute. It is evaluated again after each wait.
    /// - Throws: ``JWTError`` if the JWT is invalid, or if the keys to verify it are missing.
    public func verify(_ text: String, at now: @autoclosure () -> Instant) throws(JWTError) -> VerifiedClaims {
        try claims(ofAccessToken: try check(text, at: now()))
    }

    private func claims(ofAccessToken jwt: CheckedJWT) throws(JWTError) -> VerifiedClaims {
        try accessTokens.check(jwt)
        return try VerifiedClaims(jwt, settings.userPrefix)
    }

    /// Verifies a JWT as ``verify(_:at:)`` does, and returns all of its claims. Its subject need not be a valid user name, and it
    /// may be another JWT than an access token.
    public func check(_ text: String, at now: @autoclosure () -> Instant) throws(JWTError) -> CheckedJWT {
        if let jwt = try checkCached(text, at: now()) { return jwt }
        fetching.withLock { _ in
            // Another thread's fetch may have added the key, or may have failed a moment ago.
            guard let jwt = try? CompactJWT(text),
                case .fetch = cache.withLock({ $0.decide(keyID: jwt.keyID, algorithm: jwt.algorithm, at: now()) })
            else { return }
            fetchKeys(now)
        }
        guard let jwt = try checkCached(text, at: now()) else {
            throw .keysUnavailable("the clock was changed during the request")
        }
        return jwt
    }

    private func check(_ jwt: CompactJWT, with key: VerificationKey, at now: Instant) throws(JWTError) -> CheckedJWT {
        guard key.verifies(jwt.signature, of: jwt.signedBytes, by: jwt.algorithm.scheme) else { throw .wrongSignature }
        return try rules.check(jwt, at: now)
    }

    private func fetchKeys(_ now: () -> Instant) {
        cache.withLock { $0.begin() }
        do throws(IssuerFetchError) {
            let (keys, cacheControl) = try JSONWebKeys.fetch(settings)
            cache.withLock { $0.fetched(keys, cacheControl: cacheControl, at: now()) }
        } catch {
            // The interval until the next attempt starts at the end of this one.
            guard cache.withLock({ $0.failed(error.description, at: now()) }) else { return }
            report("the keys of the issuer `\(settings.issuer)` are not available: \(error)")
        }
    }
}
