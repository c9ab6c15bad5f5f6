import Credentials
import Events
import Files
import Permissions
import TestSupport
import Testing

@Suite("Tokens on a full disk: a change that was made is reported as made", .enabled(if: SmallDisk.isPossible))
struct FullDiskTokenTests {
    @Test("A token is created or revoked if and only if the call succeeds, and a step that failed afterwards is reported")
    func outcomes() throws {
        let (folder, notes) = (try ScratchFolder(), Reports())
        let disk = try SmallDisk(at: folder.path, bytes: 100_000)
        defer { disk.unmount() }
        let registry = TokenRegistry(dataDirectory: folder.path) { notes.add($0) }
        let (secret, _) = try registry.create(stores: .all, right: .administer, at: .newYear)
        #expect(notes.lines.isEmpty)
        let fill = try ChildProcess(["dd", "if=/dev/zero", "of=" + folder.path + "/fill", "bs=4096"]).finish()
        #expect(fill.exitCode == 1)
        // The line fits into the last page of the file. The record needs a new file.
        try registry.revoke(id: "t1", at: .newYear)
        #expect(notes.lines.count == 1 && notes.lines[0].contains("tokens.head"), "\(notes.lines)")
        #expect(try registry.authenticate(secret, at: .newYear) == nil)
        var (created, failure) = (1, (any Error)?.none)
        while case nil = failure {
            do {
                _ = try registry.create(stores: .all, right: .ask, comment: String(repeating: "x", count: 900), at: .newYear)
                created += 1
            } catch { failure = error }
        }
        #expect((failure as? FileError)?.isDiskFull == true, "\(String(describing: failure))")
        #expect(created > 1 && notes.lines.count == created)
        for reader in [registry, TokenRegistry(dataDirectory: folder.path)] { #expect(try reader.list().count == created) }
        try removeFile(folder.path + "/fill")
        _ = try registry.create(stores: .all, right: .ask, at: .newYear)
        #expect(try registry.list().count == created + 1 && notes.lines.count == created)
    }
}
