internal import EventLog
public import Events
internal import Hashing
internal import Synchronization

/// The record of refused commands: who tried what, when, and which rule refused it (CONFORMANCE E9).
///
/// It contains every command that ``Store/commit(_:)-(Transaction)`` or ``Importer/add(_:)`` refuses, before the caller is told.
/// Refused questions are not recorded.
extension Store {
    /// Calls `body` with refused commands in order, after checking their hash chain.
    ///
    /// - Parameters:
    ///   - first: the number of the first one.
    ///   - last: the number of the last one; nil for the newest. Numbers after the newest are ignored.
    ///   - body: receives each refusal, and SHA-256 of the chain up to it as 64 hexadecimal digits.
    /// - Throws: `LogError` for a damaged record, and the errors of `body`.
    public func refusals(
        from first: RefusalNumber = .first, to last: RefusalNumber? = nil,
        _ body: (_ refusal: RecordedRefusal, _ hash: String) throws -> Void
    ) throws {
        try users.during {
            try log.readRefusals { log in
                try log.forEachRefusal(from: first, to: last ?? RefusalNumber(.max)) { try body($0, $1.description) }
            }
        }
    }

    /// The number of commands that were ever refused, which is the number of the last refusal. Logarithmic.
    public var refusalCount: UInt64 {
        get throws { try users.during { try log.readRefusals { try $0.lastRefusal() }?.number.rawValue ?? 0 } }
    }
}
