internal import Events
internal import Files

/// The contents of a backup: a store as of one moment.
///
///     BACKUP/log/data.mdb   the log, without free pages
///     BACKUP/log/seal       a checksum for each page of it
///     BACKUP/levels.json    names for sets of privileges, if the store has some
///     BACKUP/backup.json    this record, used to verify the other files
///
/// The backup does not contain the index. Restoring rebuilds it from the log.
public struct Backup: Hashable, Sendable {
    /// The last commit in the backup. Its hash covers every commit before it.
    public let head: StoreHead
    public let events: UInt64
    /// The number of records of refused commands.
    public let refusals: UInt64
    /// The hash of the last of these records; it covers all of them. Nil without records, and for a backup of an earlier version.
    public let refusalHash: String?

    static let format = "muniment-backup/1"

    init(_ report: VerificationReport, head: StoreHead) {
        self.head = head
        events = report.events
        refusals = report.refusals
        refusalHash = report.refusalHash
    }
}

extension Backup {
    /// Reads the record of a backup.
    ///
    /// - Throws: ``BackupError/notABackup(path:)``, ``BackupError/unknownFormat(path:format:)``,
    ///   ``BackupError/damaged(path:problem:)``, or the error of reading the file.
    public init(at path: String) throws {
        guard try Files.exists(Backup.record(in: path)) else { throw BackupError.notABackup(path: path) }
        let damaged = BackupError.damaged(path: path, problem: "`backup.json` has an unknown format")
        guard let json = try? JSONText.decode(readFile(Backup.record(in: path))), case .string(let format)? = json["format"] else {
            throw damaged
        }
        guard format == Backup.format else { throw BackupError.unknownFormat(path: path, format: format) }
        guard let backup = Backup(json: json) else { throw damaged }
        self = backup
    }

    init?(json: JSONValue) {
        guard let revision = json.count("revision"), case .string(let hash)? = json["hash"], case .string(let time)? = json["time"],
            let time = try? Instant(time), let events = json.count("events"), let refusals = json.count("refusals")
        else { return nil }
        head = StoreHead(revision: Revision(revision), time: time, hash: hash)
        (self.events, self.refusals) = (events, refusals)
        refusalHash = if case .string(let hash)? = json["refusalHash"] { hash } else { nil }
    }

    var json: JSONObject {
        var json: JSONObject = [
            "revision": .integer(Int64(head.revision.rawValue)), "time": .string("\(head.time)"), "hash": .string(head.hash),
            "events": .integer(Int64(events)), "refusals": .integer(Int64(refusals)),
        ]
        if let refusalHash { json["refusalHash"] = .string(refusalHash) }
        return json
    }

    func write(to path: String) throws {
        var json = json
        json["format"] = .string(Backup.format)
        try replaceFile(Backup.record(in: path), with: JSONText.encode(.object(json)) + [UInt8(ascii: "\n")])
    }

    static func exists(at path: String) -> Bool { fileExists(record(in: path)) }

    private static func record(in path: String) -> String { path + "/backup.json" }
}

extension JSONValue {
    fileprivate func count(_ name: String) -> UInt64? {
        if case .integer(let number)? = self[name] { UInt64(exactly: number) } else { nil }
    }
}
