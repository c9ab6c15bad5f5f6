import Events
import Foundation
import Identity
import Muniment
import Permissions

extension Command {
    static let backupDrill = Command(
        "backup drill", "restore a backup into a temporary folder, verify it, and remove it",
        sentence: "BACKUP [--store DIR | --data DIR]", options: [.store, .data, .json],
        example: Example(
            "backup drill monday --store demo",
            """
            demo  r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f  verified in 0.01 s
            demo  the origin has the same head
            the backup is sound: restored in 0.02 s, verified in 0.01 s
            """)
    ) { call in
        let backup = try call.word("the folder of the backup")
        try call.end()
        let folder = FileManager.default.temporaryDirectory.appending(path: "muniment-drill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        var drill = BackupDrill(backup: backup, folder: folder.path + "/restored", options: call.storeOptions)
        let directory = try call.dataDirectoryIfNamed
        if DataBackup.exists(at: backup) {
            guard call.options[.store] == nil else {
                throw UsageError(
                    "`\(backup)` is a backup of several stores; write `--data DIR`, or name the folder of one store in it")
            }
            try drill.restoreAll(comparedWith: directory)
        } else {
            guard directory == nil else { throw UsageError("`\(backup)` is a backup of one store; write `--store DIR`") }
            try drill.restoreOne(comparedWith: call.options[.store])
        }
        ProgressBar.standard.clear()
        return try call.answer(drill.json, lines: drill.lines, drill.isSound ? .success : .failure)
    }
}

/// Restores a backup for practice, and reports what was found.
private struct BackupDrill {
    let backup: String
    /// The folder to restore into.
    let folder: String
    let options: StoreOptions
    private var stores: [(name: String, json: JSONObject)] = []
    private var found: [String] = []
    private var problems: [String] = []
    private var restoring = Duration.zero
    private var verifying = Duration.zero

    init(backup: String, folder: String, options: StoreOptions) {
        (self.backup, self.folder, self.options) = (backup, folder, options)
    }

    var isSound: Bool { problems.isEmpty }

    mutating func restoreOne(comparedWith origin: String?) throws {
        let start = ContinuousClock.now
        let restored = try Store.restore(backup, to: folder, options: options)
        restoring = ContinuousClock.now - start
        let name = URL(filePath: origin ?? backup).lastPathComponent
        try check(restored, name, at: folder, origin: origin)
    }

    mutating func restoreAll(comparedWith origin: String?) throws {
        let start = ContinuousClock.now
        var accounts: AccountsBackup?
        let restored = try DataBackup.restore(backup, to: folder, withTokens: true, options: options) { [backup] draft in
            accounts = try AccountsBackup.restore(backup + "/.muniment", to: draft + "/.muniment")
        }
        restoring = ContinuousClock.now - start
        for (name, store) in restored.stores.sorted(by: { $0.key < $1.key }) {
            try check(store, name, at: folder + "/" + name, origin: origin.map { $0 + "/" + name })
        }
        if let accounts {
            found.append("\(accounts.accounts) accounts restored; the master key of the service is needed to read them")
        }
    }

    /// Verifies a restored store, and compares it with the store that it was made from.
    private mutating func check(_ backup: Backup, _ name: String, at path: String, origin: String?) throws {
        let start = ContinuousClock.now
        let report = try Store.verify(at: path, options: options)
        let time = ContinuousClock.now - start
        verifying += time
        found.append("\(name)  r\(backup.head.revision) \(backup.head.hash)  verified in \(Self.seconds(time)) s")
        problems += report.problems.map { "\(name)  \($0)" }
        var json: JSONObject = [
            "store": .string(name), "revision": .revision(backup.head.revision), "hash": .string(backup.head.hash),
            "sound": .bool(report.isSound),
        ]
        if let origin {
            if let head = try backup.headOfOrigin(at: origin, options: options) {
                let newer = head.revision.rawValue - backup.head.revision.rawValue
                json["newerCommits"] = .count(Int(newer))
                found.append(
                    newer == 0
                        ? "\(name)  the origin has the same head"
                        : "\(name)  the origin has \(counted(newer, "newer commit")), the last at \(head.time)")
            } else {
                problems.append(
                    "\(name)  the log of `\(origin)` does not contain the last commit of the backup: the backup is of another store, or "
                        + "the store has lost commits")
            }
        }
        stores.append((name, json))
    }

    var lines: [String] {
        found + problems.map { "problem: \($0)" } + [
            "the backup \(isSound ? "is sound" : "cannot be relied on"): restored in \(Self.seconds(restoring)) s, verified in "
                + "\(Self.seconds(verifying)) s"
        ]
    }

    var json: JSONValue {
        .object([
            "sound": .bool(isSound), "stores": .array(stores.map { .object($0.json) }),
            "problems": .array(problems.map { .string($0) }), "restoreSeconds": .number(Self.seconds(restoring)),
            "verifySeconds": .number(Self.seconds(verifying)),
        ])
    }

    private static func seconds(_ time: Duration) -> Double { (time / .seconds(1) * 100).rounded() / 100 }
}
