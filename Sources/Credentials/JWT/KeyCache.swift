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
    private var lastReport: Instant?
    private var isFetching = false

    /// The time between two reports of the same failure.
    private static let reportSeconds: Int64 = 60

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
            let waits = isFetching || mayLook(after: KeyCache.firstRetrySeconds, now)
            return waits ? .fetch : .refuse(.keysUnavailable(lastFailure))
        }
        let mayLook = mayLook(after: KeyCache.retrySeconds, now)
        // While one looks for newer keys, the others go on with those that there are.
        if now >= freshUntil, mayLook, !isFetching { return .fetch }
        if let key = keys.key(id: keyID, for: algorithm) { return .use(key) }
        return isFetching || mayLook ? .fetch : .refuse(.unknownKey)
    }

    private func mayLook(after seconds: Int64, _ now: Instant) -> Bool {
        // A clock that was set back must not keep anybody waiting for it.
        lastLook.map { now >= $0.advanced(bySeconds: seconds) || now < $0 } ?? true
    }

    /// Notes that they are being fetched.
    mutating func begin() { isFetching = true }

    /// Takes in the keys that were fetched.
    ///
    /// - Parameter cacheControl: what the answer said about how long they hold.
    mutating func fetched(_ keys: JSONWebKeys, cacheControl: String?, at now: Instant) {
        self.keys = keys
        (isFetching, lastLook, lastFailure) = (false, now, "")
        let seconds = cacheControl.flatMap(KeyCache.maxAge) ?? KeyCache.freshSeconds.lowerBound
        freshUntil = now.advanced(bySeconds: min(max(seconds, KeyCache.freshSeconds.lowerBound), KeyCache.freshSeconds.upperBound))
    }

    /// Notes that they could not be fetched. What is known is kept.
    ///
    /// - Returns: whether to report it: the reason is new, or was last reported a minute ago.
    mutating func failed(_ why: String, at now: Instant) -> Bool {
        let isDue = lastReport.map { now >= $0.advanced(bySeconds: KeyCache.reportSeconds) || now < $0 } ?? true
        let isReported = isDue || why != lastFailure
        if isReported { lastReport = now }
        (isFetching, lastLook, lastFailure) = (false, now, why)
        return isReported
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
