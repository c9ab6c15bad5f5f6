public import Events
import Foundation
import Synchronization

/// A clock that changes only when a test sets it. It can also go back.
public final class ManualClock: Sendable {
    private let hands: Mutex<Hands>

    private enum Hands {
        case standing(Instant)
        case running(aheadMicroseconds: Int64)
    }

    public init(_ start: Instant = .newYear) { hands = Mutex(.standing(start)) }

    public var now: Instant {
        get {
            switch hands.withLock({ $0 }) {
            case .standing(let instant): instant
            case .running(let ahead): Instant.machine.advanced(byMicroseconds: ahead)
            }
        }
        set { hands.withLock { $0 = .standing(newValue) } }
    }

    public func advance(seconds: Int64) {
        hands.withLock { hands in
            switch hands {
            case .standing(let instant): hands = .standing(instant.later(seconds: seconds))
            case .running(let ahead): hands = .running(aheadMicroseconds: ahead + seconds * 1_000_000)
            }
        }
    }

    /// Follows the machine's clock from now on, for tests with other processes that report times.
    public func goWithMachine() { hands.withLock { $0 = .running(aheadMicroseconds: 0) } }
}

extension Instant {
    /// 2026-01-01T00:00:00Z, the start time of test clocks.
    public static let newYear = Instant(microseconds: 1_767_225_600_000_000)

    /// The current time of the machine's clock.
    public static var machine: Instant { Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }

    public func later(seconds: Int64) -> Instant { advanced(byMicroseconds: seconds * 1_000_000) }
}
