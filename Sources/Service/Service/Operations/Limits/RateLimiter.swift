internal import Events
internal import HTTPServer
internal import Work

/// Limits the request rate of each caller. Tracks a bounded number of callers.
final class RateLimiter: Sendable {
    typealias Outcome = AttemptLimiter<String>.Outcome

    private let perSecond: Int
    /// Callers are distributed over several limiters to reduce contention.
    let shards: [AttemptLimiter<String>]

    /// - Parameters:
    ///   - perSecond: the sustained number of requests of one caller per second; the same number may come at once.
    ///   - callerLimit: the largest number of callers to track.
    init(perSecond: Int, callerLimit: Int = 65_536) {
        self.perSecond = perSecond
        let rule = LimitRule(perSecond: perSecond, burst: perSecond)
        shards = (0..<16).map { _ in AttemptLimiter(subjectLimit: callerLimit / 16) { _ in rule } }
    }

    /// Counts a request of a caller.
    ///
    /// - Parameters:
    ///   - caller: the id of its token, or its address without a token.
    ///   - now: the time of a monotonic clock.
    func take(_ caller: String, at now: Instant) -> Outcome {
        var hasher = Hasher()
        hasher.combine(caller)
        return shards[Int(UInt(bitPattern: hasher.finalize()) % UInt(shards.count))].take(caller, at: now)
    }

    /// Returns the headers of the limit, as in the IETF draft of `RateLimit` header fields.
    func headers(_ outcome: Outcome) -> [HTTPHeader] {
        [
            HTTPHeader("RateLimit-Policy", "\"caller\";q=\(perSecond);w=1"),
            HTTPHeader("RateLimit", "\"caller\";r=\(outcome.remaining);t=\(outcome.seconds)"),
        ]
    }

    /// Returns the problem for a caller that exceeds its limit.
    func problem(_ outcome: Outcome) -> Problem {
        Problem(
            .tooManyRequests, "too many requests: wait \(outcome.seconds) s, then send fewer requests per second",
            headers: headers(outcome) + [HTTPHeader("Retry-After", "\(outcome.seconds)")])
    }
}
