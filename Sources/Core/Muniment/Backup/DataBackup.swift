internal import Events
internal import Files
internal import Foundation
internal import Hashing

/// A backup of all stores of a data directory, as a folder of backups.
///
///     BACKUP/NAME/                    the backup of store NAME, which can be restored separately
///     BACKUP/.muniment/tokens.jsonl   the tokens of the service, if it has some; only hashes of secrets
///     BACKUP/.muniment/accounts/      the accounts of the service, if it has some, copied by the accounts module
///     BACKUP/backup.json              the list of stores and their heads
///
/// Each store is copied as of a separate moment.
public struct DataBackup: Hashable, Sendable {
    /// The backup of each store, by store name.
    public let stores: [String: Backup]
    /// Whether the backup contains the service's tokens.
    public let hasTokens: Bool
    /// The SHA-256 of the token file, in hexadecimal digits; nil without tokens, and in a backup of an early build.
    public let tokensHash: String?
    /// Whether the backup contains the service's accounts.
    public let hasAccounts: Bool

    static let format = "muniment-data-backup/1"
    private static let tokens = ".muniment/tokens.jsonl"

    /// Backs up every store in a data directory. The stores stay in use meanwhile.
    ///
    /// - Parameters:
    ///   - directory: the data directory. Each of its folders is a store.
    ///   - path: the folder to create for the backup; it must not exist or must be empty.
    ///   - options: the progress and the size of the maps.
    ///   - accounts: copies the accounts, which this module does not know, into the given folder, and returns whether there are
    ///     some. It is called first, so that every account in the backup has its entry in the stores.
    /// - Throws: ``BackupError``, errors of `accounts`, or file errors. An error leaves no backup.
    public static func make(
        of directory: String, to path: String, options: StoreOptions = StoreOptions(),
        accounts: (_ backup: String) throws -> Bool = { _ in false }
    ) throws -> DataBackup {
        let names = try storeNames(in: directory)
        guard !names.isEmpty else { throw BackupError.noStores(path: directory) }
        try BackupError.checkPlace(StoreFolder(path).path)
        return try StagingFolder.make(at: StoreFolder(path).path) { draft in
            let hasAccounts = try accounts(draft)
            var stores: [String: Backup] = [:]
            for name in names {
                stores[name] = try Store.makeBackup(at: directory + "/" + name, to: draft + "/" + name, options: options)
            }
            let tokensHash = try copyTokens(from: directory, to: draft)
            let backup = DataBackup(
                stores: stores, hasTokens: tokensHash != nil, tokensHash: tokensHash, hasAccounts: hasAccounts)
            try backup.write(to: draft)
            return backup
        }
    }

    /// Restores a data directory from a backup. The data directory must not exist.
    ///
    /// - Parameters:
    ///   - backup: the folder that ``make(of:to:options:accounts:)`` created. It is only read.
    ///   - directory: the data directory to create; it must not exist or must be empty.
    ///   - withTokens: whether to restore the tokens as well. A token that was revoked after the backup becomes valid again.
    ///     A token file that differs from the one of the backup is refused.
    ///   - options: the progress, the clock and the limits for rebuilding the indexes.
    ///   - accounts: restores the accounts, if the backup has some, into the given folder.
    /// - Throws: ``BackupError``, errors of `accounts`, or file errors. An error leaves no data directory.
    @discardableResult
    public static func restore(
        _ backup: String, to directory: String, withTokens: Bool = false, options: StoreOptions = StoreOptions(),
        accounts: (_ directory: String) throws -> Void = { _ in }
    ) throws -> DataBackup {
        let record = try DataBackup(at: backup)
        return try StagingFolder.make(at: StoreFolder(directory).path) { draft in
            if record.hasAccounts { try accounts(draft) }
            for (name, expected) in record.stores.sorted(by: { $0.key < $1.key }) {
                let found = try Store.restore(backup + "/" + name, to: draft + "/" + name, options: options)
                guard found == expected else {
                    throw BackupError.damaged(path: backup, problem: "its store `\(name)` is from another backup")
                }
            }
            if withTokens && record.hasTokens {
                guard let hash = try copyTokens(from: backup, to: draft), hash == record.tokensHash else {
                    throw BackupError.damaged(path: backup, problem: "`\(tokens)` does not match its hash in `backup.json`")
                }
            }
            return record
        }
    }

    /// Returns the folders of a data directory that hold a store, or have lost its log: a backup must not leave those out in silence. Names
    /// that begin with a dot are reserved for the service.
    static func storeNames(in directory: String) throws -> [String] {
        guard isFolder(directory) else { throw BackupError.noStores(path: directory) }
        return try fileNames(in: directory).sorted().filter { name in
            let path = directory + "/" + name
            guard !name.hasPrefix("."), !name.hasSuffix(".part") else { return false }
            // Throws for a folder that this process may not look into.
            return try Files.exists(path + "/log/data.mdb") || Files.exists(path + "/index/data.mdb")
        }
    }

    /// Copies the tokens. Waits for a process that is changing them.
    ///
    /// - Returns: the SHA-256 of the copy in hexadecimal digits; nil without a token file.
    private static func copyTokens(from: String, to: String) throws -> String? {
        guard let (lines, _) = try SharedLines(path: from + "/" + tokens).read(afterWriters: true) else { return nil }
        try makeFolder(to + "/.muniment")
        try replaceFile(to + "/" + tokens, with: lines)
        return "\(Digest(of: lines.span))"
    }
}

extension DataBackup {
    /// Returns whether a folder holds a backup of a data directory, as opposed to that of one store.
    public static func exists(at path: String) -> Bool {
        guard let json = try? JSONText.decode(readFile(path + "/backup.json")) else { return false }
        return json["format"] == .string(format)
    }

    /// Reads the record of a backup.
    ///
    /// - Throws: ``BackupError/notABackup(path:)``, ``BackupError/damaged(path:problem:)``, or the error of reading the file.
    public init(at path: String) throws {
        guard DataBackup.exists(at: path), case .object(let json) = try JSONText.decode(readFile(path + "/backup.json")) else {
            throw BackupError.notABackup(path: path)
        }
        guard case .array(let names)? = json["stores"], case .bool(let hasTokens)? = json["tokens"] else {
            throw BackupError.damaged(path: path, problem: "`backup.json` has an unknown format")
        }
        var stores: [String: Backup] = [:]
        for case .object(let member) in names {
            guard case .string(let name)? = member["name"], let backup = Backup(json: .object(member)) else {
                throw BackupError.damaged(path: path, problem: "`backup.json` has an unknown format")
            }
            stores[name] = backup
        }
        (self.stores, self.hasTokens) = (stores, hasTokens)
        tokensHash = if case .string(let hash)? = json["tokensHash"] { hash } else { nil }
        hasAccounts = json["accounts"] == .bool(true)
    }

    private func write(to path: String) throws {
        let stores = stores.sorted { $0.key < $1.key }.map { name, backup in
            var json = backup.json
            json["name"] = .string(name)
            return JSONValue.object(json)
        }
        var json: JSONObject = [
            "format": .string(DataBackup.format), "stores": .array(stores), "tokens": .bool(hasTokens),
            "accounts": .bool(hasAccounts),
        ]
        if let tokensHash { json["tokensHash"] = .string(tokensHash) }
        try replaceFile(path + "/backup.json", with: JSONText.encode(.object(json)) + [UInt8(ascii: "\n")])
    }
}
