internal import Events
internal import Hashing

/// Which keys an issuer has, as far as is known, and when to look again. Pure: a value that is told the time.
struct KeyCache {
    /// How long keys are taken as they are, whatever the issuer says: five minutes to a day, in seconds.
    static let freshSeconds: ClosedRange<Int64> = 300...86_400
    /// The time between two looks for a key that is not known, or for keys that are due.
    static let retrySeconds: Int64 = 30
    /// The time between two looks while there are no keys at all.
    static let firstRetrySeconds: Int64 = 5
    /// How long keys are kept beyond their time where new ones cannot be had: a key that was withdrawn must end some time.
    static let keptSeconds: Int64 = 86_400

    private var keys: JSONWebKeys?
    private var freshUntil = Instant.distantPast
    private var lastLook: Instant?
    private var lastFailure = ""

    /// What to do about a JWT.
    enum Decision {
        /// Check it with this key.
        case use(VerificationKey)
        /// Have the keys fetched, and ask again.
        case fetch
        case refuse(JWTProblem)
    }

    func decide(keyID: String?, algorithm: JWTAlgorithm, at now: Instant) -> Decision {
        guard let keys, now < freshUntil.advanced(bySeconds: KeyCache.keptSeconds) else {
            return mayLook(after: KeyCache.firstRetrySeconds, now) ? .fetch : .refuse(.keysUnavailable(lastFailure))
        }
        let mayLook = mayLook(after: KeyCache.retrySeconds, now)
        if now >= freshUntil, mayLook { return .fetch }
        if let key = keys.key(id: keyID, for: algorithm) { return .use(key) }
        return mayLook ? .fetch : .refuse(.unknownKey)
    }

    private func mayLook(after seconds: Int64, _ now: Instant) -> Bool {
        // A clock that was set back must not keep anybody waiting for it.
        lastLook.map { now >= $0.advanced(bySeconds: seconds) || now < $0 } ?? true
    }

    /// Takes in the keys that were fetched.
    ///
    /// - Parameter cacheControl: what the answer said about how long they hold.
    mutating func fetched(_ keys: JSONWebKeys, cacheControl: String?, at now: Instant) {
        self.keys = keys
        lastLook = now
        let seconds = cacheControl.flatMap(KeyCache.maxAge) ?? KeyCache.freshSeconds.lowerBound
        freshUntil = now.advanced(bySeconds: min(max(seconds, KeyCache.freshSeconds.lowerBound), KeyCache.freshSeconds.upperBound))
    }

    /// Notes that they could not be fetched. What is known is kept.
    mutating func failed(_ why: String, at now: Instant) {
        lastLook = now
        lastFailure = why
    }

    /// The seconds of `max-age` (RFC 9111, section 5.2.2.1); nil where there is none.
    private static func maxAge(_ cacheControl: String) -> Int64? {
        for directive in cacheControl.lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
            if parts.count == 2, parts[0] == "max-age" { return Int64(parts[1]) }
        }
        return nil
    }
}
