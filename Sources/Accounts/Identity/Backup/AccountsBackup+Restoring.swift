internal import EventLog
internal import Files
internal import Hashing
internal import Primitives

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
    /// - Throws: ``AccountBookError/alreadyThere(path:)``, ``AccountBookError/backupDamaged(path:problem:)``, or an error of the
    ///   file system.
    @discardableResult
    public static func restore(_ backup: String, to folder: String) throws -> AccountsBackup {
        let (source, copy) = (AccountsFolder(backup), AccountsFolder(folder))
        let record = try AccountsBackup(source)
        guard try !exists(copy.path) else { throw AccountBookError.alreadyThere(path: copy.path) }
        try copy.make()
        do {
            try copyFile(source.logFile, to: copy.logFile)
            try copyFile(source.keys, to: copy.keys)
        } catch let error as FileError where error.isMissing {
            throw AccountBookError.backupDamaged(path: source.path, problem: "\(error)")
        }
        guard try digest(of: copy.logFile) == record.logDigest else {
            throw AccountBookError.backupDamaged(path: source.path, problem: "its log is from another backup")
        }
        guard try digest(of: copy.keys) == record.keysDigest else {
            throw AccountBookError.backupDamaged(path: source.path, problem: "its keys are from another backup")
        }
        try syncFolder(of: copy.logFile)
        try copy.known.write(record.head)
        return record
    }

    private static let format = "muniment-accounts-backup/1"

    private init(_ source: AccountsFolder) throws {
        let json: JSONValue
        do { json = try JSONText.decode(readFile(source.record)) } catch {
            throw AccountBookError.backupDamaged(path: source.path, problem: "\(error)")
        }
        guard json["format"] == .string(AccountsBackup.format), case .integer(let accounts)? = json["accounts"],
            case .integer(let records)? = json["records"], let number = UInt64(exactly: records),
            let hash = Digest(json["hash"]), let log = Digest(json["log"]), let keys = Digest(json["keys"])
        else { throw AccountBookError.backupDamaged(path: source.path, problem: "`backup.json` has an unknown format") }
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
