import Testing

@testable import MunimentClient

@Suite("Retry policy")
struct RetryPolicyTests {
    @Test("Pauses double from the first to the longest and never exceed it, after any number of attempts")
    func delays() {
        let policy = RetryPolicy(attempts: 9, firstMilliseconds: 500, longestMilliseconds: 3_000)
        #expect((1...6).map { policy.milliseconds(after: $0) } == [500, 1_000, 2_000, 3_000, 3_000, 3_000])
        #expect(policy.milliseconds(after: .max) == 3_000)
    }

    @Test("Invalid limits become the nearest valid ones")
    func limits() {
        #expect(
            RetryPolicy(attempts: 0, firstMilliseconds: 0, longestMilliseconds: -1)
                == RetryPolicy(attempts: 1, firstMilliseconds: 1, longestMilliseconds: 1))
    }
}
