internal import Events
internal import Hashing

/// The known keys of an issuer, and when to fetch them again. A value without side effects; callers pass the time.
struct KeyCache {
    /// The range of the keys' lifetime, whatever the issuer says: five minutes to a day, in seconds.
    static let freshSeconds: ClosedRange<Int64> = 300...86_400
    /// The time between two fetches for an unknown key, or for expired keys.
    static let retrySeconds: Int64 = 30
    /// The time between two fetches without any keys.
    static let firstRetrySeconds: Int64 = 5
    /// How long expired keys stay valid if new ones cannot be fetched. The time is limited, so that a revoked key becomes invalid.
    static let keptSeconds: Int64 = 86_400

    private var keys: JSONWebKeys?
    private var freshUntil = Instant.distantPast
    private var lastLook: Instant?
    private var lastFailure = ""
    private var lastReport: Instant?
    private var isFetching = false

    /// The time between two reports of the same failure.
    private static let reportSeconds: Int64 = 60

    /// The next step for a JWT.
    enum Decision {
        /// Verify it with this key.
        case use(VerificationKey)
        /// Fetch the keys, and call again.
        case fetch
        case refuse(JWTError)
    }

    func decide(keyID: String?, algorithm: JWTAlgorithm, at now: Instant) -> Decision {
        guard let keys, now < freshUntil.advanced(bySeconds: KeyCache.keptSeconds) else {
            let waits = isFetching || mayLook(after: KeyCache.firstRetrySeconds, now)
            return waits ? .fetch : .refuse(.keysUnavailable(lastFailure))
        }
        let mayLook = mayLook(after: KeyCache.retrySeconds, now)
        // While one thread fetches newer keys, the others use the existing ones.
        if now >= freshUntil, mayLook, !isFetching { return .fetch }
        if let key = keys.key(id: keyID, for: algorithm) { return .use(key) }
        return isFetching || mayLook ? .fetch : .refuse(.unknownKey)
    }

    private func mayLook(after seconds: Int64, _ now: Instant) -> Bool {
        // If the clock was set back, fetch at once.
        lastLook.map { now >= $0.advanced(bySeconds: seconds) || now < $0 } ?? true
    }

    /// Notes that a fetch is running.
    mutating func begin() { isFetching = true }

    /// Stores fetched keys.
    ///
    /// - Parameter cacheControl: the header of the response with their lifetime.
    mutating func fetched(_ keys: JSONWebKeys, cacheControl: String?, at now: Instant) {
        self.keys = keys
        (isFetching, lastLook, lastFailure) = (false, now, "")
        let seconds = cacheControl.flatMap(KeyCache.maxAge) ?? KeyCache.freshSeconds.lowerBound
        freshUntil = now.advanced(bySeconds: min(max(seconds, KeyCache.freshSeconds.lowerBound), KeyCache.freshSeconds.upperBound))
    }

    /// Notes that a fetch failed. Keeps the known keys.
    ///
    /// - Returns: whether to report it: the reason is new, or was last reported a minute ago.
    mutating func failed(_ why: String, at now: Instant) -> Bool {
        let isDue = lastReport.map { now >= $0.advanced(bySeconds: KeyCache.reportSeconds) || now < $0 } ?? true
        let isReported = isDue || why != lastFailure
        if isReported { lastReport = now }
        (isFetching, lastLook, lastFailure) = (false, now, why)
        return isReported
    }

    /// Returns the seconds of `max-age` (RFC 9111, section 5.2.2.1); nil if it is missing.
    private static func maxAge(_ cacheControl: String) -> Int64? {
        for directive in cacheControl.lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
            if parts.count == 2, parts[0] == "max-age" { return Int64(parts[1]) }
        }
        return nil
    }
}
