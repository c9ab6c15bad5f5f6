internal import EventLog
internal import Events
internal import Files
internal import Hashing

extension AccountsBackup {
    /// Puts the accounts of a backup into a data directory where there are none.
    ///
    /// Every byte is held against the record of the backup. That needs no master key; opening the accounts does, and the one that they
    /// were made with. What is put there begins its life with the last record of the backup: an earlier log in its place is refused.
    ///
    /// - Parameters:
    ///   - backup: the folder that ``make(of:to:)`` was told of. It is only read.
    ///   - folder: the folder `.muniment` of the data directory, which is made where it is not there.
    /// - Returns: what the backup holds.
    /// - Throws: ``AccountBookError/alreadyThere(path:)``, ``AccountBookError/backupDamaged(path:problem:)``; what the disk says.
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
            throw AccountBookError.backupDamaged(path: source.path, problem: "its log is another one")
        }
        guard try digest(of: copy.keys) == record.keysDigest else {
            throw AccountBookError.backupDamaged(path: source.path, problem: "its keys are others")
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
        else { throw AccountBookError.backupDamaged(path: source.path, problem: "`backup.json` is not what this version writes") }
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
