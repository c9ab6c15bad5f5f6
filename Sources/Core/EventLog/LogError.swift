public import Events

/// An error of a log.
public enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The record of a revision is missing.
    case missing(Revision)
    /// The last commit of the log is earlier than the last one when it was closed.
    case endsEarly(Revision, sealed: Revision)
    /// The bytes of a record do not match its hash and the previous one.
    case brokenChain(Revision)
    /// A record with a correct hash cannot be decoded.
    case unreadable(Revision, CodecError)
    /// The record of a refusal is missing.
    case missingRefusal(RefusalNumber)
    /// The bytes of a refusal's record do not match its hash and the previous one.
    case brokenRefusals(RefusalNumber)
    /// The record of a refusal has a correct hash and cannot be decoded.
    case unreadableRefusal(RefusalNumber, CodecError)
    /// The record of a number is missing, in a log of records.
    case missingRecord(RecordNumber)
    /// The bytes of a record do not match its hash and the previous one, in a log of records.
    case brokenRecord(RecordNumber)
    /// The log contains rows that are not records.
    case unexpectedRows
    /// The records to append do not follow the end of the log.
    case outOfOrder(String)
    /// An earlier write failed. The log accepts writes again after the store was reopened.
    case stopped(String)
    /// The path of the log refers to another file, or to no file, since the log was opened.
    case displaced(path: String)
    /// The log does not contain a store.
    case empty

    public var description: String {
        switch self {
        case .missing(let revision):
            "the log has no record of revision \(revision): the file is damaged; restore it from a copy"
        case .endsEarly(let revision, let sealed):
            "the log ends with revision \(revision), but was closed with \(sealed): its file was damaged or replaced; restore the "
                + "folder `log` whole, with its `seal`, from a copy"
        case .brokenChain(let revision):
            "revision \(revision) of the log does not match its hash: the file was changed or damaged; restore it from a copy"
        case .unreadable(let revision, let fault):
            "revision \(revision) of the log cannot be read: \(fault)"
        case .missingRefusal(let number):
            "the log has no record of refusal \(number): the file is damaged; restore it from a copy"
        case .brokenRefusals(let number):
            "refusal \(number) of the log does not match its hash: the file was changed or damaged; restore it from a copy"
        case .unreadableRefusal(let number, let fault):
            "refusal \(number) of the log cannot be read: \(fault)"
        case .missingRecord(let number):
            "the log has no record \(number): the file is damaged; restore it from a copy"
        case .brokenRecord(let number):
            "record \(number) of the log does not match its hash: the file was changed or damaged; restore it from a copy"
        case .unexpectedRows:
            "the log has invalid rows, or fewer records than its count: the file was changed or damaged; restore it from a copy"
        case .outOfOrder(let what): "the log refuses an entry that is out of order: \(what)"
        case .stopped(let reason):
            """
            the store takes no writes, because an earlier write failed (\(reason)); acknowledged commits are safe: repair the \
            cause and open the store again
            """
        case .displaced(let path):
            """
            `\(path)` was removed or replaced while it was open, so writing has stopped: put the folder back or restore it, then \
            open it again
            """
        case .empty: "the log contains no store: its creation was interrupted; create it again"
        }
    }
}
