public import Events
public import Permissions

/// A correction of the clock that was committed.
public struct ClockCorrectionReceipt: Hashable, Sendable {
    /// The commit that records the correction.
    public let revision: Revision
    /// Its time. Each earlier commit with a later time counts as made then.
    public let time: Instant
    /// The time of the commit before it.
    public let before: Instant
}

extension Store {
    /// Records that the machine's clock was ahead when earlier commits were made. The store's clock has to be right again.
    ///
    /// The commit has the time of the clock, and later commits go on from there. Each earlier commit with a later time counts as made at
    /// that time in questions about the past. Access that was recorded as ended stays ended. A correction cannot be taken back.
    ///
    /// - Parameters:
    ///   - caller: an administrator of the store.
    ///   - comment: why, up to 1,024 bytes.
    /// - Throws: `Refusal` if the caller does not administer the store or the comment is too long,
    ///   ``StoreError/clockNeedsNoCorrection(_:head:)`` if the newest commit is not later than the clock; ``StoreError`` or `LogError` if
    ///   the store cannot write. Nothing is changed then.
    public func correctClock(as caller: Name, comment: String? = nil) throws -> ClockCorrectionReceipt {
        try writing { try $0.correctClock(as: caller, comment: comment) }
    }
}
