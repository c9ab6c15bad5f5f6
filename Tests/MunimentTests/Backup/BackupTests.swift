import Events
import Files
import Foundation
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Backup and restore")
struct BackupTests {
    @Test("A restored store has the history, refusals and answers of the original, and accepts commits")
    func roundTrip() throws {
        try withStore(.open) { fixture in
            try fill(fixture, objects: 40)
            #expect(try fixture.refusal(.createObject("none:1")) != nil)
            try fixture.store.setLevels([AccessLevel(name: "write", privileges: ["read", "update"])])
            let backup = try fixture.store.backup(to: fixture.path + "-backup")
            #expect(backup.head == (try fixture.store.head))
            #expect(backup.refusals == 1)
            let restored = fixture.path + "-restored"
            #expect(try Store.restore(fixture.path + "-backup", to: restored) == backup)
            #expect(try Store.verify(at: restored).problems == [])
            let store = try Store.open(
                at: restored, .writing, options: StoreOptions(clock: { [clock = fixture.clock] in clock.now }))
            defer { try? store.close() }
            #expect(try store.head == fixture.store.head)
            #expect(try store.levels?.map(\.name) == ["write"])
            for revision in [Revision(3), try fixture.head] {
                let (before, after) = (try answers(fixture.store, revision), try answers(store, revision))
                #expect(before == after)
                #expect(!before.isEmpty)
            }
            try store.commit(Transaction("user:root", [.createObject("doc:after")]))
            #expect(try store.head.revision == fixture.head.next)
        }
    }

    @Test(
        "If a backup of the data directory has the account of a user who signs up meanwhile, its stores have the user")
    func accountsFirst() throws {
        let folder = try ScratchFolder()
        let (data, backup, restored) = (folder.path + "/data", folder.path + "/backup", folder.path + "/restored")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try Store.create(at: data + "/default", preset: .open).close()
        let made = try DataBackup.make(of: data, to: backup) { _ in
            let store = try Store.open(at: data + "/default", .writing)
            try store.commit(Transaction("user:root", [.register("user:new")]))
            try store.close()
            return true
        }
        #expect(made.hasAccounts)
        try DataBackup.restore(backup, to: restored)
        let store = try Store.open(at: restored + "/default", .reading)
        #expect(try store.read { try $0.exists("user:new") })
        try store.close()
    }

