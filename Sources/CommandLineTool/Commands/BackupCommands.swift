import Events
import Muniment
import Permissions

extension Option {
    fileprivate static let tokens = Option(
        "with-tokens", "with `--data`: bring the service's tokens back too; those revoked since the backup are good again then")
}

extension Command {
    static let backup = Command(
        "backup", "copy a store, or all stores of a service, while they go on", sentence: "FOLDER",
        options: [.store, .data, .json],
        example: Example(
            "backup monday", "r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f in monday")
    ) { call in
        let path = try call.word("the folder that the backup becomes")
        try call.end()
        if let directory = try call.dataDirectoryIfNamed {
            return try call.report(DataBackup.make(of: directory, to: path, options: call.storeOptions).stores, in: path)
        }
        return try call.report(Store.backup(at: call.directory, to: path, options: call.storeOptions), in: path)
    }

    static let restore = Command(
        "restore", "make a store, or all stores of a service, of a backup, where nothing is yet", sentence: "BACKUP",
        options: [.store, .data, .tokens, .json],
        example: Example(
            "restore monday --store again",
            "r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f in again")
    ) { call in
        let backup = try call.word("the folder of the backup")
        try call.end()
        if let directory = try call.dataDirectoryIfNamed {
            let restored = try DataBackup.restore(
                backup, to: directory, withTokens: call.options.isSet(.tokens), options: call.storeOptions)
            return try call.report(restored.stores, in: directory)
        }
        guard !call.options.isSet(.tokens) else {
            throw UsageError("`--with-tokens` goes with `--data`: the tokens are those of all stores of a service")
        }
        // Whoever means the store that MUNIMENT_STORE names has it already.
        guard let directory = call.options[.store], !directory.isEmpty else {
            throw UsageError("say where to: `--store DIR` for one store, `--data DIR` for all stores of a service")
        }
        return try call.report(Store.restore(backup, to: directory, options: call.storeOptions), in: directory)
    }
}

extension Call {
    /// The data directory that was named; nil where one store is meant.
    fileprivate var dataDirectoryIfNamed: String? {
        get throws {
            guard let directory = options[.data] else { return nil }
            guard options[.store] == nil else { throw UsageError("`--store` and `--data` exclude each other; write one of them") }
            return directory
        }
    }

    fileprivate func report(_ backup: Backup, in path: String) throws -> ExitCode {
        ProgressBar.standard.clear()
        if isJSON {
            try output.json(.object(backup.json.with("path", .string(path))))
        } else {
            try output.line("r\(backup.head.revision) \(backup.head.hash) in \(path)")
        }
        return .success
    }

    fileprivate func report(_ backups: [String: Backup], in path: String) throws -> ExitCode {
        ProgressBar.standard.clear()
        let backups = backups.sorted { $0.key < $1.key }
        if isJSON {
            let stores = backups.map { JSONValue.object($0.value.json.with("store", .string($0.key))) }
            try output.json(.object(["path": .string(path), "stores": .array(stores)]))
        } else {
            for (name, backup) in backups {
                try output.line("\(name)  r\(backup.head.revision) \(backup.head.hash) in \(path)/\(name)")
            }
        }
        return .success
    }
}

extension Backup {
    fileprivate var json: JSONObject {
        [
            "revision": .revision(head.revision), "time": .time(head.time), "hash": .string(head.hash), "events": .count(events),
            "refusals": .count(refusals),
        ]
    }
}

extension JSONObject {
    fileprivate func with(_ name: String, _ value: JSONValue) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
