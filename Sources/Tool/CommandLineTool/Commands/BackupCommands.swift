import Events
import Files
import Foundation
import Identity
import Muniment
import Permissions
import Service

extension Option {
    fileprivate static let tokens = Option(
        "with-tokens", "with `--data`: restore the tokens too; tokens revoked since the backup become valid again")
}

extension Command {
    static let backup = Command(
        "backup", "copy a store, or all stores of a service, while they stay in use", sentence: "FOLDER",
        options: [.store, .data, .json],
        example: Example(
            "backup backups/monday",
            "r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f in backups/monday")
    ) { call in
        let path = try call.word("the folder for the backup")
        try call.end()
        if let directory = try call.dataDirectoryIfNamed {
            return try call.backUp(directory, to: path)
        }
        let directory = try call.directory
        let backup = try Store.backup(at: directory, to: path, options: call.storeOptions)
        call.record(.backup, of: directory, backup.summary(at: path))
        return try call.report(backup, in: path)
    }

    static let restore = Command(
        "restore", "create a store, or all stores of a service, from a backup", sentence: "BACKUP",
        options: [.store, .data, .tokens, .json],
        example: Example(
            "restore backups/monday --store again",
            "r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f in again")
    ) { call in
        let backup = try call.word("the folder of the backup")
        try call.end()
        if let directory = try call.dataDirectoryIfNamed {
            return try call.restore(backup, to: directory)
        }
        guard !call.options.isSet(.tokens) else {
            throw UsageError("`--with-tokens` requires `--data`: the tokens belong to all stores of a service")
        }
        // Restoring over the store in MUNIMENT_STORE is not intended, because it already exists.
        guard let directory = call.options[.store], !directory.isEmpty else {
            throw UsageError(
                "the destination is missing: write `--store DIR` for one store, `--data DIR` for all stores of a service")
        }
        return try call.report(Store.restore(backup, to: directory, options: call.storeOptions), in: directory)
    }
}

extension Invocation {
    /// The data directory, if the call names one; nil for a single store.
    var dataDirectoryIfNamed: String? {
        get throws {
            guard let directory = options[.data] else { return nil }
            guard options[.store] == nil else { throw UsageError("`--store` and `--data` exclude each other; write one of them") }
            return directory
        }
    }

    fileprivate func backUp(_ directory: String, to path: String) throws -> ExitCode {
        var accounts: AccountsBackup?
        let made = try DataBackup.make(of: directory, to: path, options: storeOptions) { draft in
            accounts = try AccountsBackup.make(of: directory + "/.muniment", to: draft + "/.muniment")
            return accounts != nil
        }
        for (name, backup) in made.stores { record(.backup, of: "\(directory)/\(name)", backup.summary(at: path)) }
        if accounts != nil {
            note(
                "the backup does not contain `\(directory)/.muniment/master.key`, and the accounts are unreadable without it: keep a "
                    + "separate copy"
            )
        }
        return try report(made.stores, accounts, in: path)
    }

    fileprivate func restore(_ backup: String, to directory: String) throws -> ExitCode {
        var accounts: AccountsBackup?
        let restored = try DataBackup.restore(
            backup, to: directory, withTokens: options.isSet(.tokens), options: storeOptions
        ) { draft in
            accounts = try AccountsBackup.restore(backup + "/.muniment", to: draft + "/.muniment")
        }
        if accounts != nil {
            note("before you start the service, copy the master key of these accounts to `\(directory)/.muniment/master.key`")
        }
        return try report(restored.stores, accounts, in: directory)
    }

    fileprivate func report(_ backup: Backup, in path: String) throws -> ExitCode {
        try answer(.object(backup.json.with(["path": .string(path)])), lines: [backup.summary(at: path)])
    }

    fileprivate func report(_ backups: [String: Backup], _ accounts: AccountsBackup?, in path: String) throws -> ExitCode {
        let backups = backups.sorted { $0.key < $1.key }
        let stores = backups.map { JSONValue.object($0.value.json.with(["store": .string($0.key)])) }
        var json: JSONObject = ["path": .string(path), "stores": .array(stores)]
        json["accounts"] = accounts?.json
        var lines = backups.map { name, backup in "\(name)  \(backup.summary(at: "\(path)/\(name)"))" }
        if let accounts {
            lines.append(
                "\(accounts.accounts) accounts  record \(accounts.records) \(accounts.headHash) in \(path)/.muniment/accounts")
        }
        return try answer(.object(json), lines: lines)
    }
}

extension Backup {
    fileprivate func summary(at path: String) -> String { "r\(head.revision) \(head.hash) in \(path)" }

    fileprivate var json: JSONObject {
        [
            "revision": .revision(head.revision), "time": .time(head.time), "hash": .string(head.hash), "events": .count(events),
            "refusals": .count(refusals),
        ]
    }
}

extension AccountsBackup {
    fileprivate var json: JSONValue {
        .object(["accounts": .count(accounts), "records": .count(records), "hash": .string(headHash)])
    }
}
