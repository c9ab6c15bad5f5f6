internal import Dispatch
internal import Synchronization

/// Writes faults. A fault that repeats is counted, and written at most once a minute with the count.
final class FaultLog: Sendable {
    private let state = Mutex(RepeatedFaults())
    private let write: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "muniment.faults")
    /// All faults since the start, written or not.
    let count = Counter()

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// Reports a fault. Usable from any thread.
    ///
    /// - Parameters:
    ///   - text: the fault, without what differs from request to request.
    ///   - request: the id of the request with the fault; nil if it belongs to none.
    func report(_ text: String, request: String? = nil) {
        count.add()
        let (isNew, isFirstRepeat) = state.withLock { $0.add(text, at: Self.now) }
        if isNew { write(request.map { "request \($0): \(text)" } ?? text) }
        if isFirstRepeat { writeRepeatedLater() }
    }

    private func writeRepeatedLater() {
        queue.asyncAfter(deadline: .now() + .seconds(RepeatedFaults.spanSeconds)) { [weak self] in
            guard let self else { return }
            let (lines, isPending) = state.withLock { $0.takeRepeated(at: Self.now) }
            for line in lines { write(line) }
            if isPending { writeRepeatedLater() }
        }
    }

    /// Writes the faults that repeated, with their counts.
    func flush() { for line in state.withLock({ $0.takeRepeated(at: Self.now, isLast: true).lines }) { write(line) } }

    private static let start = ContinuousClock.now
    private static var now: Duration { ContinuousClock.now - start }
}

/// Decides which faults are written.
struct RepeatedFaults {
    /// The shortest time between two lines about the same fault.
    static let spanSeconds = 60
    /// Different faults that are counted separately. The others count together.
    static let textLimit = 100
    private static let others = "other faults"

    private struct Entry {
        var since: Duration
        var repeats = 0
    }

    private var entries: [String: Entry] = [:]
    /// Whether a later call of ``takeRepeated(at:isLast:)`` is expected.
    private var isPending = false

    /// Counts a fault.
    ///
    /// - Returns: whether to write it, and whether to call ``takeRepeated(at:isLast:)`` after ``spanSeconds``.
    mutating func add(_ text: String, at time: Duration) -> (isNew: Bool, isFirstRepeat: Bool) {
        let span = Duration.seconds(Self.spanSeconds)
        entries = entries.filter { $0.value.repeats > 0 || time - $0.value.since < span }
        let isKnown = entries[text] != nil
        let key = isKnown || entries.count < Self.textLimit ? text : Self.others
        guard entries[key] != nil || key == Self.others else {
            entries[key] = Entry(since: time)
            return (true, false)
        }
        entries[key, default: Entry(since: time)].repeats += 1
        defer { isPending = true }
        return (false, !isPending)
    }

    /// Returns a line for each fault that repeated and was not written for ``spanSeconds``, sorted, and counts anew.
    ///
    /// - Parameter isLast: whether to return every fault that repeated.
    /// - Returns: the lines, and whether to call this again after ``spanSeconds``.
    mutating func takeRepeated(at time: Duration, isLast: Bool = false) -> (lines: [String], isPending: Bool) {
        let span = Duration.seconds(Self.spanSeconds)
        var lines: [String] = []
        for (text, entry) in entries.sorted(by: { $0.key < $1.key }) where entry.repeats > 0 {
            guard isLast || time - entry.since >= span else { continue }
            let count = entry.repeats == 1 ? "once" : "\(entry.repeats) times"
            lines.append("\(text) (repeated \(count) in \((time - entry.since).components.seconds) s)")
            entries[text] = Entry(since: time)
        }
        isPending = entries.contains { $0.value.repeats > 0 }
        return (lines, isPending)
    }
}
