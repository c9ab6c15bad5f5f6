public import Primitives

/// Why the accounts of a data directory cannot be opened or changed. The messages are for the operator and are not sent to users.
public enum AccountDatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    case held(by: String)
    /// There are accounts, but their master key is missing. A new key could not decrypt them.
    case masterKeyMissing(path: String)
    /// Other users of the system may read or change the master key.
    case masterKeyExposed(path: String, mode: UInt32)
    case masterKeyMalformed(path: String)
    case masterKeyOther(path: String)
    case keysMissing(path: String)
    case keysMalformed(path: String)
    /// The key of an account is neither present nor destroyed.
    case keyDamaged(AccountID, path: String)
    /// The log has fewer records than at its last known state.
    case endsEarly(record: UInt64, known: UInt64)
    /// A record of the log differs from its last known state.
    case replaced(record: UInt64)
    case headMalformed(path: String)
    case unreadable(record: UInt64, CodecError)
    case unknownFormat(record: UInt64, version: UInt8)
    case unopened(record: UInt64, AccountID)
    case misfit(record: UInt64, String)
    /// A change contradicts the current state, because of an error in the program. Nothing was written.
    case unfit(String)
    case different(String)
    case alreadyThere(path: String)
    /// The backup of accounts was changed after it was made.
    case backupDamaged(path: String, problem: String)
    /// The disk is full. Nothing was written; the same change can succeed later.
    case insufficientResources(path: String)
    case stopped(String)
    /// Since the accounts were opened, a path of their files was removed or leads to another file.
    case displaced(path: String)
    case closed

    public var description: String {
        switch self {
        case .held(let holder):
            "the accounts are open in \(holder): use that process, or stop it first"
        case .masterKeyMissing(let path):
            "accounts exist, but `\(path)` has no master key: restore it from your separate copy; the accounts are unreadable without it"
        case .masterKeyExposed(let path, let mode):
            """
            the master key in `\(path)` can be read or changed by others than its owner (mode 0\(String(mode, radix: 8))): run \
            `chmod 600 \(path)`, and think about who may have read it
            """
        case .masterKeyMalformed(let path):
            "`\(path)` is not a master key: restore the right file from your separate copy"
        case .masterKeyOther(let path):
            "the keys in `\(path)` were made with another master key than `master.key` in the parent folder: restore that key"
        case .keysMissing(let path):
            "accounts exist, but the file `\(path)` with their keys is missing: restore the whole folder of the accounts from a copy"
        case .keysMalformed(let path):
            "`\(path)` is not a file of keys: it was damaged or replaced; restore the whole folder from a copy"
        case .keyDamaged(let account, let path):
            "the key of account \(account.number) in `\(path)` is damaged or missing: restore the file from a copy"
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
            "`\(path)` cannot be read: it was damaged; restore the whole folder of the accounts from a copy"
        case .unreadable(let record, let fault): "record \(record) of the accounts cannot be read: \(fault)"
        case .unknownFormat(let record, let version):
            "record \(record) of the accounts has format version \(version), which this Muniment does not know: use a later one"
        case .unopened(let record, let account):
            "record \(record) of the accounts cannot be decrypted with the key of account \(account.number): restore both from one copy"
        case .misfit(let record, let what): "record \(record) of the accounts contradicts earlier records: \(what)"
        case .unfit(let what): "a change of accounts contradicts their current state: \(what); nothing was written"
        case .different(let what): "the accounts in memory differ from their log: \(what); start the service again"
        case .alreadyThere(let path): "`\(path)` already has accounts and is not overwritten: name another folder"
        case .backupDamaged(let path, let problem):
            "the backup in `\(path)` was changed or damaged (\(problem)): use another one"
        case .displaced(let path):
            "`\(path)` or its log was removed or replaced while it was open, so the accounts take no changes: put the folder back "
                + "or restore it, then start the service again"
        case .closed: "the accounts were closed: open them again"
        case .insufficientResources(let path):
            "the accounts cannot be changed now: the disk of `\(path)` is full. Nothing was changed. Make room, then try again."
        case .stopped(let reason):
            """
            the accounts take no changes, because an earlier write failed (\(reason)); acknowledged changes are safe: repair the \
            cause and start the service again
            """
        }
    }
}
