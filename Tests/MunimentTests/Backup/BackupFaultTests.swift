import Events
import Foundation
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Faults: backups on a full disk, and backups of a killed process")
struct BackupFaultTests {
    @Test(
        "A full disk leaves no file with the name of a backup, and the store still works", arguments: [0, 4096, 40_000, 90_000])
    func fullDisk(limit: Int) throws {
        try withFilledStore { folder, path in
            let target = folder + "/backup"
            let result = try Helper.run(["back-up-within", path, target, "\(limit)"])
            #expect(result.exitCode == 3, "\(result.output)")
            #expect(result.output.contains("error: "))
            #expect(try names(in: folder) == ["store"])
            let backup = try Store.backup(at: path, to: target)
            #expect(try Store.verify(at: path).head == backup.head)
        }
    }

    @Test("A full disk during a restore leaves no folder that looks like a store", arguments: [0, 4096, 40_000])
    func fullDiskWhileRestoring(limit: Int) throws {
        try withFilledStore { folder, path in
            _ = try Store.backup(at: path, to: folder + "/backup")
            let result = try Helper.run(["restore-within", folder + "/backup", folder + "/restored", "\(limit)"])
            #expect(result.exitCode == 3, "\(result.output)")
            #expect(try names(in: folder) == ["backup", "store"])
        }
    }

    @Test("After a kill at any time, every file with the name of a backup can be restored", arguments: [0, 1, 3, 8, 21])
    func killed(backups: Int) throws {
        try withFilledStore { folder, path in
            let made = folder + "/made"
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
            let helper = try Helper.start(["back-up-forever", path, made])
            for _ in 0..<backups { _ = try #require(try helper.line()) }
            helper.kill()
            let all = try names(in: made)
            let whole = all.filter { !$0.hasSuffix(".part") }
            #expect(whole.count >= backups)
            for name in whole { try Store.restore(made + "/" + name, to: folder + "/restored-" + name) }
            // Unfinished files do not prevent a new backup.
            let next = made + "/\(whole.count)"
            _ = try Store.backup(at: path, to: next)
            #expect(try names(in: made).filter { $0.hasSuffix(".part") } == [])
            #expect(try Store.restore(next, to: folder + "/restored-next").head == Store.verify(at: path).head)
        }
    }

    @Test("If two processes create the same backup, the second gets an error that names the first; the first backup is complete")
    func twoAtOnce() throws {
        try withFilledStore { folder, path in
            let target = folder + "/backup"
            try FileManager.default.createDirectory(atPath: target + ".part", withIntermediateDirectories: true)
            let helper = try Helper.start(["hold-lock", target + ".part/part.lock"])
            #expect(try helper.line() == "held")
            #expect {
                try Store.backup(at: path, to: target)
            } throws: { error in
                if case BackupError.isBeingMade(target, let holder) = error {
                    holder.contains("\(helper.processIdentifier)")
                } else {
                    false
                }
            }
            helper.kill()
            _ = try Store.backup(at: path, to: target)
            #expect(try names(in: folder) == ["backup", "store"])
        }
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func withFilledStore(_ body: (_ folder: String, _ store: String) throws -> Void) throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let store = try Store.create(at: path, preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc")]))
        for number in 0..<300 {
            try store.commit(
                Transaction("user:root", [.createObject(Name("doc:\(number)"), value: .string(String(repeating: "v", count: 300)))])
            )
        }
        try store.close()
        try body(folder.path, path)
    }
}