    @Test("A backup during writes shows the store at one moment, with every commit acknowledged before the backup")
    func liveStore() throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("doc"))
            let store = fixture.store
            let writers = (0..<3).map { writer in
                TestThread {
                    for number in 0..<120 {
                        try store.commit(
                            Transaction(
                                "user:root",
                                [.createObject(Name("doc:a\(writer)-\(number)")), .createObject(Name("doc:b\(writer)-\(number)"))]))
                    }
                }
            }
            for round in 0..<6 {
                let before = try store.head.revision
                let backup = try store.backup(to: fixture.path + "-\(round)")
                #expect(backup.head.revision >= before)
                try Store.restore(fixture.path + "-\(round)", to: fixture.path + "-restored-\(round)")
                let restored = try Store.open(at: fixture.path + "-restored-\(round)")
                defer { try? restored.close() }
                #expect(try restored.head == backup.head)
                // Each transaction is present completely or not at all.
                let objects = try restored.read { try $0.objects(for: "user:root", with: ["read"], class: "doc") }
                let pairs = Dictionary(grouping: objects, by: { $0.dropFirst(5) })
                #expect(pairs.values.allSatisfy { $0.count == 2 })
            }
            for writer in writers { try writer.join() }
        }
    }

    @Test("A backup contains no free pages: the backup of a log that reused pages is smaller than the log")
    func compacts() throws {
        try withStore(.open) { fixture in
            try fill(fixture, objects: 200)
            _ = try fixture.store.backup(to: fixture.path + "-backup")
            let (log, copy) = (fixture.path + "/log/data.mdb", fixture.path + "-backup/log/data.mdb")
            #expect(try FileBytes.read(copy).count < FileBytes.read(log).count)
        }
    }

    @Test("Existing files at the target of a backup or a restore are never overwritten")
    func refusesToOverwrite() throws {
        try withStore(.open) { fixture in
            try fill(fixture, objects: 2)
            let (backup, other) = (fixture.path + "-backup", fixture.path + "-other")
            _ = try fixture.store.backup(to: backup)
            let before = try FileBytes.read(backup + "/log/data.mdb")
            #expect(throws: BackupError.isTaken(path: backup)) { try fixture.store.backup(to: backup) }
            #expect(throws: BackupError.isTaken(path: fixture.path)) { try Store.restore(backup, to: fixture.path) }
            try FileBytes.write([1], to: other)
            #expect(throws: BackupError.isTaken(path: other)) { try Store.restore(backup, to: other) }
            #expect(try FileBytes.read(other) == [1])
            #expect(try FileBytes.read(backup + "/log/data.mdb") == before)
            try fixture.commit(.createObject("doc:still"))
        }
    }

    @Test("A changed byte anywhere in a backup is found, and the backup cannot be restored", arguments: 0..<24)
    func damage(part: Int) throws {
        try withStore(.open) { fixture in
            try fill(fixture, objects: 30)
            let backup = fixture.path + "-backup"
            _ = try fixture.store.backup(to: backup)
            let file = backup + ["/log/data.mdb", "/log/seal", "/backup.json"][part % 3]
            let size = try FileBytes.read(file).count
            // Skips the last byte: after the end of the record there is only a line feed.
            try FileBytes.flip(file, at: (size - 2) * (part / 3) / 7, mask: 0x11)
            let restored = fixture.path + "-restored"
            #expect(throws: (any Error).self) { try Store.restore(backup, to: restored) }
            #expect(!FileManager.default.fileExists(atPath: restored))
            #expect(!FileManager.default.fileExists(atPath: restored + ".part"))
        }
    }

    /// Returns the names of everything in a folder, with the bytes and the modification times of files.
    private func contents(of folder: String) throws -> [String: String] {
        var contents: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let file = folder + "/" + name
            let time = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
            let bytes = try isFolder(file) ? [] : FileBytes.read(file)
            contents[name] = "\(time?.timeIntervalSince1970 ?? 0) \(bytes.hashValue)"
        }
        return contents
    }

    @Test("A backup is never written to: it can be verified, read, backed up and restored, but not opened for writing")
    func isOnlyRead() throws {
        try withStore(.open) { fixture in
            try fill(fixture, objects: 2)
            let backup = fixture.path + "-backup"
            let head = try fixture.store.backup(to: backup).head
            let before = try contents(of: backup)
            let report = try Store.verify(at: backup)
            #expect(report.isSound && report.head == head)
            let store = try Store.open(at: backup)
            #expect(try store.statistics().head == head)
            #expect(try contents(of: backup) == before)
            try store.close()
            #expect(try Store.backup(at: backup, to: fixture.path + "-again").head == head)
            #expect(try Store.restore(backup, to: fixture.path + "-restored").head == head)
            let refusal = BackupError.isNotWritable(path: backup)
            #expect(throws: refusal) { try Store.open(at: backup, .writing) }
            #expect(throws: refusal) { try Store.rebuild(at: backup) }
            #expect(throws: refusal) { try Store.create(at: backup) }
            #expect(try contents(of: backup) == before)
            #expect(try Store.verify(at: fixture.path + "-restored").isSound)
        }
    }

    @Test("A folder without a backup, and a store, are not accepted as a backup")
    func notABackup() throws {
        try withStore { fixture in
            for path in [fixture.path, fixture.path + "-nowhere"] {
                #expect(throws: BackupError.notABackup(path: path)) { try Store.restore(path, to: fixture.path + "-restored") }
            }
        }
    }

    private func fill(_ fixture: StoreFixture, objects: Int) throws {
        try fixture.commit(.defineClass("doc"), .register("user:ann"))
        for number in 0..<objects {
            let object = Name("doc:\(number)")
            try fixture.commit(.createObject(object), .grant("user:ann", on: object, ["read"]))
        }
    }

    private func answers(_ store: Store, _ revision: Revision) throws -> [String] {
        try store.read(at: .revision(revision)) { try $0.objects(for: "user:ann", with: ["read"], class: "doc") }
    }
}
