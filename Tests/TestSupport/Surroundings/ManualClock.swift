public import Events
import Synchronization

/// A clock that stands still until a test moves it, backwards too.
public final class ManualClock: Sendable {
    private let instant: Mutex<Instant>

    public init(_ start: Instant = .newYear) { instant = Mutex(start) }

    public var now: Instant {
        get { instant.withLock { $0 } }
        set { instant.withLock { $0 = newValue } }
    }

    public func advance(seconds: Int64) { instant.withLock { $0 = $0.later(seconds: seconds) } }
}

extension Instant {
    /// 2026-01-01T00:00:00Z, where the clocks of tests start.
    public static let newYear = Instant(microseconds: 1_767_225_600_000_000)

    public func later(seconds: Int64) -> Instant { advanced(byMicroseconds: seconds * 1_000_000) }
}
