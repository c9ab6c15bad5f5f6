import Events
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Concurrency: processes")
struct ProcessesTests {
    private let options = StoreOptions(clock: { FaultHistory.now }, expiryRecording: .withCommits, mapBytes: 1 << 24)

    @Test("A second writer is refused, and the error names the process that holds the store; readers continue")
    func secondWriter() throws {
        try withFaultStore { path, _ in
            let right = try Helper.run(["ask", path]).output
            let holder = try Helper.start(["hold", path])
            #expect(try holder.line() == "ready")
            let error = #expect(throws: StoreError.self) { try Store.open(at: path, .writing) }
            guard case .heldByAnotherWriter(path, let who) = error else {
                Issue.record("\(String(describing: error))")
                return holder.kill()
            }
            #expect(who.hasPrefix("process \(holder.processIdentifier) ("))
            #expect(who.contains("FaultHelper hold"))
            let readers = try (0..<3).map { _ in try Helper.start(["ask", path]) }
            for reader in readers { #expect(try reader.finish().output == right) }
            #expect(throws: StoreError.self) { try Store.rebuild(at: path) }
            holder.kill()
            try Store.open(at: path, .writing, options: options).close()
        }
    }

    @Test("A reader that stays open sees the commits of another process, and revoked access is gone")
    func readerDuringCommits() throws {
        try withFaultStore { path, _ in
            let reader = try Store.open(at: path, .reading, options: options)
            #expect(try reader.read { try $0.check("user:ann", ["read"], on: "doc:3").isAllowed })
            let writer = try Helper.run(["revoke", path])
            #expect(writer.exitCode == 0)
            #expect(try !reader.read { try $0.check("user:ann", ["read"], on: "doc:3").isAllowed })
            try reader.close()
        }
    }

    @Test("A reader that stays open during a rebuild of the index continues with the new index")
    func readerDuringRebuild() throws {
        try withFaultStore { path, _ in
            let reader = try Store.open(at: path, .reading, options: options)
            #expect(try reader.read { try $0.check("user:ann", ["read"], on: "doc:3").isAllowed })
            #expect(try Helper.run(["rebuild", path]).exitCode == 0)
            #expect(try reader.read { try $0.check("user:ann", ["read"], on: "doc:3").isAllowed })
            // A commit after the rebuild is in the new index only.
            #expect(try Helper.run(["revoke", path]).exitCode == 0)
            #expect(try !reader.read { try $0.check("user:ann", ["read"], on: "doc:3").isAllowed })
            #expect(try reader.read(at: .revision(Revision(20))) { $0.revision } == Revision(20))
            try reader.close()
        }
    }

    @Test("No process reads a partial index while a writer rebuilds it")
    func readerDuringFolding() throws {
        try withFaultStore { path, folder in
            // The state after a writer was killed: the index is at an earlier revision than the log.
            let copy = folder.path + "/index"
            try FileBytes.copyFolder(path + "/index", to: copy)
            #expect(try Helper.run(["revoke", path]).exitCode == 0)
            try FileBytes.copyFolder(copy, to: path + "/index")
            // A process that holds the lock and has not reported that the index is valid.
            let holder = try Helper.start(["hold-lock", path + "/writer.lock"])
            #expect(try holder.line() == "held")
            let error = #expect(throws: StoreError.self) { try Store.open(at: path, .reading, options: options) }
            guard case .indexUnavailable(path, let why) = error else {
                Issue.record("\(String(describing: error))")
                return holder.kill()
            }
            #expect(why.contains("process \(holder.processIdentifier)"))
            holder.kill()
            let reader = try Store.open(at: path, .reading, options: options)
            #expect(try !reader.read { try $0.check("user:ann", ["read"], on: "doc:3").isAllowed })
            try reader.close()
        }
    }

    @Test(
        "Verifying, and opening for reading, report no error while another process writes",
        arguments: ["commit-forever", "reopen-forever"])
    func besideAWriter(errand: String) throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let store = try Store.create(at: path, preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc")]))
        try store.close()
        let writer = try Helper.start([errand, path])
        defer { writer.kill() }
        var acknowledged = 0
        for _ in 0..<12 {
            #expect(try writer.line() != nil)
            acknowledged += 1
            let problems = try Store.verify(at: path).problems
            #expect(problems == [])
            do {
                let reader = try Store.open(at: path, .reading)
                #expect(try reader.read { try $0.exists(Name("doc:b\(acknowledged - 1)")) })
                try reader.close()
            } catch StoreError.indexUnavailable(_, let why) {
                // Allowed only while the other process opens the store.
                #expect(errand == "reopen-forever" && why.contains("try again in a moment"))
            }
        }
    }

    @Test("A process can open a store only once, with any spelling of its path")
    func onceInAProcess() throws {
        try withFaultStore { path, folder in
            let store = try Store.open(at: path, .reading, options: options)
            for spelling in [path, path + "/", folder.path + "/./store", folder.path + "/store/../store"] {
                #expect(throws: StoreError.self) { try Store.open(at: spelling, .reading, options: options) }
            }
            try store.close()
            try Store.open(at: folder.path + "/./store", .reading, options: options).close()
        }
    }
}
