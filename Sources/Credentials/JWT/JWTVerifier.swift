public import Events
internal import Hashing
internal import NetworkClient
internal import Synchronization

/// Checks JWTs of one issuer, by the keys that it publishes.
///
/// Keys are fetched when they are first needed, when their time is over, and when a JWT names one that is not known, but at most
/// once in 30 seconds (5 seconds while there are no keys), so that nobody can make the service call the issuer at will. All who wait
/// for keys wait for the same fetch. A JWT whose claims are refused anyway fetches nothing.
public final class JWTVerifier: Sendable {
    private let settings: IssuerSettings
    private let rules: ClaimRules
    private let accessTokens: AccessTokenRules
    private let report: @Sendable (String) -> Void
    private let cache = Mutex(KeyCache())
    /// Held by the one who fetches; others wait for what it brings.
    private let fetching = Mutex(())

    /// Creates a verifier. It fetches nothing yet.
    ///
    /// - Parameters:
    ///   - settings: the issuer.
    ///   - report: is told why keys cannot be fetched: when the reason changes, and else at most once a minute.
    public init(_ settings: IssuerSettings, report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.settings = settings
        self.report = report
        rules = ClaimRules(issuer: settings.issuer, audience: settings.audience)
        accessTokens = AccessTokenRules(settings.accessTokenType)
    }

    /// Checks an access token by the keys that are at hand, without waiting for anything.
    ///
    /// - Parameters:
    ///   - text: the JWT as it was sent, at most 8,192 bytes.
    ///   - now: when it is judged; clocks may be a minute apart.
    /// - Returns: who it is, or nil where keys have to be fetched first: then call ``verify(_:at:)`` where blocking does no harm.
    /// - Throws: ``JWTProblem`` where it is not to be believed.
    public func verifyCached(_ text: String, at now: Instant) throws(JWTProblem) -> VerifiedClaims? {
        guard let jwt = try checkCached(text, at: now) else { return nil }
        return try claims(ofAccessToken: jwt)
    }

    private func checkCached(_ text: String, at now: Instant) throws(JWTProblem) -> CheckedJWT? {
        let jwt = try CompactJWT(text)
        switch cache.withLock({ $0.decide(keyID: jwt.keyID, algorithm: jwt.algorithm, at: now) }) {
        case .fetch:
            // No key makes such claims good, so the issuer is not asked for one.
            _ = try rules.check(jwt, at: now)
            return nil
        case .refuse(let problem):
            _ = try rules.check(jwt, at: now)
            throw problem
        case .use(let key): return try check(jwt, with: key, at: now)
        }
    }

    /// Checks an access token, and fetches the issuer's keys where that is due. Blocks for ``IssuerSettings/fetchSeconds`` at most.
    ///
    /// - Parameters:
    ///   - text: the JWT as it was sent, at most 8,192 bytes.
    ///   - now: when it is judged; clocks may be a minute apart. It is asked for again after each wait.
    /// - Throws: ``JWTProblem`` where it is not to be believed, or where there are no keys to check it with.
    public func verify(_ text: String, at now: @autoclosure () -> Instant) throws(JWTProblem) -> VerifiedClaims {
        try claims(ofAccessToken: try check(text, at: now()))
    }

    private func claims(ofAccessToken jwt: CheckedJWT) throws(JWTProblem) -> VerifiedClaims {
        try accessTokens.check(jwt)
        return try VerifiedClaims(jwt)
    }

    /// Checks a JWT as ``verify(_:at:)`` does, and returns all that it claims. Its subject need be no name of a user here, and it can be
    /// another JWT than an access token.
    public func check(_ text: String, at now: @autoclosure () -> Instant) throws(JWTProblem) -> CheckedJWT {
        if let jwt = try checkCached(text, at: now()) { return jwt }
        fetching.withLock { _ in
            // The fetch that was waited for may have brought what is needed, or have failed a moment ago.
            guard let jwt = try? CompactJWT(text),
                case .fetch = cache.withLock({ $0.decide(keyID: jwt.keyID, algorithm: jwt.algorithm, at: now()) })
            else { return }
            fetchKeys(now)
        }
        guard let jwt = try checkCached(text, at: now()) else {
            throw .keysUnavailable("the clock was set while they were fetched")
        }
        return jwt
    }

    private func check(_ jwt: CompactJWT, with key: VerificationKey, at now: Instant) throws(JWTProblem) -> CheckedJWT {
        guard key.verifies(jwt.signature, of: jwt.signedBytes, by: jwt.algorithm.scheme) else { throw .wrongSignature }
        return try rules.check(jwt, at: now)
    }

    private func fetchKeys(_ now: () -> Instant) {
        cache.withLock { $0.begin() }
        do throws(IssuerFetchError) {
            let (keys, cacheControl) = try KeyFetch(settings: settings).run()
            cache.withLock { $0.fetched(keys, cacheControl: cacheControl, at: now()) }
        } catch {
            // The wait until the next try begins when this one has ended.
            guard cache.withLock({ $0.failed(error.description, at: now()) }) else { return }
            report("the keys of the issuer `\(settings.issuer)` cannot be had: \(error)")
        }
    }
}
