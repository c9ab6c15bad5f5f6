public import Events

/// What is wrong with a log.
public enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The record of a revision is not there.
    case missing(Revision)
    /// The log was closed with a later commit than the last one that it has.
    case endsEarly(Revision, sealed: Revision)
    /// The bytes of a record are not what its hash and the one before vouch for.
    case brokenChain(Revision)
    /// A record whose hash is right cannot be read.
    case unreadable(Revision, DecodingFault)
    /// The record of a refusal is not there.
    case missingRefusal(RefusalNumber)
    /// The bytes of a refusal's record are not what its hash and the one before vouch for.
    case brokenRefusals(RefusalNumber)
    /// The record of a refusal, whose hash is right, cannot be read.
    case unreadableRefusal(RefusalNumber, DecodingFault)
    /// The record of a number is not there, in a log of records.
    case missingRecord(RecordNumber)
    /// The bytes of a record are not what its hash and the one before vouch for, in a log of records.
    case brokenRecord(RecordNumber)
    /// There are rows that are no records.
    case strangers
    /// The log and what is to be appended do not fit together.
    case outOfOrder(String)
    /// An earlier write failed; nothing more is written until the store is opened again.
    case stopped(String)
    /// The path of the log leads to another file, or to none, since the log was opened.
    case displaced(path: String)
    /// The log holds no store.
    case empty

    public var description: String {
        switch self {
        case .missing(let revision):
            "the log has no record of revision \(revision): the file is damaged; restore it from a copy"
        case .endsEarly(let revision, let sealed):
            "the log ends with revision \(revision), and was closed with \(sealed): its file was damaged or replaced; restore the "
                + "folder `log` whole, with its `seal`, from a copy"
        case .brokenChain(let revision):
            "revision \(revision) of the log is not what its hash vouches for: the file was changed or damaged; restore it from a copy"
        case .unreadable(let revision, let fault):
            "revision \(revision) of the log cannot be read: \(fault)"
        case .missingRefusal(let number):
            "the log has no record of refusal \(number): the file is damaged; restore it from a copy"
        case .brokenRefusals(let number):
            "refusal \(number) of the log is not what its hash vouches for: the file was changed or damaged; restore it from a copy"
        case .unreadableRefusal(let number, let fault):
            "refusal \(number) of the log cannot be read: \(fault)"
        case .missingRecord(let number):
            "the log has no record \(number): the file is damaged; restore it from a copy"
        case .brokenRecord(let number):
            "record \(number) of the log is not what its hash vouches for: the file was changed or damaged; restore it from a copy"
        case .strangers:
            "the log has rows that are no records, or fewer records than it says: the file was changed or damaged; restore it from a copy"
        case .outOfOrder(let what): "the log refuses what is out of order: \(what)"
        case .stopped(let reason):
            """
            the store has stopped taking writes, since an earlier one failed (\(reason)); what was acknowledged is safe: mend the \
            cause and open the store again
            """
        case .displaced(let path):
            """
            `\(path)` was removed or replaced while it was open, so nothing more is written: put the folder back or restore it, then \
            open it again
            """
        case .empty: "the log holds no store: it was never created in full; create it again"
        }
    }
}
