import Events
import Synchronization

/// The clock of a scenario: it stands still until a line moves it.
final class ScenarioClock: Sendable {
    private let instant = Mutex(ScenarioClock.start)

    /// 2026-01-01T00:00:00Z, where every scenario starts.
    static let start = Instant(microseconds: 1_767_225_600_000_000)

    var now: Instant { instant.withLock { $0 } }

    func advance(to moment: Instant) { instant.withLock { $0 = max($0, moment) } }
}
