import Events
import Foundation
import Muniment
import Permissions
import Synchronization

/// Measures open streams of notices: the time from a commit to the affected subscriber, and the cost of an open stream.
struct StreamSuite: Sendable {
    let folder: String
    /// How often an object is shared with each subscriber.
    let rounds: Int
    let idleStreams: Int
    static let streams = 1000
    /// The service limits the open streams of each caller.
    static let streamsPerToken = 200
    static let writers = 8
    /// Commits and checks a second.
    static let pace = 200.0
    static let checksPerSecond = 1000.0

    struct Result {
        /// The time from sending a commit to its acknowledgement, and to its notice.
        var acknowledgement: Timing
        var delivery: Timing
        /// The time from the acknowledgement of a commit to its notice; zero if the notice came first.
        var lag: Timing
        var bytesPerStream: Double
    }

    func run() throws -> Result {
        let directory = folder + "/data"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let store = try Store.create(at: directory + "/default", preset: .open)
        let changes = (0..<Self.streams).flatMap { [Change.register(Name("user:\($0)")), .createObject(Name("doc:\($0)"))] }
        try store.commit(Transaction("user:root", [.defineClass("doc")] + changes))
        try store.close()
        let tokens = try (0...max(Self.streams, idleStreams) / Self.streamsPerToken).map { _ in
            try ServiceSuite.token(directory, ["administer"])
        }
        let (acknowledgement, delivery, lag) = try withService(directory) { try latency(port: $0.port, tokens) }
        let bytes = try withService(directory) { service in
            let before = try service.residentBytes
            let clients = try StreamClients(port: service.port, tokens: tokens, targets: (0..<idleStreams).map(target))
            return try withExtendedLifetime(clients) { (try service.residentBytes - before) / Double(idleStreams) }
        }
        return Result(acknowledgement: acknowledgement, delivery: delivery, lag: lag, bytesPerStream: bytes)
    }

    private func target(_ number: Int) -> String { "/v1/stores/default/notices?for=user:\(number % Self.streams)" }

    private func withService<R>(_ directory: String, _ body: (ServiceProcess) throws -> R) throws -> R {
        // All clients have the same address.
        let limits = ["--connections-per-address", "\(idleStreams + Self.streams)"]
        return try ServiceProcess.with(ServiceSuite.tool, ["serve", "--data", directory, "--listen", "127.0.0.1:0"] + limits, body)
    }

    private struct Sharing {
        var stream: Int
        var called: ContinuousClock.Instant
        var acknowledged: ContinuousClock.Instant
    }

    private func latency(port: UInt16, _ tokens: [String]) throws -> (Timing, Timing, Timing) {
        let token = tokens[tokens.count - 1]
        let clients = try StreamClients(port: port, tokens: tokens, targets: (0..<Self.streams).map(target))
        let state = Mutex((sharings: [Sharing](), failure: (any Error)?.none))
        let isOver = Atomic(false)
        // The streams have begun. A second later, each of them has reached the head and waits there.
        let start = ContinuousClock.now + .seconds(1)
        let group = DispatchGroup()
        for writer in 0..<Self.writers {
            Thread.detach(in: group) {
                do {
                    let sharings = try share(writer, start, port, token)
                    state.withLock { $0.sharings += sharings }
                } catch { state.withLock { $0.failure = error } }
            }
        }
        let checkers = DispatchGroup()
        Thread.detach(in: checkers) {
            do { try check(until: { isOver.load(ordering: .relaxed) }, port, token) } catch {
                state.withLock { $0.failure = error }
            }
        }
        let events = Swift.Result { try clients.events(Self.streams * rounds, within: 120) }
        group.wait()
        isOver.store(true, ordering: .relaxed)
        checkers.wait()
        let (sharings, failure) = state.withLock { ($0.sharings, $0.failure) }
        if let failure { throw failure }
        var arrivals: [Int: ArraySlice<ContinuousClock.Instant>] = [:]
        for event in try events.get() { arrivals[event.stream, default: []].append(event.at) }
        var (acknowledgements, deliveries, lags): ([Double], [Double], [Double]) = ([], [], [])
        // One writer makes all commits for a subscriber, in order.
        for sharing in sharings.sorted(by: { $0.called < $1.called }) {
            guard let arrival = arrivals[sharing.stream]?.popFirst() else { throw BenchmarkFailure("a notice is missing") }
            acknowledgements.append(sharing.called.duration(to: sharing.acknowledged).nanoseconds)
            deliveries.append(sharing.called.duration(to: arrival).nanoseconds)
            lags.append(max(0, sharing.acknowledged.duration(to: arrival).nanoseconds))
        }
        return (Timing(of: acknowledgements), Timing(of: deliveries), Timing(of: lags))
    }

