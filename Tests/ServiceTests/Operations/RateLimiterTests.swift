import Events
import HTTPServer
import Testing
import Work

@testable import Service

@Suite("Rate limits: requests are forgotten at a steady rate")
struct RateLimiterTests {
    private func time(_ microseconds: Int) -> Instant { Instant(microseconds: Int64(microseconds)) }

    @Test("A caller may send one second's requests at once, and the next request is told how long to wait")
    func burst() {
        let limiter = RateLimiter(perSecond: 5)
        for left in [4, 3, 2, 1, 0] {
            let outcome = limiter.take("t1", at: time(0))
            #expect(outcome.isAllowed)
            #expect(outcome.remaining == left)
        }
        #expect(limiter.take("t1", at: time(0)) == RateLimiter.Outcome(isAllowed: false, remaining: 0, seconds: 1))
    }

    @Test("A caller within the rate is never refused, and no caller exceeds the rate plus one burst over any period")
    func steadyRate() {
        for perSecond in [1, 3, 50, 1000] {
            let steady = RateLimiter(perSecond: perSecond)
            for number in 0..<200 {
                // One microsecond later, so that rounding has no effect.
                #expect(steady.take("t1", at: time(number * (1_000_000 / perSecond + 1))).isAllowed)
            }
            let greedy = RateLimiter(perSecond: perSecond)
            let allowed = (0..<10_000).count { greedy.take("t1", at: time($0 * 1_000)).isAllowed }
            #expect(allowed <= perSecond * 10 + perSecond)
            #expect(allowed >= perSecond * 10 - 1)
        }
    }

    @Test("A clock that moves back adds nothing, and a caller never has more than one burst")
    func clocks() {
        let limiter = RateLimiter(perSecond: 2)
        #expect(limiter.take("t1", at: time(100_000_000)).isAllowed)
        #expect(limiter.take("t1", at: time(0)).isAllowed)
        #expect(!limiter.take("t1", at: time(1)).isAllowed)
        #expect(limiter.take("t1", at: time(500_000_000)).remaining == 1)
    }

    @Test("Callers have separate limits, and any number of callers stays within the memory limit")
    func callers() {
        let limiter = RateLimiter(perSecond: 1, callerLimit: 64)
        #expect(limiter.take("t1", at: time(0)).isAllowed)
        #expect(!limiter.take("t1", at: time(0)).isAllowed)
        #expect(limiter.take("t2", at: time(0)).isAllowed)
        for number in 0..<5000 { #expect(limiter.take("user\(number)", at: time(0)).isAllowed) }
        #expect(limiter.shards.reduce(0) { $0 + $1.subjectCount } <= 64)
    }

    @Test("The headers follow the draft: the policy, the remaining requests, and the seconds")
    func headers() {
        let limiter = RateLimiter(perSecond: 10)
        let outcome = limiter.take("t1", at: time(0))
        #expect(
            limiter.headers(outcome).map { "\($0.name): \($0.value)" } == [
                "RateLimit-Policy: \"caller\";q=10;w=1", "RateLimit: \"caller\";r=9;t=1",
            ])
    }
}
