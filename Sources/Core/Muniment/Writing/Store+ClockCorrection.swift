public import Events
internal import Permissions

/// A correction of the clock that was committed.
public struct ClockCorrectionReceipt: Hashable, Sendable {
    /// The commit that records the correction.
    public let revision: Revision
    /// Its time. In queries, each earlier commit with a later time counts as made then.
    public let time: Instant
    /// The time of the commit before it.
    public let before: Instant
}

extension Store {
    /// Records that the machine's clock was ahead when earlier commits were made. The store's clock must be correct again.
    ///
    /// The commit has the time of the clock, and later commits continue from there. In queries about the past, each earlier commit
    /// with a later time counts as made at that time. Access that was recorded as expired stays expired. A correction cannot be
    /// reverted.
    ///
    /// - Parameters:
    ///   - caller: an administrator of the store.
    ///   - comment: the reason, up to 1,024 bytes.
    /// - Throws: `Refusal` if the caller does not administer the store or the comment is too long,
    ///   ``StoreError/clockNeedsNoCorrection(_:head:)`` if the newest commit is not later than the clock; ``StoreError`` or
    ///   `LogError` if the store cannot write. After an error, nothing is changed.
    public func correctClock(as caller: Name, comment: String? = nil) throws -> ClockCorrectionReceipt {
        try writing { try $0.correctClock(as: caller, comment: comment) }
    }
}
