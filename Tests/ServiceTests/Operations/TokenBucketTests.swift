import HTTPServer
import Testing

@testable import Service

@Suite("Rate limits: a bucket fills at a steady rate, and each request takes one token")
struct TokenBucketTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("A caller may send one second's requests at once, and the next request is told how long to wait")
    func burst() {
        let size = TokenBucket.Size(perSecond: 5)
        var bucket = TokenBucket(size, atNanoseconds: 0)
        for left in [4, 3, 2, 1, 0] {
            let outcome = bucket.take(size, atNanoseconds: 0)
            #expect(outcome.isAllowed)
            #expect(outcome.remaining == left)
        }
        let refused = bucket.take(size, atNanoseconds: 0)
        #expect(refused == TokenBucket.Outcome(isAllowed: false, remaining: 0, seconds: 1))
    }

    @Test("A caller within the rate is never refused, and no caller exceeds the rate plus one bucket over any period")
    func steadyRate() {
        for perSecond in [1, 3, 50, 1000] {
            let size = TokenBucket.Size(perSecond: perSecond)
            var steady = TokenBucket(size, atNanoseconds: 0)
            for number in 0..<200 {
                // One nanosecond later, so that rounding has no effect.
                let now = UInt64(number) * (Self.second / UInt64(perSecond) + 1)
                #expect(steady.take(size, atNanoseconds: now).isAllowed)
            }
            var greedy = TokenBucket(size, atNanoseconds: 0)
            let allowed = (0..<10_000).count { greedy.take(size, atNanoseconds: UInt64($0) * 1_000_000).isAllowed }
            #expect(allowed <= perSecond * 10 + perSecond)
            #expect(allowed >= perSecond * 10 - 1)
        }
    }

    @Test("A clock that moves back adds nothing, and a bucket never exceeds its capacity")
    func clocks() {
        let size = TokenBucket.Size(perSecond: 2)
        var bucket = TokenBucket(size, atNanoseconds: 100 * Self.second)
        #expect(bucket.take(size, atNanoseconds: 100 * Self.second).isAllowed)
        #expect(bucket.take(size, atNanoseconds: 0).isAllowed)
        #expect(!bucket.take(size, atNanoseconds: 1).isAllowed)
        #expect(bucket.take(size, atNanoseconds: 500 * Self.second).remaining == 1)
    }

    @Test("Callers have separate buckets, and any number of callers stays within the memory limit")
    func callers() {
        let limiter = RateLimiter(perSecond: 1, callerLimit: 64)
        #expect(limiter.take("t1", atNanoseconds: 0).isAllowed)
        #expect(!limiter.take("t1", atNanoseconds: 0).isAllowed)
        #expect(limiter.take("t2", atNanoseconds: 0).isAllowed)
        for number in 0..<5000 { #expect(limiter.take("stranger\(number)", atNanoseconds: 0).isAllowed) }
        #expect(limiter.callerCount <= 64)
    }

    @Test("The headers follow the draft: the policy, the remaining requests, and the seconds")
    func headers() {
        let limiter = RateLimiter(perSecond: 10)
        let outcome = limiter.take("t1", atNanoseconds: 0)
        #expect(
            limiter.headers(outcome).map { "\($0.name): \($0.value)" } == [
                "RateLimit-Policy: \"caller\";q=10;w=1", "RateLimit: \"caller\";r=9;t=1",
            ])
    }
}
