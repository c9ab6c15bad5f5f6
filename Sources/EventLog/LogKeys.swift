internal import Events

/// The keys of the log's rows.
///
/// Commits stand in the environment's main table, refusals in a table of their own, whose name is a row of the main table as
/// well. So that commits can go on being appended behind that row, which fills pages best, their keys have the highest bit set
/// from the moment on when it is there.
enum LogKeys {
    /// The table of refusals. It is made with the first one.
    static let refusals = "refusals"

    private static let behindTheName: UInt64 = 1 << 63

    /// The key of a commit.
    ///
    /// - Parameter isBehindTheName: whether there were refusals when it was appended.
    static func commit(_ revision: Revision, isBehindTheName: Bool) -> [UInt8] {
        key(isBehindTheName ? revision.rawValue | behindTheName : revision.rawValue)
    }

    static func refusal(_ number: RefusalNumber) -> [UInt8] { key(number.rawValue) }

    /// The revision that a key of the main table stands for; nil for the name of a table, and for what is no key of a log.
    static func revision(_ key: Span<UInt8>) -> Revision? {
        guard let number = number(key) else { return nil }
        let revision = Revision(number & ~behindTheName)
        return revision < .open ? revision : nil
    }

    /// The number of a key of eight bytes.
    static func number(_ key: Span<UInt8>) -> UInt64? {
        guard key.count == 8 else { return nil }
        return key.indices.reduce(0) { $0 << 8 | UInt64(key[$1]) }
    }

    /// Eight bytes, the most significant first, so that the order of the bytes is that of the numbers.
    static func key(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }
}
