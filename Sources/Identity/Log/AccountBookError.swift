public import Events

/// The reason why the accounts of a data directory cannot be opened or changed. For the operator; users do not see it.
public enum AccountBookError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process has the accounts open.
    case held(by: String)
    /// Accounts exist, but the master key is missing. A new key could not open them.
    case masterKeyMissing(path: String)
    /// Users other than the owner can read or change the master key.
    case masterKeyExposed(path: String, mode: UInt32)
    /// The master key file is malformed.
    case masterKeyMalformed(path: String)
    /// The accounts' keys were sealed by a different master key.
    case masterKeyOther(path: String)
    /// Accounts exist, but the file of their keys is missing.
    case keysMissing(path: String)
    /// The file of the accounts' keys has an invalid header.
    case keysMalformed(path: String)
    /// The key of an account is neither valid nor destroyed.
    case keyDamaged(AccountID, path: String)
    /// The log has fewer records than before.
    case endsEarly(record: UInt64, known: UInt64)
    /// The log has a different record than before.
    case replaced(record: UInt64)
    /// The file with the known head of the log is unreadable.
    case headMalformed(path: String)
    /// A record is unreadable.
    case unreadable(record: UInt64, DecodingFault)
    /// A record was written by a later version.
    case unknownFormat(record: UInt64, version: UInt8)
    /// The account's key cannot open the personal data in a record.
    case unopened(record: UInt64, AccountID)
    /// A record contradicts earlier records.
    case misfit(record: UInt64, String)
    /// A change contradicts the state: a bug in the program. Nothing was written.
    case unfit(String)
    /// The state in memory differs from the log.
    case different(String)
    /// The target of a restore already contains accounts.
    case alreadyThere(path: String)
    /// The backup of accounts was changed after it was made.
    case backupDamaged(path: String, problem: String)
    /// The disk is full. Nothing was written; the same change can succeed later.
    case lacksResources(path: String)
    /// An earlier write failed.
    case stopped(String)
    /// A path refers to another file, or to none, since it was opened.
    case displaced(path: String)
    /// The accounts were closed.
    case closed

    public var description: String {
        switch self {
        case .held(let holder):
            "the accounts are open in \(holder): ask it, or end it first"
        case .masterKeyMissing(let path):
            "there are accounts, and no master key in `\(path)`: put it back from where it is kept apart; without it nobody can read them"
        case .masterKeyExposed(let path, let mode):
            """
            the master key in `\(path)` can be read or changed by others than its owner (mode 0\(String(mode, radix: 8))): run \
            `chmod 600 \(path)`, and think about who may have read it
            """
        case .masterKeyMalformed(let path):
            "`\(path)` is no master key: put the right file back from where it is kept apart"
        case .masterKeyOther(let path):
            "the keys in `\(path)` were made with another master key than `master.key` in the folder above: put that one back"
        case .keysMissing(let path):
            "there are accounts, and no file `\(path)` with their keys: restore the folder of the accounts whole from a copy"
        case .keysMalformed(let path):
            "`\(path)` does not begin as a file of keys does: it was damaged or replaced; restore the folder whole from a copy"
        case .keyDamaged(let account, let path):
            "the key of account \(account.number) in `\(path)` is damaged or not there: restore the file from a copy"
        case .endsEarly(let record, let known):
            """
            the log of the accounts ends with record \(record), and had \(known) already: its file was damaged or replaced; restore \
            the folder of the accounts whole from a copy
            """
        case .replaced(let record):
            """
            record \(record) of the accounts is not the record that was there: the file of the log was replaced. Restore the folder of the \
            accounts whole from a copy
            """
        case .headMalformed(let path):
            "`\(path)` cannot be read: it was damaged; restore the folder of the accounts whole from a copy"
        case .unreadable(let record, let fault): "record \(record) of the accounts cannot be read: \(fault)"
        case .unknownFormat(let record, let version):
            "record \(record) of the accounts has format version \(version), which this Muniment does not know: use a later one"
        case .unopened(let record, let account):
            "record \(record) of the accounts cannot be opened by the key of account \(account.number): restore both from one copy"
        case .misfit(let record, let what): "record \(record) of the accounts does not fit those before it: \(what)"
        case .unfit(let what): "a change of accounts does not fit what there is: \(what); nothing was written"
        case .different(let what): "what is in memory of the accounts is not what their log says: \(what); start the service again"
        case .alreadyThere(let path): "there are accounts in `\(path)` already, and nothing is overwritten: name another folder"
        case .backupDamaged(let path, let problem):
            "the backup in `\(path)` is not what it was when it was made (\(problem)): take another one"
        case .displaced(let path):
            "`\(path)` or the log beside it was removed or replaced while it was open, so accounts take no changes: put the folder back "
                + "or restore it, then start the service again"
        case .closed: "the accounts were closed, and nothing can be done with them any more"
        case .stopped(let reason):
            """
            the accounts take no more changes, since an earlier write failed (\(reason)); what was acknowledged is safe: mend the \
            cause and start the service again
            """
        }
    }
}
