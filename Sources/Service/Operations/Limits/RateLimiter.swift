internal import HTTPServer
internal import Synchronization

/// Lets each caller ask so often and no oftener. A bounded number of callers is kept in mind.
final class RateLimiter: Sendable {
    let size: TokenBucket.Size
    private let perSecond: Int
    /// Callers are spread over several locks, so that they seldom meet.
    private let shards = (0..<16).map { _ in Shard() }
    private let callersPerShard: Int

    private final class Shard: Sendable {
        let buckets = Mutex<[String: TokenBucket]>([:])
    }

    /// - Parameters:
    ///   - perSecond: how many requests of one caller a second go on for good; as many may come at once.
    ///   - callerLimit: how many callers are kept in mind at most.
    init(perSecond: Int, callerLimit: Int = 65_536) {
        self.perSecond = perSecond
        size = TokenBucket.Size(perSecond: perSecond)
        callersPerShard = max(1, callerLimit / shards.count)
    }

    /// Counts a request of a caller.
    ///
    /// - Parameters:
    ///   - caller: the id of its token, or its address where it has none.
    ///   - now: nanoseconds of a clock that does not go back.
    func take(_ caller: String, atNanoseconds now: UInt64) -> TokenBucket.Outcome {
        var hasher = Hasher()
        hasher.combine(caller)
        let shard = shards[Int(UInt(bitPattern: hasher.finalize()) % UInt(shards.count))]
        return shard.buckets.withLock { buckets in
            if buckets[caller] == nil, buckets.count >= callersPerShard { makeRoom(in: &buckets, atNanoseconds: now) }
            return buckets[caller, default: TokenBucket(size, atNanoseconds: now)].take(size, atNanoseconds: now)
        }
    }

    /// How many callers are kept in mind.
    var callerCount: Int { shards.reduce(0) { $0 + $1.buckets.withLock { $0.count } } }

    /// Forgets those whose buckets are full, which changes nothing for them; where there are none, half of all, at random.
    private func makeRoom(in buckets: inout [String: TokenBucket], atNanoseconds now: UInt64) {
        buckets = buckets.filter { !$0.value.isFull(size, atNanoseconds: now) }
        if buckets.count >= callersPerShard { buckets = buckets.filter { _ in Bool.random() } }
    }

    /// What an answer says of the limit, as the IETF's draft of `RateLimit` header fields has it.
    func headers(_ outcome: TokenBucket.Outcome) -> [HTTPHeader] {
        [
            HTTPHeader("RateLimit-Policy", "\"caller\";q=\(perSecond);w=1"),
            HTTPHeader("RateLimit", "\"caller\";r=\(outcome.remaining);t=\(outcome.seconds)"),
        ]
    }
}
