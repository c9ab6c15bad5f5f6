/// A token bucket: it fills at a steady rate, and each request takes one token.
struct TokenBucket: Hashable, Sendable {
    /// The capacity of a bucket and its fill rate.
    struct Size: Hashable, Sendable {
        /// The number of tokens in a full bucket.
        let capacity: Double
        let perSecond: Double

        /// - Parameter perSecond: the sustained number of requests per second; the same number may come at once.
        init(perSecond: Int) {
            capacity = Double(max(1, perSecond))
            self.perSecond = Double(max(1, perSecond))
        }
    }

    /// The result of taking a token.
    struct Outcome: Hashable, Sendable {
        let isAllowed: Bool
        /// The number of remaining tokens.
        let remaining: Int
        /// Whole seconds, rounded up: until the bucket is full after success, or until it has a token after failure.
        let seconds: Int
    }

    private var level: Double
    private var filledAtNanoseconds: UInt64

    /// Creates a full bucket.
    init(_ size: Size, atNanoseconds now: UInt64) {
        level = size.capacity
        filledAtNanoseconds = now
    }

    /// Takes a token, if the bucket has one.
    ///
    /// - Parameters:
    ///   - size: the size of the bucket.
    ///   - now: nanoseconds of a monotonic clock; a clock that goes back adds no tokens.
    mutating func take(_ size: Size, atNanoseconds now: UInt64) -> Outcome {
        fill(size, atNanoseconds: now)
        guard level >= 1 else {
            return Outcome(isAllowed: false, remaining: 0, seconds: TokenBucket.wholeSeconds((1 - level) / size.perSecond))
        }
        level -= 1
        let untilFull = (size.capacity - level) / size.perSecond
        return Outcome(isAllowed: true, remaining: Int(level), seconds: TokenBucket.wholeSeconds(untilFull))
    }

    /// Returns whether the bucket is full, so that it need not be stored.
    func isFull(_ size: Size, atNanoseconds now: UInt64) -> Bool {
        var filled = self
        filled.fill(size, atNanoseconds: now)
        return filled.level >= size.capacity
    }

    private mutating func fill(_ size: Size, atNanoseconds now: UInt64) {
        guard now > filledAtNanoseconds else { return }
        level = min(size.capacity, level + Double(now - filledAtNanoseconds) / 1e9 * size.perSecond)
        filledAtNanoseconds = now
    }

    private static func wholeSeconds(_ seconds: Double) -> Int { max(1, Int(seconds.rounded(.up))) }
}
