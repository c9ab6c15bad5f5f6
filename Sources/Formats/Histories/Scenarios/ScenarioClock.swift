import Events
import Synchronization

/// The clock of a scenario. Only a line of the scenario advances it.
final class ScenarioClock: Sendable {
    private let instant = Mutex(ScenarioClock.start)

    /// 2026-01-01T00:00:00Z, the start of every scenario.
    static let start = Instant(microseconds: 1_767_225_600_000_000)

    var now: Instant { instant.withLock { $0 } }

    func advance(to moment: Instant) { instant.withLock { $0 = max($0, moment) } }
}
