import Events
import Foundation
import Muniment
import Permissions
import TestSupport
import Testing

@Suite("Faults: a killed process")
struct FaultsOfProcesses {
    /// Kills the process between two lines of its output.
    @Test(
        "All acknowledged transactions are stored completely, and the store is valid and accepts commits",
        arguments: [1, 2, 7, 40, 111])
    func killedWhileCommitting(acknowledgements: Int) throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let store = try Store.create(at: path, preset: .open)
        try store.commit(Transaction("user:root", [.defineClass("doc")]))
        try store.close()
        let writer = try Helper.start(["commit-forever", path])
        var last: UInt64 = 0
        for _ in 0..<acknowledgements { last = try #require(try writer.line().flatMap { UInt64($0) }) }
        writer.kill()
        #expect(try Store.verify(at: path).problems == [])
        let again = try Store.open(at: path, .writing)
        #expect(try again.head.revision.rawValue >= last)
        try again.read { snapshot throws in
            for number in 0..<acknowledgements { #expect(try snapshot.exists(Name("doc:b\(number)"))) }
            for number in acknowledgements..<acknowledgements + 50 {
                #expect(try snapshot.exists(Name("doc:a\(number)")) == snapshot.exists(Name("doc:b\(number)")))
            }
        }
        try again.commit(Transaction("user:root", [.createObject("doc:after")]))
        try again.close()
        #expect(try Store.verify(at: path).problems == [])
    }

    @Test("A commit is synced to disk before it is acknowledged, and a refusal before it is reported")
    func waitedForTheDisk() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        let made = try Helper.run(["make", path])
        try #require(made.exitCode == 0, "\(made.output) \(made.error)")
        let result = try Helper.run(["commit-openly", path])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        // This test does not cover how the log writes, and the index does not need to be on disk.
        let deeds = result.lines.compactMap { line in
            line.hasPrefix("sync ") && line.hasSuffix("/log/data.mdb") ? "sync" : line.hasSuffix(" 1") ? line : nil
        }
        #expect(deeds.prefix(4) == ["sync", "committed 1", "sync", "refused 1"])
    }

    @Test("An import continued with --resume ends with the same head hash as an uninterrupted import")
    func killedWhileImporting() throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/history.jsonl"
        try Self.history(transactions: 1500).write(toFile: file, atomically: true, encoding: .utf8)
        let whole = folder.path + "/whole"
        let result = try Helper.run(["import", whole, file])
        try #require(result.exitCode == 0, "\(result.output) \(result.error)")
        let head = try #require(try Store.verify(at: whole).head)
        // Before its first output line, after each output line, and during the final write.
        for words in [0, 1, 2, 3, 4] {
            let path = folder.path + "/killed-\(words)"
            let importing = try Helper.start(["import", path, file])
            for _ in 0..<words { _ = try importing.line() }
            importing.kill()
            if Store.exists(at: path) { #expect(try Store.verify(at: path).problems == []) }
            let resumed = try Helper.run(["import", path, file, "--resume"])
            #expect(resumed.exitCode == 0, "\(words): \(resumed.output) \(resumed.error)")
            let report = try Store.verify(at: path)
            #expect(report.isSound)
            #expect(report.head == head)
        }
    }

    private static func history(transactions: Int) -> String {
        var lines = [#"{"format":"permission-history/1","store":"open"}"#]
        lines.append(#"{"time":"2020-01-01T00:00:00Z","actor":"user:root","changes":[{"op":"defineClass","class":"doc"}]}"#)
        for number in 0..<transactions {
            let time = Instant(microseconds: 1_577_836_800_000_000 + Int64(number) * 60_000_000)
            lines.append(
                """
                {"id":"t\(number)","time":"\(time)","actor":"user:u\(number % 17)","changes":[\
                {"op":"createObject","object":"doc:\(number)"},\
                {"op":"grant","subject":"user:u\(number % 5)","object":"doc:\(number)","privileges":["read"]}]}
                """)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
