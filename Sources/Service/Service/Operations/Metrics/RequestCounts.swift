internal import Muniment
internal import Synchronization

/// The number of requests of a route, by status, and their duration.
final class RequestCounts: Sendable {
    /// The statuses that are counted separately. Any other counts as the first of its hundred.
    static let statuses = [
        0, 200, 201, 202, 204, 206, 300, 304, 400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413, 415, 422, 428, 429, 431, 500,
        501, 503, 504,
    ]
    private static let places: [Int] = (0..<600).map { status in
        statuses.firstIndex(of: status) ?? statuses.firstIndex(of: status / 100 * 100) ?? 0
    }

    private let answers = statuses.map { _ in Counter() }
    let durations = DurationCounter()

    /// Counts a finished request.
    ///
    /// - Parameters:
    ///   - status: the status of the response; 0 if the connection was lost before.
    ///   - nanoseconds: the duration of the request.
    func ended(status: Int, nanoseconds: UInt64) {
        answers[RequestCounts.places[(0..<600).contains(status) ? status : 0]].add()
        durations.add(nanoseconds: nanoseconds)
    }

    /// The statuses of the responses, and their counts.
    var answered: [(status: Int, count: UInt64)] {
        zip(RequestCounts.statuses, answers).map { ($0, $1.value) }.filter { $0.count > 0 }
    }
}

/// The numbers of allowed and denied checks of a store.
final class DecisionCounts: Sendable {
    let allowed = Counter()
    let denied = Counter()

    func add(_ isAllowed: Bool) { (isAllowed ? allowed : denied).add() }
}

/// The counters of the service as a whole.
final class ServiceCounts: Sendable {
    /// By the index of the route in the table.
    let routes: [RequestCounts]
    /// Requests without a matching route.
    let elsewhere = RequestCounts()
    /// Notices that were written to streams.
    let noticesSent = Counter()
    /// Changes of objects, and of the results of queries, that were written to streams.
    let changesSent = Counter()
    /// Writes to the streams of replicas: each has one or more parts of a step.
    let replicaWrites = Counter()
    /// Streams that are currently open.
    let openStreams = Gauge()
    /// Requests that got a response with status 429.
    let overLimit = Counter()
    /// Lines of the log that were dropped because the output was too slow.
    let linesDropped = Counter()

    init(routeCount: Int) { routes = (0..<routeCount).map { _ in RequestCounts() } }

    func counts(ofRoute route: Int?) -> RequestCounts { route.map { routes[$0] } ?? elsewhere }
}

/// A counter that only increases. Usable from any thread without a lock.
final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .relaxed) }

    func add(_ number: UInt64 = 1) { count.add(number, ordering: .relaxed) }
}

/// A number that increases and decreases. Usable from any thread without a lock.
final class Gauge: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ number: Int) { count.add(number, ordering: .relaxed) }
}

/// A histogram of durations. Usable from any thread without a lock.
final class DurationCounter: Sendable {
    private let counts = (0...DurationHistogram.boundsNanoseconds.count).map { _ in Counter() }
    private let total = Counter()

    func add(nanoseconds: UInt64) {
        counts[DurationHistogram.span(of: nanoseconds)].add()
        total.add(nanoseconds)
    }

    /// The histogram. During concurrent updates, the sum may be a moment ahead of the counts.
    var value: DurationHistogram { DurationHistogram(counts: counts.map(\.value), totalNanoseconds: total.value) }
}
