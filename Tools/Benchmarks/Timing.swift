/// The times of many calls.
struct Timing: Hashable, Sendable {
    var calls: Int
    var seconds: Double
    var p50Nanoseconds: Double
    var p99Nanoseconds: Double

    var callsPerSecond: Double { Double(calls) / seconds }
    var meanNanoseconds: Double { seconds * 1e9 / Double(calls) }

    /// Calls `body` with 0, 1, 2 … and notes the time of each call.
    ///
    /// Reading the clock costs about as much as a fast call. It is therefore read once for `batch` calls, and each of these calls gets
    /// their mean: the percentiles are those of batches. Use a batch of 1 if a single call takes microseconds.
    ///
    /// - Parameters:
    ///   - calls: number of calls; rounded up to whole batches.
    ///   - batch: calls for one reading of the clock.
    ///   - warmUp: calls before the measurement; a tenth of `calls` by default.
    ///   - body: the function to measure. Its result is used, so that the compiler does not remove the computation.
    static func measure<Failure: Error>(
        calls: Int, batch: Int = 16, warmUp: Int? = nil, _ body: (Int) throws(Failure) -> Int
    ) throws(Failure) -> Timing {
        var sink = 0
        for call in 0..<(warmUp ?? calls / 10) { sink &+= try body(call) }
        let batches = Swift.max((calls + batch - 1) / batch, 1)
        var nanoseconds: [Double] = []
        nanoseconds.reserveCapacity(batches)
        let clock = ContinuousClock()
        let start = clock.now
        var before = start
        var call = 0
        for _ in 0..<batches {
            for _ in 0..<batch {
                sink &+= try body(call)
                call += 1
            }
            let after = clock.now
            nanoseconds.append(before.duration(to: after).nanoseconds / Double(batch))
            before = after
        }
        consume(sink)
        return Timing(
            calls: call, seconds: start.duration(to: before).nanoseconds / 1e9, p50Nanoseconds: percentile(50, of: &nanoseconds),
            p99Nanoseconds: percentile(99, of: &nanoseconds))
    }

    /// Measures one run of `body`, for work that is done once. `calls` is the number of things that it did.
    static func once<Failure: Error>(_ body: () throws(Failure) -> Int) throws(Failure) -> Timing {
        let clock = ContinuousClock()
        let start = clock.now
        let done = try body()
        let nanoseconds = start.duration(to: clock.now).nanoseconds
        let each = nanoseconds / Double(Swift.max(done, 1))
        return Timing(calls: done, seconds: nanoseconds / 1e9, p50Nanoseconds: each, p99Nanoseconds: each)
    }

    fileprivate static func percentile(_ percent: Int, of values: inout [Double]) -> Double {
        values.sort()
        return values[Swift.min(values.count * percent / 100, values.count - 1)]
    }

    /// Uses a value, so that the compiler does not remove its computation.
    @inline(never) @_optimize(none) private static func consume(_ value: Int) {}
}

extension Timing {
    /// Creates a timing from times that were measured one by one. There must be at least one.
    init(of nanoseconds: [Double]) {
        var values = nanoseconds
        self.init(
            calls: values.count, seconds: values.reduce(0, +) / 1e9, p50Nanoseconds: Self.percentile(50, of: &values),
            p99Nanoseconds: Self.percentile(99, of: &values))
    }
}

extension Duration {
    var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}
