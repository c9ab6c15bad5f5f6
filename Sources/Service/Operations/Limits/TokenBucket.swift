/// How much a caller may still ask: a bucket that fills at a steady rate, and from which each request takes one.
struct TokenBucket: Hashable, Sendable {
    /// How many a full bucket has, and how fast it fills.
    struct Size: Hashable, Sendable {
        /// How many there are in a full one.
        let capacity: Double
        let perSecond: Double

        /// - Parameter perSecond: how many requests a second go on for good; as many may come at once.
        init(perSecond: Int) {
            capacity = Double(max(1, perSecond))
            self.perSecond = Double(max(1, perSecond))
        }
    }

    /// What came of an attempt to take one.
    struct Outcome: Hashable, Sendable {
        let isAllowed: Bool
        /// How many are left.
        let remaining: Int
        /// Whole seconds, rounded up, until the bucket is full where one was taken, and until there is one where none was.
        let seconds: Int
    }

    private var level: Double
    private var filledAtNanoseconds: UInt64

    /// A full bucket.
    init(_ size: Size, atNanoseconds now: UInt64) {
        level = size.capacity
        filledAtNanoseconds = now
    }

    /// Takes one out, if there is one.
    ///
    /// - Parameters:
    ///   - size: the size of the bucket.
    ///   - now: nanoseconds of a clock that does not go back; one that does fills nothing.
    mutating func take(_ size: Size, atNanoseconds now: UInt64) -> Outcome {
        fill(size, atNanoseconds: now)
        guard level >= 1 else {
            return Outcome(isAllowed: false, remaining: 0, seconds: TokenBucket.wholeSeconds((1 - level) / size.perSecond))
        }
        level -= 1
        let untilFull = (size.capacity - level) / size.perSecond
        return Outcome(isAllowed: true, remaining: Int(level), seconds: TokenBucket.wholeSeconds(untilFull))
    }

    /// Whether it is as full as one that nobody has taken from, so that it need not be kept.
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
