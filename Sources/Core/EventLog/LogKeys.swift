internal import Events
internal import LMDB

/// The keys of the log's rows.
///
/// Commits are in the environment's main table. Refusals are in a separate table, and its name is a row of the main table. From
/// the creation of that row on, the keys of commits have their highest bit set. Commits can then still be appended at the end of
/// the table, which fills pages best.
enum LogKeys {
    /// The table of refusals. It is created with the first one.
    static let refusals = "refusals"

    private static let behindTheName: UInt64 = 1 << 63

    /// Returns the key of a commit.
    ///
    /// - Parameter isAfterTheName: whether the log contained refusals when the commit was appended.
    static func commit(_ revision: Revision, isAfterTheName: Bool) -> FixedKey {
        record(isAfterTheName ? revision.rawValue | behindTheName : revision.rawValue)
    }

    /// Returns the key of a numbered record: eight bytes, so that keys have the order of their numbers.
    static func record(_ number: UInt64) -> FixedKey { FixedKey(UInt128(number), byteCount: 8) }

    /// Returns the revision of a key in the main table; nil for the name of a table, and for an invalid key.
    static func revision(_ key: Span<UInt8>) -> Revision? {
        guard let number = number(key) else { return nil }
        let revision = Revision(number & ~behindTheName)
        return revision < .open ? revision : nil
    }

    /// Returns the number of a key of eight bytes.
    static func number(_ key: Span<UInt8>) -> UInt64? {
        guard key.count == 8 else { return nil }
        return key.indices.reduce(0) { $0 << 8 | UInt64(key[$1]) }
    }
}
