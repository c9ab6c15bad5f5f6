internal import EventLog
internal import Events
internal import Files
internal import Hashing

/// A backup of the accounts of a data directory, as they were at one moment.
///
///     BACKUP/accounts/log/data.mdb   the log, without free pages
///     BACKUP/accounts/keys           the keys of the accounts, sealed by the master key
///     BACKUP/accounts/backup.json    this record, by which the rest is checked
///
/// The master key is not in it: whoever has the backup alone can read nothing that is personal in it.
public struct AccountsBackup: Hashable, Sendable {
    /// The accounts that can be read in it.
    public let accounts: Int
    let head: RecordHead
    let logDigest: Digest
    let keysDigest: Digest

    /// How many records its log has.
    public var records: UInt64 { head.number.rawValue }
    /// The hash of the last record, in hexadecimal digits, which vouches for all of them.
    public var headHash: String { "\(head.hash)" }

    /// How often keys are copied again that were being written over when they were read.
    private static let attemptLimit = 3

    /// Makes a backup of accounts, whoever has them open meanwhile; it needs no word with them.
    ///
    /// The log is copied as one view sees it, and the keys behind it. New keys are written before the log tells of their accounts, so
    /// each account of the copy has its key; one that was deleted in between has none in it any more. All of it is read once with
    /// the master key before this returns. Linear in the log and the keys.
    ///
    /// - Parameters:
    ///   - folder: the folder `.muniment` of the data directory.
    ///   - backup: the folder that stands for it in the backup; it is made where it is not there.
    /// - Returns: what the backup holds; nil where nobody ever had an account, and nothing was made.
    /// - Throws: ``AccountBookError`` where the accounts could not be opened either; `LogError`; what the disk says.
    public static func make(of folder: String, to backup: String) throws -> AccountsBackup? {
        let (source, copy) = (AccountsFolder(folder), AccountsFolder(backup))
        // Before the log is copied: it is never ahead of the log.
        let known = try source.known.read()
        guard try copyLog(source, copy) else { return nil }
        let master = try MasterKey.load(path: folder + "/master.key", isNeeded: true)
        var attempt = 1
        while true {
            try copyKeys(source, copy)
            do { return try check(copy, against: known, master) } catch AccountBookError.keyDamaged where attempt < attemptLimit {
                attempt += 1
                try removeFile(copy.keys)
            }
        }
    }

    /// Copies the log as it is now; answers whether there is anything in it.
    static func copyLog(_ source: AccountsFolder, _ copy: AccountsFolder) throws -> Bool {
        guard try exists(source.logFile) else { return false }
        let log = try RecordLog(path: source.log, isReadOnly: true)
        defer { log.close() }
        guard log.head != nil else { return false }
        try copy.make()
        try log.copy(to: copy.logFile)
        try syncFolder(of: copy.logFile)
        return true
    }

    static func copyKeys(_ source: AccountsFolder, _ copy: AccountsFolder) throws {
        do { try copyFile(source.keys, to: copy.keys) } catch let error as FileError where error.isMissing {
            throw AccountBookError.keysMissing(path: source.keys)
        }
    }

    /// Reads a copy as opening would, destroys the keys of accounts that its log says to be deleted, and writes its record.
    static func check(_ copy: AccountsFolder, against known: RecordHead?, _ master: MasterKey) throws -> AccountsBackup {
        let log = try RecordLog(path: copy.log, isReadOnly: true)
        defer { log.close() }
        try AccountBook.check(log, against: known)
        let keys = try KeyFile(path: copy.keys, master: master, isNeeded: true)
        defer { keys.close() }
        let state = try AccountBook.fold(log, keys)
        guard let head = log.head else { throw LogError.empty }
        let backup = AccountsBackup(
            accounts: state.accountCount, head: head, logDigest: try digest(of: copy.logFile), keysDigest: try digest(of: copy.keys)
        )
        // Whoever reads the log leaves this beside it.
        try removeFile(copy.log + "/lock.mdb")
        try backup.write(to: copy)
        return backup
    }

    static func digest(of file: String) throws -> Digest {
        var digest = DigestStream()
        try forEachChunk(of: file, chunkBytes: 1 << 20) { digest.update($0) }
        return digest.finish()
    }
}

/// Where the parts of the accounts are.
struct AccountsFolder {
    let path: String

    /// - Parameter folder: the folder `.muniment` of a data directory, or of a backup of one.
    init(_ folder: String) { path = folder + "/accounts" }

    var log: String { path + "/log" }
    var logFile: String { log + "/data.mdb" }
    var keys: String { path + "/keys" }
    var record: String { path + "/backup.json" }
    var known: KnownHead { KnownHead(path: path + "/head") }

    /// Makes the folders, for their owner alone.
    func make() throws {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        for folder in [String(path[..<end]), path, log] { try makePrivateFolder(folder) }
    }
}
