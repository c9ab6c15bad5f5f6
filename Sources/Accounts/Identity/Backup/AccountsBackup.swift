internal import EventLog
internal import Files
internal import Hashing
internal import Primitives

/// A consistent backup of the accounts of a data directory.
///
///     BACKUP/accounts/log/data.mdb   the log, without free pages
///     BACKUP/accounts/keys           the keys of the accounts, sealed by the master key
///     BACKUP/accounts/backup.json    this record, which verifies the rest
///
/// The backup does not contain the master key. Without that key its personal data cannot be read.
public struct AccountsBackup: Hashable, Sendable {
    /// The number of readable accounts.
    public let accounts: Int
    let head: RecordHead
    let logDigest: Digest
    let keysDigest: Digest

    /// The number of records in the log.
    public var records: UInt64 { head.number.rawValue }
    /// The hash of the last record in hexadecimal digits. It covers all records.
    public var headHash: String { "\(head.hash)" }

    /// How many times keys are copied again if they changed while they were read.
    private static let attemptLimit = 3

    /// Makes a backup of accounts. Another process may have them open; no coordination with it is needed.
    ///
    /// The log is copied from one snapshot, and the keys afterwards. New keys are written before the log contains their accounts,
    /// so each account of the copy has its key. An account that was deleted between the two steps has no key in the copy. The
    /// complete backup is read once with the master key before this returns. Linear in the log and the keys.
    ///
    /// - Parameters:
    ///   - folder: the folder `.muniment` of the data directory.
    ///   - backup: the corresponding folder in the backup. It is created if it does not exist.
    /// - Returns: a description of the backup; nil if there never was an account and no backup was made.
    /// - Throws: ``AccountDatabaseError`` for the same reasons as opening the accounts, `LogError`, or an error of the file system.
    public static func make(of folder: String, to backup: String) throws -> AccountsBackup? {
        let (source, copy) = (AccountsFolder(folder), AccountsFolder(backup))
        // Read before the log is copied: the known head is never newer than the log.
        let known = try source.known.read()
        guard try copyLog(source, copy) else { return nil }
        let master = try MasterKey.load(path: folder + "/master.key", isNeeded: true)
        var attempt = 1
        while true {
            try copyKeys(source, copy)
            do { return try check(copy, against: known, master) } catch AccountDatabaseError.keyDamaged where attempt < attemptLimit
            {
                attempt += 1
                try removeFile(copy.keys)
            }
        }
    }

