import Events
import Foundation
import Glibc
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Faults: full maps, full disks and folders without write permission")
struct FaultsOfDisks {
    @Test("The maps of the log and the index grow from a few pages")
    func tinyMaps() throws {
        let folder = try ScratchFolder()
        let options = StoreOptions(clock: { FaultHistory.start }, mapBytes: 1 << 16)
        let store = try Store.create(at: folder.path + "/store", preset: .open, options: options)
        try store.commit(Transaction("user:root", [.defineClass("doc")]))
        for batch in 0..<20 {
            try store.commit(
                Transaction("user:root", (0..<100).map { .createObject(Name("doc:\(batch)-\($0)"), value: .string("hello")) }))
        }
        #expect(try store.read { try $0.objects(for: "user:root", with: ["read"], class: "doc").count } == 2000)
        try store.close()
        #expect(try Store.verify(at: folder.path + "/store").isSound)
    }

    /// Runs in a process with a file size limit. Comments make the log the first file that reaches the limit.
    @Test(
        "A full disk loses no acknowledged commit, and the last transaction is stored completely or not at all",
        arguments: [(300_000, 1000), (300_000, 0), (400_000, 700)])
    func fullDisk(limit: Int, commentBytes: Int) throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try makeOpenStore(path)
        let result = try Helper.run(["fill", path, "\(limit)", "\(commentBytes)"])
        try check(result, path)
        let store = try Store.open(at: path, .writing)
        try store.commit(Transaction("user:root", [.createObject("doc:after")]))
        try store.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test(
        "A full file system refuses a change and changes nothing; the same store continues when there is room",
        .enabled(if: SmallDisk.isPossible))
    func fullFileSystem() throws {
        let folder = try ScratchFolder()
        let disk = try SmallDisk(at: folder.folder("disk"), bytes: 900_000)
        defer { disk.unmount() }
        let path = folder.path + "/disk/store"
        try makeOpenStore(path)
        let store = try Store.open(at: path, .writing)
        let comment = Origin(comment: String(repeating: "x", count: 1000))
        var acknowledged = 0
        func add() throws {
            try store.commit(Transaction("user:root", [.createObject(Name("doc:\(acknowledged)"))], origin: comment))
            acknowledged += 1
        }
        for _ in 0..<3 {
            var refusal: (any Error)?
            while refusal == nil { do { try add() } catch { refusal = error } }
            guard case .insufficientResources(path, let why)? = refusal as? StoreError, why.contains("bytes free, and at least")
            else {
                throw try #require(refusal)
            }
            #expect(try !store.read { try $0.exists(Name("doc:\(acknowledged)")) })
            let before = acknowledged
            #expect(throws: StoreError.self) { try add() }
            try disk.resize(bytes: 900_000 + before * 10_000)
            try add()
        }
        #expect(acknowledged > 6)
        try store.close()
        let again = try Store.open(at: path)
        try again.read { snapshot throws in
            for number in 0..<acknowledged { #expect(try snapshot.exists(Name("doc:\(number)"))) }
        }
        try again.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test("A process without free descriptors refuses the first change; the same store continues when one is free")
    func noDescriptors() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try makeOpenStore(path)
        let result = try Helper.run(["write-without-descriptors", path])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        #expect(words(result)["without"]?.contains("Too many open files") == true, "\(result.output)")
        #expect(words(result)["with"] == "accepted", "\(result.output)")
        let store = try Store.open(at: path)
        #expect(try store.read { try !$0.exists("doc:without") && $0.exists("doc:with") })
        try store.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test(
        "A store needs free descriptors to open; without them the error says so, and the index is not rebuilt",
        arguments: [false, true])
    func opensWithDescriptors(isLeftByCrash: Bool) throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try makeOpenStore(path)
        if isLeftByCrash { try Data("another start".utf8).write(to: URL(filePath: path + "/index/boot")) }
        let index = try FileBytes.read(path + "/index/data.mdb")
        let result = try Helper.run(["open-without-descriptors", path])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        #expect(result.lines.count > 3 && result.lines.last?.hasPrefix("opened ") == true, "\(result.output)")
        #expect(result.lines.dropLast().allSatisfy { $0.hasPrefix("lacks ") }, "\(result.output)")
        if !isLeftByCrash { #expect(try FileBytes.read(path + "/index/data.mdb").count == index.count) }
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test(
        "After a failed sync the store writes nothing: Linux reports it once, so a later sync would succeed without the data"
    )
    func failedSync() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try makeOpenStore(path)
        let result = try Helper.run(["write-with-failed-sync", path])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        let said = words(result)
        #expect(said["before"] == "accepted", "\(result.output)")
        #expect(said["failed"]?.contains("Input/output error") == true, "\(result.output)")
        #expect(said["again"]?.hasPrefix("the store takes no writes") == true, "\(result.output)")
        #expect(said["shows"] == "false", "\(result.output)")
        #expect(!result.lines.contains("write \(path)/log/data.mdb"), "\(result.output)")
        let store = try Store.open(at: path, .writing)
        #expect(try store.read { try $0.exists("doc:before") })
        try store.commit(Transaction("user:root", [.createObject("doc:after")]))
        try store.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test("E9: A disk full of refusals stops the store, and every reported refusal is recorded")
    func fullOfRefusals() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try makeOpenStore(path)
        let result = try Helper.run(["fill-refusals", path, "300000"])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        let said = words(result)
        let told = try #require(said["told"].flatMap { UInt64($0) })
        #expect(told > 3)
        #expect(said["failed"]?.contains("disk") == true, "\(said)")
        for word in ["again", "commit"] {
            #expect(said[word]?.hasPrefix("the store takes no writes") == true, "\(said)")
        }
        #expect(said["reads"].flatMap { UInt64($0) } ?? 0 >= told, "\(said)")
        let store = try Store.open(at: path, .writing)
        #expect(try store.refusalCount >= told)
        #expect(throws: Refusal.self) { try store.commit(Transaction("user:root", [.createObject("none:1")])) }
        try store.commit(Transaction("user:root", [.createObject("doc:after")]))
        try store.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    private func words(_ result: Helper.Result) -> [String: String] {
        Dictionary(
            result.lines.map { line in
                let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }, uniquingKeysWith: { first, _ in first })
    }

    private func makeOpenStore(_ path: String) throws {
        let store = try Store.create(at: path, preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc")]))
        try store.close()
    }

    private func check(_ result: Helper.Result, _ path: String) throws {
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        let said = words(result)
        let acknowledged = try #require(said["acknowledged"].flatMap { Int($0) })
        #expect(acknowledged > 3)
        #expect(said["failed"]?.contains("disk") == true, "\(said)")
        #expect(said["again"]?.hasPrefix("the store takes no writes") == true, "\(said)")
        #expect(said["reads"] == "true", "\(said)")
        // If the last acknowledged commit is not in the index, no question about the present or a later time is answered.
        #expect(said["now"] == said["time"] && said["now"] == said["audit"], "\(said)")
        let store = try Store.open(at: path, .reading)
        try store.read { snapshot throws in
            for number in 0..<acknowledged { #expect(try snapshot.exists(Name("doc:b\(number)"))) }
            #expect(try snapshot.exists(Name("doc:a\(acknowledged)")) == snapshot.exists(Name("doc:b\(acknowledged)")))
            #expect(try !snapshot.exists(Name("doc:a\(acknowledged + 1)")))
        }
        try store.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    /// Only the owner can read a new store. This makes it readable for everyone.
    private func letEverybodyRead(_ path: String) throws {
        let files = FileManager.default
        for name in [""] + (files.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []) {
            let path = path + "/" + name
            let isFolder = try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeDirectory
            try files.setAttributes([.posixPermissions: isFolder ? 0o755 : 0o644], ofItemAtPath: path)
        }
    }

    @Test("A user with read-only permission can read; a write fails and changes nothing", .enabled(if: getuid() == 0))
    func readOnlyFolder() throws {
        try withFaultStore { path, _ in
            let before = try FileBytes.read(path + "/log/data.mdb") + FileBytes.read(path + "/index/data.mdb")
            try letEverybodyRead(path)
            let right = try Helper.run(["ask", path])
            let nobody = try Helper.run(["use-as-nobody", path])
            #expect(nobody.exitCode == 0)
            #expect(nobody.lines.first == right.lines.first)
            #expect(nobody.lines.dropFirst().first == "writing cannot open `\(path)/writer.lock`: Permission denied")
            #expect(nobody.lines.last == "sound []")
            #expect(try FileBytes.read(path + "/log/data.mdb") + FileBytes.read(path + "/index/data.mdb") == before)
        }
    }

    @Test("Without an index, a user with read-only file permission gets an error that says what to do", .enabled(if: getuid() == 0))
    func readOnlyFolderWithoutIndex() throws {
        try withFaultStore { path, _ in
            try FileManager.default.removeItem(atPath: path + "/index")
            try letEverybodyRead(path)
            let nobody = try Helper.run(["use-as-nobody", path])
            #expect(nobody.exitCode == 3)
            #expect(nobody.output.contains("it is not there"))
            #expect(nobody.output.contains("run `muniment rebuild --store \(path)` as a user with write access"))
        }
    }
}
