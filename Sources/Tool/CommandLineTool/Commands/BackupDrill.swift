import Events
import Files
import Foundation
import Identity
import Muniment
import Permissions

extension Command {
    static let backupDrill = Command(
        "backup drill", "restore a backup into a temporary folder, verify it, and remove it",
        sentence: "BACKUP [--store DIR | --data DIR]", options: [.store, .data, .json],
        example: Example(
            "backup drill backups/monday --store demo",
            """
            demo  r21 8f14e45fceea167a5a36dedd4bea2543f6e5d8a1b0c94c7e1f2d3a4b5c6d7e8f  verified in 0.01 s
            demo  the origin has the same head
            the backup is sound: restored in 0.02 s, verified in 0.01 s
            """)
    ) { call in
        let backup = try call.word("the folder of the backup")
        try call.end()
        let folder = try DrillFolder()
        let interruption = SignalHandler(SignalHandler.stops) { folder.remove(exitingWith: 128 + $0) }
        defer { withExtendedLifetime(interruption) { folder.remove() } }
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
    private var restoringTime = Duration.zero
    private var verifying = Duration.zero

    init(backup: String, folder: String, options: StoreOptions) {
        (self.backup, self.folder, self.options) = (backup, folder, options)
    }

    var isSound: Bool { problems.isEmpty }

    mutating func restoreOne(comparedWith origin: String?) throws {
        guard let restored = try restoring({ [self] in try Store.restore(backup, to: folder, options: options) }) else { return }
        let name = URL(filePath: origin ?? backup).lastPathComponent
        try check(restored, name, at: folder, origin: origin)
    }

    mutating func restoreAll(comparedWith origin: String?) throws {
        var accounts: AccountsBackup?
        let restored = try restoring { [self] in
            try DataBackup.restore(backup, to: folder, withTokens: true, options: options) { draft in
                accounts = try AccountsBackup.restore(backup + "/.muniment", to: draft + "/.muniment")
            }
        }
        guard let restored else { return }
        for (name, store) in restored.stores.sorted(by: { $0.key < $1.key }) {
            try check(store, name, at: folder + "/" + name, origin: origin.map { $0 + "/" + name })
        }
        if let accounts {
            found.append("\(accounts.accounts) accounts restored; the master key of the service is needed to read them")
        }
    }

    /// Restores with `body`. Damage of the backup is a problem to report.
    ///
    /// - Returns: nil if the backup is damaged.
    private mutating func restoring<R>(_ body: () throws -> R) throws -> R? {
        let start = ContinuousClock.now
        defer { restoringTime = ContinuousClock.now - start }
        do { return try body() } catch let error as BackupError {
            guard case .damaged = error else { throw error }
            problems.append("\(error)")
            return nil
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
            do { try compare(backup, name, at: path, with: origin, &json) } catch let error as StoreError {
                problems.append("\(name)  the origin cannot be compared: \(error)")
            }
        }
        stores.append((name, json))
    }

    /// Compares a restored store with the store that its backup was made from.
    private mutating func compare(
        _ backup: Backup, _ name: String, at path: String, with origin: String, _ json: inout JSONObject
    ) throws {
        guard Store.exists(at: origin) else {
            problems.append(
                "\(name)  `\(origin)` is not a store: it was removed after the backup, or the option names another folder")
            return
        }
        guard let head = try backup.headOfOrigin(at: origin, options: options) else {
            problems.append(
                "\(name)  the log of `\(origin)` does not contain the last commit and the last refused command of the backup: the backup "
                    + "is of another store, or the store has lost records")
            return
        }
        let newer = head.revision.rawValue - backup.head.revision.rawValue
        json["newerCommits"] = .count(Int(newer))
        found.append(
            newer == 0
                ? "\(name)  the origin has the same head"
                : "\(name)  the origin has \(counted(newer, "newer commit")), the last at \(head.time)")
        if try readFileIfThere(origin + "/levels.json") != readFileIfThere(path + "/levels.json") {
            problems.append(
                "\(name)  `levels.json`, which names sets of privileges, is not the same in `\(origin)` and in the backup: the answers to "
                    + "questions with these names can differ")
        }
    }

    var lines: [String] {
        found + problems.map { "problem: \($0)" } + [
            "the backup \(isSound ? "is sound" : "cannot be relied on"): restored in \(Self.seconds(restoringTime)) s, verified in "
                + "\(Self.seconds(verifying)) s"
        ]
    }

    var json: JSONValue {
        .object([
            "sound": .bool(isSound), "stores": .array(stores.map { .object($0.json) }),
            "problems": .array(problems.map { .string($0) }), "restoreSeconds": .number(Self.seconds(restoringTime)),
            "verifySeconds": .number(Self.seconds(verifying)),
        ])
    }

    private static func seconds(_ time: Duration) -> Double { (time / .seconds(1) * 100).rounded() / 100 }
}