    /// Shares the objects of every eighth subscriber with the subscriber and unshares them again, at a pace.
    private func share(
        _ writer: Int, _ start: ContinuousClock.Instant, _ port: UInt16, _ token: String
    ) throws -> [Sharing] {
        let connection = try RequestConnection(port: port)
        let mine = Array(stride(from: writer, to: Self.streams, by: Self.writers))
        var sharings: [Sharing] = []
        for (turn, (round, stream)) in (0..<rounds).flatMap({ round in mine.map { (round, $0) } }).enumerated() {
            let due = start + .nanoseconds(Int64(1e9 * Double(turn * Self.writers + writer) / Self.pace))
            Thread.sleep(forTimeInterval: max(0, ContinuousClock.now.duration(to: due).nanoseconds / 1e9))
            let operation = round % 2 == 0 ? "grant" : "revoke"
            let body = """
                {"as":"user:root","do":[{"op":"\(operation)","subject":"user:\(stream)","object":"doc:\(stream)",\
                "privileges":["read"]}]}
                """
            let called = ContinuousClock.now
            let status = try connection.post("/v1/stores/default/transactions", token: token, body)
            guard status == 200 else { throw BenchmarkFailure("a commit was answered \(status)") }
            sharings.append(Sharing(stream: stream, called: called, acknowledged: .now))
        }
        return sharings
    }

    private func check(until isOver: () -> Bool, _ port: UInt16, _ token: String) throws {
        let connection = try RequestConnection(port: port)
        var number = 0
        while !isOver() {
            number += 1
            let body = """
                {"subject":{"type":"user","id":"\(number % Self.streams)"},"action":{"name":"read"},\
                "resource":{"type":"doc","id":"\(number % Self.streams)"}}
                """
            let status = try connection.post("/access/v1/evaluation", token: token, body)
            guard status == 200 else { throw BenchmarkFailure("a check was answered \(status)") }
            Thread.sleep(forTimeInterval: 1 / Self.checksPerSecond)
        }
    }
}

extension Thread {
    /// Runs a function on a separate thread, as part of a group.
    fileprivate static func detach(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }
}

func measureStreams(_ arguments: Arguments) throws -> Table {
    let (wanted, room) = (arguments.isQuick ? 1000 : 5000, allowManySockets())
    let idle = min(wanted, room)
    if idle < wanted { note("\(idle) idle streams instead of \(wanted), because of the limit on open files (`ulimit -Hn`)") }
    guard idle >= StreamSuite.streams else {
        throw BenchmarkFailure("\(StreamSuite.streams) streams need a higher limit on open files; raise it with `ulimit -Hn`")
    }
    var table = Table(
        "\(StreamSuite.streams) open streams, \(Int(StreamSuite.pace)) commits and \(Int(StreamSuite.checksPerSecond)) checks a second"
    )
    note("open streams")
    let folder = arguments.folder + "/streams"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try StreamSuite(folder: folder, rounds: arguments.isQuick ? 2 : 4, idleStreams: idle).run()
    table.add(
        Row(
            "from sending a commit to reading its notice, vs. its acknowledgement, p50",
            .nanoseconds(result.delivery.p50Nanoseconds),
            raw: .nanoseconds(result.acknowledgement.p50Nanoseconds)))
    table.add(
        Row(
            "the same, p99", .nanoseconds(result.delivery.p99Nanoseconds), raw: .nanoseconds(result.acknowledgement.p99Nanoseconds),
            goal: .figureAtMost(10e6, .nanoseconds)))
    table.add(Row("from a commit's acknowledgement to reading its notice, p99", .nanoseconds(result.lag.p99Nanoseconds)))
    table.add(
        Row(
            "memory of an open stream, of \(idle)", .bytes(result.bytesPerStream),
            goal: .figureAtMost(Double(100 << 20) / 5000, .bytes)))
    return table
}
