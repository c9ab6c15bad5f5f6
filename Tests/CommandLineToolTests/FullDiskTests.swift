import Foundation
import TestSupport
import Testing

@Suite("Commands for tokens on a full disk", .enabled(if: SmallDisk.isPossible))
struct FullDiskTokenCommandTests {
    @Test("A token that is created or revoked although a later step failed is reported as such, with a note")
    func tokens() throws {
        try BuiltTool.inFreshFolder { tool in
            let mount = tool.folder.appending(path: "disk")
            try FileManager.default.createDirectory(at: mount, withIntermediateDirectories: false)
            let disk = try SmallDisk(at: mount.path, bytes: 100_000)
            defer { disk.unmount() }
            let create = "token create --data disk --store '*' --can ask"
            try tool.make(create)
            #expect(try tool.shell("dd if=/dev/zero of=disk/fill bs=4096").errors.contains("No space left"))
            for (command, output) in [("token revoke t1 --data disk", "revoked t1"), (create, "muni_")] {
                let result = try tool.run(command)
                #expect(result.code == 0 && result.lines.first?.hasPrefix(output) == true, "\(result.output) \(result.errors)")
                #expect(result.errors.contains("note: the change of tokens is made"), "\(result.errors)")
            }
            let states = try tool.run("token list --data disk").lines.map { $0.split(separator: " ").prefix(2) }
            #expect(states == [["t1", "revoked"], ["t2", "good"]])
        }
    }
}

@Suite("`verify` on a full disk", .enabled(if: SmallDisk.isPossible))
struct FullDiskTests {
    /// Creates a store on a small disk, and fills the disk.
    private func onFullDisk(_ body: (BuiltTool) throws -> Void) throws {
        try BuiltTool.inFreshFolder { tool in
            let mount = tool.folder.appending(path: "disk")
            try FileManager.default.createDirectory(at: mount, withIntermediateDirectories: false)
            let disk = try SmallDisk(at: mount.path, bytes: 1_000_000)
            defer { disk.unmount() }
            try tool.make("init --store disk/store")
            try tool.make("register user:ann --store disk/store")
            try FileManager.default.createDirectory(at: mount.appending(path: "tmp"), withIntermediateDirectories: false)
            #expect(try tool.shell("dd if=/dev/zero of=disk/fill bs=4096").errors.contains("No space left"))
            try body(tool)
        }
    }

    @Test("Without space for a new index, it names the full disk and both folders, not damage, and leaves no files")
    func noSpace() throws {
        try onFullDisk { tool in
            let result = try tool.shell("TMPDIR=$PWD/disk/tmp \"$muniment\" verify --store disk/store")
            #expect(result.code == 1, "\(result.code ?? -1) \(result.errors)")
            #expect(result.output.contains("the index was not compared, because the disk is full"), "\(result.output)")
            #expect(result.output.contains("`disk/store`") && result.output.contains("disk/tmp`"), "\(result.output)")
            #expect(!(result.output + result.errors).contains("damaged"), "\(result.output) \(result.errors)")
            #expect(result.output.contains("1 problem: 1 commit"), "\(result.output)")
            #expect(try tool.shell("ls -d disk/store/verify-* disk/tmp/*").output.isEmpty)
        }
    }

    @Test("It uses the folder for temporary files on another disk, and reads a log without space for its lock file")
    func otherDisk() throws {
        try onFullDisk { tool in
            #expect(try tool.run("verify --store disk/store").lines.first?.hasPrefix("sound: 1 commit") == true)
            #expect(
                try tool.shell("rm disk/store/*/lock.mdb && dd if=/dev/zero of=disk/more bs=4096").errors.contains("No space left"))
            let quick = try tool.run("verify --quick --store disk/store")
            #expect(quick.code == 0 && quick.lines.first?.hasPrefix("sound: 1 commit") == true, "\(quick.output) \(quick.errors)")
            let whole = try tool.run("verify --store disk/store")
            #expect(whole.code == 0 && whole.lines.first?.hasPrefix("sound: 1 commit") == true, "\(whole.output) \(whole.errors)")
        }
    }
}