    /// Copies the current log. Returns whether it contains any records.
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
            throw AccountDatabaseError.keysMissing(path: source.keys)
        }
    }

    /// Reads a copy as opening would, destroys the keys of accounts that its log marks as deleted, and writes its record.
    static func check(_ copy: AccountsFolder, against known: RecordHead?, _ master: MasterKey) throws -> AccountsBackup {
        let log = try RecordLog(path: copy.log, isReadOnly: true)
        defer { log.close() }
        try AccountDatabase.check(log, against: known)
        let keys = try KeyFile(path: copy.keys, master: master, isNeeded: true)
        defer { keys.close() }
        let state = try AccountDatabase.fold(log, keys)
        guard let head = log.head else { throw LogError.empty }
        let backup = AccountsBackup(
            accounts: state.accountCount, head: head, logDigest: try digest(of: copy.logFile), keysDigest: try digest(of: copy.keys)
        )
        // Reading the log creates this file.
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

/// The paths of the files of the accounts.
struct AccountsFolder {
    let path: String

    /// - Parameter folder: the folder `.muniment` of a data directory, or of a backup of one.
    init(_ folder: String) { path = folder + "/accounts" }

    var log: String { path + "/log" }
    var logFile: String { log + "/data.mdb" }
    var keys: String { path + "/keys" }
    var record: String { path + "/backup.json" }
    var known: LastKnownHead { LastKnownHead(path: path + "/head") }

    /// Creates the folders, accessible only to their owner.
    func make() throws {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        for folder in [String(path[..<end]), path, log] { try makePrivateFolder(folder) }
    }
}

extension AccountsBackup {
    /// Restores the accounts of a backup into a data directory without accounts.
    ///
    /// Every byte is checked against the backup's record. This needs no master key. Opening the accounts needs the original master
    /// key. The restored accounts note the last record of the backup as their head, so an earlier log is rejected.
    ///
    /// - Parameters:
    ///   - backup: the folder that was passed to ``make(of:to:)``. It is only read.
    ///   - folder: the folder `.muniment` of the data directory. It is created if it does not exist.
    /// - Returns: a description of the backup.
    /// - Throws: ``AccountDatabaseError/alreadyThere(path:)``, ``AccountDatabaseError/backupDamaged(path:problem:)``, or an error of the
    ///   file system.
    @discardableResult
    public static func restore(_ backup: String, to folder: String) throws -> AccountsBackup {
        let (source, copy) = (AccountsFolder(backup), AccountsFolder(folder))
        let record = try AccountsBackup(source)
        guard try !exists(copy.path) else { throw AccountDatabaseError.alreadyThere(path: copy.path) }
        try copy.make()
        do {
            try copyFile(source.logFile, to: copy.logFile)
            try copyFile(source.keys, to: copy.keys)
        } catch let error as FileError where error.isMissing {
            throw AccountDatabaseError.backupDamaged(path: source.path, problem: "\(error)")
        }
        guard try digest(of: copy.logFile) == record.logDigest else {
            throw AccountDatabaseError.backupDamaged(path: source.path, problem: "its log is from another backup")
        }
        guard try digest(of: copy.keys) == record.keysDigest else {
            throw AccountDatabaseError.backupDamaged(path: source.path, problem: "its keys are from another backup")
        }
        guard try head(of: copy) == record.head else {
            throw AccountDatabaseError.backupDamaged(
                path: source.path, problem: "`backup.json` names another last record than its log has")
        }
        try syncFolder(of: copy.logFile)
        try copy.known.write(record.head)
        return record
    }

    /// Returns the last record of a copied log.
    private static func head(of copy: AccountsFolder) throws -> RecordHead? {
        let log = try RecordLog(path: copy.log, isReadOnly: true)
        defer {
            log.close()
            // Reading the log has created this file.
            try? removeFile(copy.log + "/lock.mdb")
        }
        return log.head
    }

    private static let format = "muniment-accounts-backup/1"

    private init(_ source: AccountsFolder) throws {
        let json: JSONValue
        do { json = try JSONText.decode(readFile(source.record)) } catch {
            throw AccountDatabaseError.backupDamaged(path: source.path, problem: "\(error)")
        }
        guard json["format"] == .string(AccountsBackup.format), case .integer(let accounts)? = json["accounts"],
            case .integer(let records)? = json["records"], let number = UInt64(exactly: records),
            let hash = Digest(json["hash"]), let log = Digest(json["log"]), let keys = Digest(json["keys"])
        else { throw AccountDatabaseError.backupDamaged(path: source.path, problem: "`backup.json` has an unknown format") }
        self.init(
            accounts: Int(accounts), head: RecordHead(number: RecordNumber(number), hash: hash), logDigest: log, keysDigest: keys)
    }

    func write(to copy: AccountsFolder) throws {
        var writer = JSONWriter()
        writer.write(
            .object([
                "format": .string(AccountsBackup.format), "accounts": .integer(Int64(accounts)),
                "records": .integer(Int64(records)),
                "hash": .string(headHash), "log": .string("\(logDigest)"), "keys": .string("\(keysDigest)"),
            ]))
        try replaceFile(copy.record, with: Array((writer.text + "\n").utf8))
    }
}

extension Digest {
    fileprivate init?(_ json: JSONValue?) {
        guard case .string(let text)? = json else { return nil }
        self.init(hexadecimal: text[...])
    }
}
