internal import HTTPServer
internal import Synchronization

/// Limits the request rate of each caller. Tracks a bounded number of callers.
final class RateLimiter: Sendable {
    let size: TokenBucket.Size
    private let perSecond: Int
    /// Callers are distributed over several locks to reduce contention.
    private let shards = (0..<16).map { _ in Shard() }
    private let callersPerShard: Int

    private final class Shard: Sendable {
        let buckets = Mutex<[String: TokenBucket]>([:])
    }

    /// - Parameters:
    ///   - perSecond: the sustained number of requests of one caller per second; the same number may come at once.
    ///   - callerLimit: the largest number of callers to track.
    init(perSecond: Int, callerLimit: Int = 65_536) {
        self.perSecond = perSecond
        size = TokenBucket.Size(perSecond: perSecond)
        callersPerShard = max(1, callerLimit / shards.count)
    }

    /// Counts a request of a caller.
    ///
    /// - Parameters:
    ///   - caller: the id of its token, or its address without a token.
    ///   - now: nanoseconds of a monotonic clock.
    func take(_ caller: String, atNanoseconds now: UInt64) -> TokenBucket.Outcome {
        var hasher = Hasher()
        hasher.combine(caller)
        let shard = shards[Int(UInt(bitPattern: hasher.finalize()) % UInt(shards.count))]
        return shard.buckets.withLock { buckets in
            if buckets[caller] == nil, buckets.count >= callersPerShard { makeRoom(in: &buckets, atNanoseconds: now) }
            return buckets[caller, default: TokenBucket(size, atNanoseconds: now)].take(size, atNanoseconds: now)
        }
    }

    /// The number of tracked callers.
    var callerCount: Int { shards.reduce(0) { $0 + $1.buckets.withLock { $0.count } } }

    /// Removes full buckets, which has no effect for their callers. If no bucket is full, removes half of all at random.
    private func makeRoom(in buckets: inout [String: TokenBucket], atNanoseconds now: UInt64) {
        buckets = buckets.filter { !$0.value.isFull(size, atNanoseconds: now) }
        if buckets.count >= callersPerShard { buckets = buckets.filter { _ in Bool.random() } }
    }

    /// Returns the headers of the limit, as in the IETF draft of `RateLimit` header fields.
    func headers(_ outcome: TokenBucket.Outcome) -> [HTTPHeader] {
        [
            HTTPHeader("RateLimit-Policy", "\"caller\";q=\(perSecond);w=1"),
            HTTPHeader("RateLimit", "\"caller\";r=\(outcome.remaining);t=\(outcome.seconds)"),
        ]
    }
}
